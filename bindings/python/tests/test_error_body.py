"""The bodies of failed answers: lists of problems, and bodies without a known shape."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import restway

from .peer import Peer

LIST = {"details": "errors", "field": "field", "code": "code", "message": "message"}


def fail(peer: Peer, **sections: Any) -> restway.HTTPStatusError:
    api = restway.API.from_json({"restway": 1, **sections})
    with (
        restway.Client(api, base_url=peer.url) as client,
        pytest.raises(restway.HTTPStatusError) as caught,
    ):
        client.get("x")
    return caught.value


def test_a_422_gives_the_errors_of_its_fields() -> None:
    with Peer() as peer:
        peer.respond(
            b'{"message": "Invalid", "errors": ['
            b'{"field": "title", "code": "missing", "message": "is missing"},'
            b'{"field": "age", "code": 7}]}',
            status=422,
        )
        error = fail(peer, errors=LIST)
    assert (error.domain, error.api_message, error.api_code) == (
        restway.Domain.API,
        "Invalid",
        None,
    )
    assert error.details == [("title", "is missing"), ("age", "7")]
    assert [problem.code for problem in error.details] == ["missing", "7"]
    assert str(error).endswith("Invalid\n  title: is missing\n  age: 7")
    copy = pickle.loads(pickle.dumps(error))
    assert [problem.code for problem in copy.details] == ["missing", "7"]


RFC_9457 = b"""{
    "type": "https://example.net/validation-error", "title": "Your request is not valid.",
    "errors": [
        {"detail": "must be a positive integer", "pointer": "#/age"},
        {"detail": "must be 'green', 'red' or 'blue'", "pointer": "#/profile/color"}]}"""


@pytest.mark.parametrize(
    "errors", [{}, {"format": "problem"}, {"details": "errors"}, {"code": "type"}]
)
def test_the_list_of_problem_details_gives_details(errors: dict[str, str]) -> None:
    with Peer() as peer:
        peer.respond(RFC_9457, "application/problem+json", status=422)
        error = fail(peer, **({"errors": errors} if errors else {}))
    assert error.details == [
        ("age", "must be a positive integer"),
        ("profile.color", "must be 'green', 'red' or 'blue'"),
    ]
    assert error.api_message == "Your request is not valid."


def test_a_format_stands_in_for_names_that_the_document_leaves_out() -> None:
    with Peer() as peer:
        peer.respond(
            b'{"title": "Invalid", "errors": ['
            b'{"where": "title", "code": "required", "message": "must not be empty"}]}',
            "application/problem+json",
            status=422,
        )
        (problem,) = fail(peer, errors={"details": "errors", "field": "where"}).details
        assert (problem.path, problem.message, problem.code) == (
            "title",
            "must not be empty",
            "required",
        )
        peer.respond(
            b'{"title": "Bad Request", "errors": {"title": ["must not be blank"]}}',
            "application/problem+json",
            status=400,
        )
        assert fail(peer).details == [("title", "must not be blank")]


def test_a_list_may_name_its_parts_differently() -> None:
    listed = {"details": "detail", "field": "loc", "code": "type", "message": "msg"}
    errors = {"message": "detail", "details": listed}
    with Peer() as peer:
        peer.respond(
            b'{"detail": [{"loc": ["body", "title"], "msg": "Field required", "type": "missing"}]}',
            status=422,
        )
        (problem,) = fail(peer, errors=errors).details
        assert (problem.path, problem.message, problem.code) == (
            "body.title",
            "Field required",
            "missing",
        )
        peer.respond(b'{"detail": "Not found"}', status=404)
        assert fail(peer, errors=errors).api_message == "Not found"
        peer.respond(b'{"errors": {"title": ["is missing", "is short"]}}', status=422)
        error = fail(peer, errors={"details": "errors"})
        assert error.details == [("title", "is missing"), ("title", "is short")]


def test_problems_of_json_api_have_codes() -> None:
    with Peer() as peer:
        peer.respond(
            b'{"errors": [{"code": "226", "detail": "short", "source": {"pointer": "/a"}}]}',
            "application/vnd.api+json",
            422,
        )
        (problem,) = fail(peer).details
        assert (problem.path, problem.message, problem.code) == ("a", "short", "226")


def test_a_body_without_a_known_shape_stands_in_the_message_without_secrets() -> None:
    with Peer() as peer:
        peer.respond(b"upstream\r\n\x1b[31mdown\n", "text/plain", 502)
        assert fail(peer).message.endswith(" answered 502 Bad Gateway: upstream [31mdown")
        peer.respond(b'{"password": "tiger", "why": "no"}', status=400)
        assert fail(peer).message.endswith('{"password":"[redacted]","why":"no"}')
        peer.respond(b"token abc-123 was no good", "text/plain", 401)
        auth = {"scheme": "bearer", "token": "abc-123"}
        assert fail(peer, auth=auth).message.endswith("Unauthorized: token [redacted]")
        peer.respond(b"x" * 1000, "text/plain", 500)
        assert fail(peer).message.endswith("Error: " + "x" * 197 + "...")
        peer.respond(b"\x89PNG", "image/png", 500)
        assert fail(peer).message.endswith("answered 500 Internal Server Error")
        peer.respond(b"\xff\x06\x00no", status=500, headers={"Content-Encoding": "snappy"})
        assert fail(peer).message.endswith("Error: the body's content coding is unknown: snappy")


def test_a_field_stands_beside_the_message_without_a_list() -> None:
    with Peer() as peer:
        peer.respond(b'{"why": "is taken", "param": "title"}', status=409)
        error = fail(peer, errors={"message": "why", "field": "param"})
    assert error.details == [("title", "is taken")]


FRAMEWORKS = {
    "Django REST framework": (
        {"email": ["Not an address.", "Too long."], "lines": [{}, {"quantity": ["Too small."]}]},
        [("email", "Not an address."), ("email", "Too long."),
         ("lines[1].quantity", "Too small.")],
    ),
    "FastAPI": (
        {"detail": [{"loc": ["body", "lines", 1, "quantity"], "msg": "Too small", "type": "less"}]},
        [("body.lines[1].quantity", "Too small")],
    ),
    "Ruby on Rails": ({"errors": {"title": ["is missing"]}}, [("title", "is missing")]),
    "Laravel": (
        {"message": "Invalid", "errors": {"lines.1.quantity": ["Too small."]}},
        [("lines[1].quantity", "Too small.")],
    ),
    "Spring": (
        {"message": "Invalid", "errors": [
            {"field": "lines[1].quantity", "defaultMessage": "too small", "code": "Min"}]},
        [("lines[1].quantity", "too small")],
    ),
    "WordPress": (
        {"code": "rest_invalid_param", "message": "Invalid parameter(s): status",
         "data": {"status": 400, "params": {"status": "Not a status."}}},
        [("status", "Not a status.")],
    ),
    "JSON:API": (
        {"errors": [{"detail": "is missing", "source": {"pointer": "/data/attributes/title"}}]},
        [("title", "is missing")],
    ),
    "RFC 9457": (
        {"title": "Invalid", "errors": [{"detail": "too small", "pointer": "#/lines/1/quantity"}]},
        [("lines[1].quantity", "too small")],
    ),
}  # fmt: skip
PAGE = Path(__file__).parents[3] / "docs" / "RETRY.md"


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_words_of_the_documents_read_the_errors_of_frameworks(framework: str) -> None:
    (line,) = [each for each in PAGE.read_text().splitlines() if each.startswith(f"| {framework} ")]
    errors = json.loads(line.split("`")[1])
    body, details = FRAMEWORKS[framework]
    with Peer() as peer:
        peer.respond(json.dumps(body).encode(), status=422)
        assert fail(peer, errors=errors).details == details


def test_a_text_in_the_place_of_the_list_is_the_message() -> None:
    listed = {"details": "detail", "field": "loc", "message": "msg"}
    with Peer() as peer:
        peer.respond(b'{"detail": "Not found"}', status=404)
        error = fail(peer, errors={"details": listed})
    assert (error.api_message, list(error.details)) == ("Not found", [])


OUTBOX = {
    "errors": {"message": "detail", "code": "code", "details": []},
    "entities": {"Thing": {"identity": "id", "attributes": {"id": {}, "name": {}}}},
    "routes": {"new": {"method": "POST", "path": "things", "entity": "Thing", "offline": True}},
}


def test_a_dead_letter_has_the_errors_of_its_fields(tmp_path: Path) -> None:
    expected = [("name", "Too short."), ("lines[1].quantity", "Too small.")]
    body = {"name": ["Too short."], "lines": [{}, {"quantity": ["Too small."]}]}

    def check(item: restway.OutboxItem) -> None:
        error = item.error
        assert isinstance(error, restway.BadRequestError)
        assert list(error.details) == expected
        assert (error.domain, error.http_status) == (restway.Domain.API, 400)

    api = restway.API.from_json({"restway": 1, **OUTBOX})
    path = tmp_path / "outbox.db"
    with Peer() as peer:
        with restway.Client(api, base_url=peer.url, outbox_path=path) as client:
            client.set_reachability(restway.Reachability.UNREACHABLE)
            with pytest.raises(restway.QueuedError) as queued:
                client.post(client.draft("Thing", name="x"))
            (waiting,) = client.outbox.items()
            assert waiting.error is None
            peer.respond(json.dumps(body).encode(), status=400)
            client.set_reachability(restway.Reachability.REACHABLE)
            check(client.outbox.wait(queued.value, timeout=30))
            (read,) = client.outbox.items()
            check(read)
        with restway.Client(api, base_url=peer.url, outbox_path=path) as client:
            (read,) = client.outbox.items()
            check(read)
            check(client.outbox.wait(read, timeout=30))


def test_a_body_that_cannot_be_read_stands_in_the_message_without_secrets(peer: Peer) -> None:
    document = {
        "restway": 1,
        "entities": {"Thing": {"attributes": {"id": {"type": "int"}}}},
        "routes": {
            "things": {"path": "things", "response": {"entity": "Thing"}},
            "report": {"path": "report", "accept": "text/csv"},
            "lines": {"path": "lines", "response": {"entity": "Thing"}, "stream": "lines"},
        },
    }
    broken = b'{"id": oops, "token": "hidden"}'
    page = b"<html>\n<h1>Back at 9</h1> token=hidden"
    with restway.Client(restway.API.from_json(document), base_url=peer.url, timeout=30) as client:
        messages = []
        for route, body, media_type in (
            ("things", broken, "application/json"), ("things", page, "text/html"),
            ("report", page, "text/html"),
        ):
            peer.respond(body, media_type)
            with pytest.raises(restway.MappingError) as caught:
                client.route(route)
            messages.append(str(caught.value))
        peer.respond(broken, "application/x-ndjson")
        with client.events(restway.Request.route("lines")) as events:
            messages += [str(event.error) for event in events]
        with pytest.raises(restway.MappingError) as caught:
            client.map("Thing", broken)
        messages.append(str(caught.value))
    shown = ['{"id": oops, "token": "[redacted]', "<h1>Back at 9</h1> token=[redacted]"]
    assert len(messages) == 5
    for message, text in zip(messages, [shown[0], *shown[1:] * 2, *shown[:1] * 2], strict=True):
        assert text in message and "hidden" not in message

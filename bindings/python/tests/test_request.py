"""Requests as they arrive at the server: the demo API echoes them."""

from __future__ import annotations

import json
import math
from datetime import date, datetime, timezone
from typing import Any

import pytest

import restway

from .conftest import MakeClient

MOMENT = datetime(2026, 11, 21, 3, 4, 5, tzinfo=timezone.utc)


def echo(client: restway.Client, method: str, **options: Any) -> Any:
    return client.perform(restway.Request.path(method, "echo", **options)).json()


def test_the_verbs_take_every_keyword_of_a_request(client: restway.Client) -> None:
    got = client.put("echo", json=[1], idempotency_key="mine", auth="none", priority=3).json()
    assert (got["body"], got["headers"]["Idempotency-Key"]) == ("[1]", "mine")
    assert client.get("echo", idempotency_key="g").json()["headers"]["Idempotency-Key"] == "g"
    with pytest.raises(OverflowError):
        client.delete("echo", priority=2**31)
    with pytest.raises(restway.UsageError):
        client.get("echo", lane="")


def test_a_delete_may_have_a_body(client: restway.Client) -> None:
    got = client.delete("echo", json={"why": "twice"}, params={"force": True}).json()
    assert (got["method"], got["body"]) == ("DELETE", '{"why": "twice"}')
    assert got["query"] == {"force": "true"}
    with pytest.raises(TypeError, match="nonsense"):
        client.delete("echo", nonsense=1)  # type: ignore[call-arg]


@pytest.mark.parametrize("verb", ["get", "head"])
@pytest.mark.parametrize("keyword", ["body", "json", "media_type", "nonsense"])
def test_verbs_without_a_body_take_none(client: restway.Client, verb: str, keyword: str) -> None:
    given: dict[str, Any] = {keyword: "text/plain"}
    with pytest.raises(TypeError, match=keyword):
        getattr(client, verb)("echo", **given)


@pytest.mark.parametrize("method", ["M-SEARCH", "REPORT", "purge", "!#$%&'*+-.^_`|~"])
def test_every_token_is_a_method(client: restway.Client, method: str) -> None:
    got = echo(client, method, params={"a": 1})
    assert (got["method"], got["query"], got["body"]) == (method, {}, '{"a":1}')
    assert echo(client, method)["body_bytes"] == 0
    assert client.inspect(restway.Request.path(method, "echo", body=b"x")).method == method


@pytest.mark.parametrize("method", ["", "a b", "GET\n", "get", "Report", "CONNECT", "connect"])
def test_a_text_that_is_no_method_is_refused(method: str) -> None:
    with pytest.raises(restway.UsageError, match=r"^method is ") as caught:
        restway.Request.path(method, "echo")
    assert caught.value.field == "method"


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_parameters_of_a_get_or_delete_are_its_query(client: restway.Client, method: str) -> None:
    got = echo(
        client, method, params={"s": "a b&c", "n": 7, "t": True, "none": None, "l": [1, "x"]}
    )
    assert got["method"] == method
    assert got["query"] == {"s": "a b&c", "n": "7", "t": "true", "l": ["1", "x"]}
    assert got["body_bytes"] == 0


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_parameters_of_other_methods_are_the_json_body(client: restway.Client, method: str) -> None:
    got = client.perform(
        restway.Request.path(
            method,
            "echo",
            params={
                "text": "città",
                "none": None,
                "a.b": 1,
                "list": [1, None, 2.5],
                "tree": {"x": [{"y": True}]},
                "at": MOMENT,
                "on": date(2026, 11, 21),
                "bytes": b"\0\1",
            },
        )
    ).json()
    assert got["method"] == method
    assert got["headers"]["Content-Type"].startswith("application/json")
    body = json.loads(got["body"])
    at = body.pop("at")
    assert at.startswith("2026-11-21T03:04:05") and at.endswith("Z")
    assert body == {
        "text": "città",
        "none": None,
        "a": {"b": 1},
        "list": [1, None, 2.5],
        "tree": {"x": [{"y": True}]},
        "on": "2026-11-21",
        "bytes": "AAE=",
    }


def test_a_body_is_sent_as_it_is_and_parameters_go_into_the_query(client: restway.Client) -> None:
    got = client.post("echo", body=b"raw \x01", media_type="x/y", params={"q": 1}).json()
    assert (got["body"], got["query"], got["headers"]["Content-Type"]) == (
        "raw \x01",
        {"q": "1"},
        "x/y",
    )
    assert client.put("echo", body="città").json()["body"] == "città"
    assert client.patch("echo", json=[1, {"a": None}]).json()["body"] == '[1, {"a": null}]'


def test_an_empty_body_is_a_body(client: restway.Client) -> None:
    got = client.post("echo", body=b"", media_type="x/y").json()
    assert (got["body_bytes"], got["headers"]["Content-Type"]) == (0, "x/y")


def test_headers_are_set_and_left_out(client: restway.Client) -> None:
    got = client.get("echo", headers={"X-Note": "a,b", "Accept": None}).json()
    assert got["headers"]["X-Note"] == "a,b"
    assert "Accept" not in got["headers"]
    with pytest.raises(restway.UsageError):
        client.get("echo", headers={"X-Note": "a\r\nX-Evil: 1"})
    with pytest.raises(restway.UsageError):
        client.get("echo", headers={"bad name": "x"})


def test_variables_fill_the_path_one_segment_each(client: restway.Client) -> None:
    got = client.get("echo/:a/:b", variables={"a": "x/y z", "b": -5}).json()
    assert got["path"].endswith("/echo/x%2Fy%20z/-5")


def test_a_route_is_performed_by_name(client: restway.Client) -> None:
    found = client.route("enterprise", variables={"itemID": 12}).object
    assert found is not None and found.identity == 12
    renamed = client.route(
        "enterprise", "PATCH", variables={"itemID": 15}, params={"name": "By route"}
    ).object
    assert renamed is not None and renamed.name == "By route"


def test_an_object_finds_its_route(client: restway.Client) -> None:
    found = client.get("enterprises/12").object
    assert found is not None
    response = client.get(found)
    assert response.url.endswith("/enterprises/12") and response.object == found
    assert client.perform(restway.Request.object("GET", found)).object == found
    made = client.post("enterprises", params={"name": "Ephemeral"}).object
    assert made is not None and made.identity is not None
    assert client.delete(made).status == 204
    with pytest.raises(restway.HTTPStatusError):
        client.get(made)


def test_a_request_is_sent_as_often_as_needed(make_client: MakeClient) -> None:
    request = restway.Request.path("GET", "echo", params={"n": 1})
    with make_client() as one, make_client() as other:
        for client in (one, other, one):
            assert client.perform(request).json()["query"] == {"n": "1"}


def test_head_has_headers_and_no_body(client: restway.Client) -> None:
    response = client.head("enterprises/12")
    assert (response.status, response.body) == (200, b"")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"timeout": 0}, ValueError),
        ({"timeout": -1}, ValueError),
        ({"timeout": math.nan}, ValueError),
        ({"timeout": restway.Timeouts(idle=-1)}, ValueError),
        ({"body": b"", "json": 1}, TypeError),
        ({"body": 7}, TypeError),
        ({"media_type": "x/y"}, TypeError),
        ({"params": {"a\0": 1}}, ValueError),
        ({"params": {7: 1}}, TypeError),
        ({"variables": {"a": datetime(2026, 1, 1)}}, ValueError),
        ({"headers": {"X": "a\0b"}}, ValueError),
    ],
    ids=repr,
)
def test_what_python_can_tell_to_be_wrong_is_refused(
    options: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        restway.Request.path("GET", "x", **options)


def test_an_unknown_method_is_a_usage_error() -> None:
    with pytest.raises(restway.UsageError):
        restway.Request.path("BREW TEA", "x")
    with pytest.raises(TypeError):
        restway.Request.object("GET", "enterprises/12")  # type: ignore[arg-type]


def test_a_phase_has_a_time_limit(client: restway.Client) -> None:
    limits = restway.Timeouts(first_byte=0.05, connect=math.inf)
    with pytest.raises(restway.TimedOutError, match="first-byte time limit of 50 ms"):
        client.get("bad/slow", params={"ms": 20_000}, timeout=limits)
    assert client.get("status", timeout=restway.Timeouts(total=20, idle=20)).status == 200

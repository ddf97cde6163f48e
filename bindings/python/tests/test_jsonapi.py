"""JSON:API as the format of a document, and HAL by key paths: the examples of docs/JSON-API.md."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

import restway

from .peer import Peer

PAGE = (Path(__file__).parents[3] / "docs" / "JSON-API.md").read_text("utf-8")


def blocks(section: str, language: str) -> list[str]:
    """The blocks of one language in the section JSON:API or HAL of the page."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


JSONAPI_DOCUMENT, JSONAPI_ANSWER, JSONAPI_BODY = map(json.loads, blocks("JSON:API", "json"))
HAL_DOCUMENT, HAL_ANSWER = map(json.loads, blocks("HAL", "json"))


def client_of(document: Any, peer: Peer, **options: Any) -> restway.Client:
    return restway.Client(restway.API.from_json(json.dumps(document)), base_url=peer.url, **options)


def printed(section: str, client: restway.Client) -> str:
    """Runs the program of a section, and returns what it prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(blocks(section, "python")[0], {"client": client})
    return output.getvalue()


def body_of(request: bytes) -> Any:
    return json.loads(request.split(b"\r\n\r\n", 1)[1])


@pytest.mark.parametrize("in_file", [False, True])
def test_the_program_of_the_page_prints_what_the_page_says(
    peer: Peer, tmp_path: Path, in_file: bool
) -> None:
    path = str(tmp_path / "objects.db") if in_file else None
    with client_of(JSONAPI_DOCUMENT, peer, store_path=path) as client:
        peer.respond(json.dumps(JSONAPI_ANSWER).encode(), "application/vnd.api+json")
        assert printed("JSON:API", client) == blocks("JSON:API", "text")[0]
        head, patch = (request.lower() for request in peer.requests)
        assert head.startswith(b"get /articles?include=author%2ccomments ")
        assert b"\r\naccept: application/vnd.api+json, application/json;q=0.9\r\n" in head
        assert b"\r\ncontent-type: application/vnd.api+json\r\n" in patch
        assert body_of(peer.requests[1]) == JSONAPI_BODY
        assert len(client.store.query("Comment").unloaded(None)) == 2


def test_what_an_answer_includes_is_no_object_of_the_response(peer: Peer) -> None:
    with client_of(JSONAPI_DOCUMENT, peer) as client:
        response = client.map("Article", json.dumps(JSONAPI_ANSWER).encode())
        assert [item.entity for item in response.objects] == ["Article"]
        person = client.store.find("Person", "9")
        assert person is not None and person.name == "Dan"


def test_a_new_draft_links_by_type_and_identity(peer: Peer) -> None:
    with client_of(JSONAPI_DOCUMENT, peer) as client:
        client.map("Article", json.dumps(JSONAPI_ANSWER).encode())
        draft = client.draft("Article", title="New", author=client.store.find("Person", "9"))
        created = {"data": {"type": "articles", "id": "2", "attributes": {"title": "New"}}}
        peer.respond(json.dumps(created).encode(), "application/vnd.api+json", 201)
        assert [article.id for article in client.post(draft).objects] == [2]
        assert body_of(peer.requests[0]) == {
            "data": {
                "type": "articles",
                "attributes": {"title": "New"},
                "relationships": {"author": {"data": {"type": "people", "id": "9"}}},
            }
        }


def test_the_problems_of_a_failure_are_details(peer: Peer) -> None:
    problem = {"detail": "is blank", "source": {"pointer": "/data/attributes/title"}}
    with client_of(JSONAPI_DOCUMENT, peer) as client:
        peer.respond(json.dumps({"errors": [problem]}).encode(), status=422)
        with pytest.raises(restway.UnprocessableError) as caught:
            client.route("articles")
        assert [(item.path, item.message) for item in caught.value.details] == [
            ("title", "is blank")
        ]


@pytest.mark.parametrize("rules", [("Article", None), (None, "articles")])
def test_a_mapped_body_that_has_only_errors_is_the_error_of_the_api(
    peer: Peer, rules: tuple[str | None, str | None]
) -> None:
    problem = {"status": "404", "code": "gone", "title": "Gone", "detail": "No article 7"}
    body = json.dumps({"errors": [problem]}).encode()
    with client_of(JSONAPI_DOCUMENT, peer) as client:
        with pytest.raises(restway.NotFoundError, match="No article 7") as caught:
            client.map(rules[0], body, route=rules[1])
        assert (caught.value.api_code, caught.value.api_message) == ("gone", "No article 7")
        with pytest.raises(restway.MappingError, match="nothing at data"):
            client.map("Article", b'{"errors": []}')
        assert list(client.map(None, b'{"data": []}', route="articles").objects) == []


@pytest.mark.parametrize("in_file", [False, True])
def test_observers_hear_of_links_that_a_relationship_endpoint_changes(
    peer: Peer, tmp_path: Path, in_file: bool
) -> None:
    document = json.loads(json.dumps(JSONAPI_DOCUMENT))
    document["routes"]["comments"] = {
        "method": ["GET", "POST", "PATCH", "DELETE"],
        "path": "articles/:id/relationships/comments",
        "entity": "Article",
        "relationship": "comments",
    }
    path = str(tmp_path / "objects.db") if in_file else None
    links = {"data": [{"type": "comments", "id": "5"}]}
    seen: list[restway.Changes] = []
    with client_of(document, peer, store_path=path, delivery="process") as client:
        article = client.map("Article", json.dumps(JSONAPI_ANSWER).encode()).objects[0]
        client.observe(seen.append, "Article")
        for method, expected in [("DELETE", ["12"]), ("POST", ["12", "5"])]:
            peer.respond(b"", status=204)
            response = client.route("comments", method=method, variables={"id": 1}, json=links)
            assert list(response.objects) == []
            newest = client.store.newest(article)
            assert newest is not None
            assert [comment.id for comment in newest.comments] == expected
            assert b"\r\ncontent-type: application/vnd.api+json\r\n" in peer.requests[-1].lower()
            assert body_of(peer.requests[-1]) == links
        assert len(client.store.query("Comment").unloaded(None)) == 2
        comment = client.store.find("Comment", "5")
        draft = client.draft(article, title="Not sent", comments=[comment])
        client.perform(restway.Request.route("comments", "PATCH").about(draft))
        assert peer.requests[-1].startswith(b"PATCH /articles/1/relationships/comments ")
        assert body_of(peer.requests[-1]) == {"data": [{"type": "comments", "id": "5"}]}
        newest = client.store.newest(article)
        assert newest is not None and newest.title == article.title
        assert [comment.id for comment in newest.comments] == ["5"]
        with pytest.raises(restway.UsageError, match='a DELETE of the relationship "comments"'):
            client.perform(restway.Request.route("comments", "DELETE").about(article))
        client.process()
    assert [changes[0].relationships for changes in seen] == [("comments",)] * 3


def test_pages_follow_links_next(peer: Peer) -> None:
    second = {"data": [{"type": "articles", "id": "2"}], "links": {}}
    first = {**JSONAPI_ANSWER, "links": {"next": "/articles?page=2"}}
    with client_of(JSONAPI_DOCUMENT, peer) as client:
        peer.respond(json.dumps(first).encode(), "application/vnd.api+json")
        pages = iter(client.pages("articles").pages)
        found = [article.id for article in next(pages).objects]
        peer.respond(json.dumps(second).encode(), "application/vnd.api+json")
        found += [article.id for page in pages for article in page.objects]
        assert found == [1, 2]
        assert peer.requests[1].startswith(b"GET /articles?page=2 ")


def test_hal_needs_key_paths_alone(peer: Peer) -> None:
    with client_of(HAL_DOCUMENT, peer) as client:
        last = {"_embedded": {"orders": []}, "total": 2}
        asked = 0

        def answer() -> None:
            nonlocal asked
            asked += 1
            body = HAL_ANSWER if asked == 1 else last
            peer.respond(json.dumps(body).encode(), "application/hal+json")

        peer.heard = answer
        assert printed("HAL", client) == blocks("HAL", "text")[0]
        assert peer.requests[1].startswith(b"GET /orders?page=2 ")
        assert b"\r\nAccept: application/hal+json\r\n" in peer.requests[0]

"""API documents are loaded, checked, and built by functions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import restway

from .conftest import DOCUMENT, MakeClient
from .peer import Peer

ENTITY = {"identity": "id", "attributes": {"id": {"source": "id", "type": "int"}, "name": "name"}}


def test_a_document_loads_from_a_file_text_bytes_and_mapping(demo_document: dict[str, Any]) -> None:
    text = json.dumps(demo_document)
    for api in (
        restway.API.load(DOCUMENT),
        restway.API.load(str(DOCUMENT)),
        restway.API.from_json(text),
        restway.API.from_json(text.encode()),
        restway.API.from_json(demo_document),
    ):
        assert api.route_property("enterprises", "x-none") is None


def test_the_demo_document_has_no_problems(demo_document: dict[str, Any]) -> None:
    assert restway.API.check(demo_document) == []


def test_twenty_problems_are_reported_at_once_each_with_its_path() -> None:
    routes = {f"r{number}": {"method": "GET", "path": "x", "wrong": 1} for number in range(10)}
    entities = {f"E{number}": {"attributes": {}, "wrong": 1} for number in range(10)}
    document = {"restway": 1, "routes": routes, "entities": entities}
    problems = restway.API.check(document)
    expected = {f"$.routes.{name}.wrong" for name in routes}
    expected |= {f"$.entities.{name}.wrong" for name in entities}
    assert {problem.path for problem in problems} == expected
    assert len(problems) == 20
    assert all("wrong" in problem.path and problem.message for problem in problems)
    with pytest.raises(restway.ConfigError) as caught:
        restway.API.from_json(document)
    assert caught.value.details == problems
    assert caught.value.status == restway.Status.CONFIG
    assert caught.value.domain == restway.Domain.CONFIG
    assert all(problem.path in str(caught.value) for problem in problems)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"restway": 1', b"\xff\xfe", "[" * 100_000]
)
def test_what_is_no_document_is_a_config_or_usage_error(text: str | bytes) -> None:
    with pytest.raises((restway.ConfigError, restway.UsageError)):
        restway.API.from_json(text)


def test_a_file_that_is_not_there_is_a_file_error(tmp_path: Path) -> None:
    with pytest.raises(restway.FileError):
        restway.API.load(tmp_path / "none.json")


def test_a_name_with_a_nul_is_refused_before_the_library() -> None:
    api = restway.API.empty()
    with pytest.raises(ValueError, match="NUL"):
        api.add_route("a\0b", {"method": "GET", "path": "x"})


def test_entities_routes_and_responses_can_be_added() -> None:
    api = restway.API.empty()
    api.add_entity("Thing", ENTITY)
    api.add_route("things", {"method": "GET", "path": "things", "x-note": {"a": [1, None]}})
    api.add_route(None, json.dumps({"method": "GET", "path": "things/:id", "entity": "Thing"}))
    api.add_response({"method": "GET", "path": "things", "entity": "Thing"})
    assert api.route_property("things", "x-note") == {"a": [1, None]}
    assert api.route_property("things", "x-other") is None


def test_adding_an_equal_thing_twice_is_a_duplicate_error() -> None:
    api = restway.API.empty()
    api.add_entity("Thing", ENTITY)
    with pytest.raises(restway.DuplicateError):
        api.add_entity("Thing", ENTITY)
    api.add_route("things", {"method": "GET", "path": "things"})
    with pytest.raises(restway.DuplicateError):
        api.add_route("things", {"method": "GET", "path": "things"})


def test_a_wrong_definition_adds_nothing() -> None:
    api = restway.API.empty()
    with pytest.raises(restway.ConfigError):
        api.add_entity("Thing", {**ENTITY, "wrong": 1})
    api.add_entity("Thing", ENTITY)


def test_an_api_in_use_takes_routes_but_no_entities(make_client: MakeClient) -> None:
    with make_client() as client:
        client.api.add_route("later", {"method": "GET", "path": "status"})
        assert client.route("later").json()["status"] == "ok"
        with pytest.raises(restway.FrozenError):
            client.api.add_entity("Thing", ENTITY)
        with pytest.raises(restway.FrozenError):
            client.api.add_response({"method": "GET", "path": "x", "entity": "Person"})


def test_joined_routes_have_the_path_of_both(make_client: MakeClient) -> None:
    with make_client() as client:
        client.api.add_route("tail", {"method": "GET", "path": "tail/:n"})
        client.api.add_route("head", {"method": "GET", "path": "echo/:id"})
        client.api.join_routes("both", "head", "tail")
        echo = client.route("both", variables={"id": 7, "n": "x y"}).json()
        assert echo["path"].endswith("/echo/7/tail/x%20y")


def test_names_that_nobody_has_are_errors_that_say_so() -> None:
    api = restway.API.empty()
    with pytest.raises(restway.UnknownRouteError, match="nobody"):
        api.route_property("nobody", "x-a")
    with pytest.raises(restway.UnknownRouteError):
        api.join_routes("new", "nobody", "noone")


def test_a_closed_api_says_so_but_serves_its_clients(make_client: MakeClient) -> None:
    with make_client() as client:
        client.api.close()
        assert client.get("status").status == 200
        with pytest.raises(restway.UsageError, match="closed"):
            client.api.add_route("x", {"method": "GET", "path": "x"})


def test_a_route_is_replaced_only_when_that_is_asked_for(peer: Peer) -> None:
    api = restway.API.empty()
    api.add_entity("Thing", ENTITY)
    api.add_route("thing", {"path": "old/:id", "response": {"entity": "Thing"}})
    with pytest.raises(restway.DuplicateError) as caught:
        api.add_route("thing", {"path": "new/:id"})
    assert caught.value.domain == restway.Domain.CONFIG
    api.add_route("thing", {"path": "new/:id", "x-new": True}, replace=True)
    assert api.route_property("thing", "x-new") is True
    with pytest.raises(restway.ConfigError):
        api.add_route("thing", {"path": 1}, replace=True)
    peer.respond(b"{}")
    with restway.Client(api, base_url=peer.url, timeout=30.0) as client:
        client.route("thing", variables={"id": 1})
        client.api.add_route("tail", {"path": "tail"})
        client.api.join_routes("thing", "thing", "tail", replace=True)
        client.route("thing", variables={"id": 2})
    assert [request.split(b" ")[1] for request in peer.requests] == [b"/new/1", b"/new/2/tail"]


def test_only_descriptors_of_the_most_specific_path_apply(peer: Peer) -> None:
    api = restway.API.from_json(
        {
            "restway": 1,
            "entities": {
                "Issue": {"identity": "id", "attributes": {"id": {}, "text": {}}},
                "Comment": {"identity": "id", "attributes": {"id": {}, "text": {}}},
            },
            "routes": {
                "issue": {"path": "issues/{number}", "response": {"entity": "Issue"}},
                "comments": {"path": "issues/comments", "response": {"entity": "Comment"}},
            },
        }
    )
    with restway.Client(api, base_url=peer.url, timeout=30.0) as client:
        peer.respond(b'{"id": 1, "text": "issue"}')
        issue = client.route("issue", variables={"number": 1}).objects[0]
        peer.respond(b'{"id": 1, "text": "comment"}')
        for response in (client.route("comments"), client.get("issues/comments")):
            assert [found.entity for found in response.objects] == ["Comment"]
        newest = client.store.find("Issue", 1)
        assert newest is not None
        assert (issue["text"], newest["text"]) == ("issue", "issue")


def test_paths_that_overlap_undecided_are_a_problem() -> None:
    problems = restway.API.check(
        {
            "restway": 1,
            "routes": {"a": {"path": "f/{n}.json"}, "b": {"path": "f/report-{id}"}},
        }
    )
    assert [problem.path for problem in problems] == ["$.routes.b"]
    assert "f/{n}.json" in problems[0].message and "f/report-{id}" in problems[0].message


def test_a_source_is_a_key_path_or_a_list_of_keys(peer: Peer) -> None:
    api = restway.API.empty()
    api.add_entity("Thing", {"attributes": {"listed": ["a.b"], "nested": "a.b", "c.d": {}}})
    api.add_attribute("Thing", "size", source=["data", "size.cm"], type="int")
    api.add_relationship("Thing", "parts", "Thing", source=["p.p"], many=True)
    with pytest.raises(restway.ConfigError):
        api.add_attribute("Thing", "none", source=[], type="int")
    api.add_response({"path": "thing", "entity": "Thing"})
    peer.respond(
        b'{"a.b": 1, "a": {"b": 2}, "c.d": 3, "data": {"size.cm": 4}, "p.p": [{"c.d": 5}]}'
    )
    with restway.Client(api, base_url=peer.url, timeout=30.0) as client:
        thing = client.get("thing").objects[0]
        assert [thing[name] for name in ("listed", "nested", "c.d", "size")] == [1, 2, 3, 4]
        assert [part["c.d"] for part in thing.related("parts")] == [5]


def test_an_issue_of_the_whole_body_reads_as_a_sentence(peer: Peer) -> None:
    api = restway.API.empty()
    api.add_entity("Thing", ENTITY)
    api.add_response({"path": "thing", "entity": "Thing"})
    peer.respond(b"5")
    with (
        restway.Client(api, base_url=peer.url, timeout=30.0, strict_mapping=True) as client,
        pytest.raises(restway.MappingError, match="does not map: expected an object"),
    ):
        client.get("thing")

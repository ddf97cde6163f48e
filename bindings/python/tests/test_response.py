"""Responses of the demo API and of a server in this process."""

from __future__ import annotations

import gc
import json

import pytest

import restway

from .peer import Peer
from .test_object import THINGS


def test_a_list_becomes_objects_in_its_order(client: restway.Client) -> None:
    response = client.get("enterprises", params={"per_page": 5})
    assert response.is_mapped
    assert len(response.objects) == 5
    names = [row["name"] for row in response.json()["array_of_enterprises"]]
    assert [item.name for item in response.objects] == names
    assert response.object == response.objects[0]
    assert response.objects[-1] == response.objects[4]
    assert list(response.objects[1:3]) == [response.objects[1], response.objects[2]]
    with pytest.raises(IndexError):
        response.objects[5]
    assert response.issues == [] and response.issue_count == 0


def test_the_first_object_comes_with_its_values(client: restway.Client) -> None:
    response = client.get("enterprises", params={"per_page": 5})
    before = response.object  # its entity's attributes have not been read yet
    listed = response.objects[0].attributes()
    after = response.object
    assert before is not None and after is not None and before == after
    assert before.attributes() == after.attributes() == listed
    assert after.entity == "Enterprise" and list(after) == list(before)
    other = client.get("enterprises/2").object
    assert other is not None and other.attributes()["name"] != listed["name"]
    response.close()
    assert after.attributes() == listed  # the values belong to the object


def test_an_object_with_more_attributes_than_come_at_once_is_read_whole(peer: Peer) -> None:
    names = [f"a{number}" for number in range(100)]
    wide = {"attributes": {name: name for name in names}}
    routes = {"wide": {"method": "GET", "path": "wide", "response": {"entity": "Wide"}}}
    document = {**THINGS, "entities": {"Wide": wide}, "routes": routes}
    body = json.dumps({name: number for number, name in enumerate(names)}).encode()
    peer.respond(body)
    with restway.Client(restway.API.from_json(document), base_url=peer.url) as client:
        for _ in range(2):
            item = client.get("wide").object
            assert item is not None
            assert list(item.attributes().values()) == list(range(100))


def test_every_descriptor_has_its_own_result(client: restway.Client) -> None:
    response = client.get("enterprises/12/chiefs")
    assert len(response.results) == 1
    assert list(response.results[0]) == list(response.objects)
    assert all(item.entity == "Employee" for item in response.objects)


def test_nothing_matched_differs_from_nothing_found(client: restway.Client) -> None:
    unmatched = client.get("status")
    assert not unmatched.is_mapped and unmatched.object is None and unmatched.results == []
    empty = client.get("enterprises", params={"city": "Nowhere at all"})
    assert empty.is_mapped and len(empty.objects) == 0 and empty.object is None


def test_status_url_headers_and_body_are_those_of_the_answer(
    client: restway.Client, demo_url: str
) -> None:
    response = client.get("status")
    assert response.status == 200
    assert response.url == f"{demo_url}/status"
    assert response.headers["content-type"].startswith("application/json")
    assert response.body == response.text.encode()
    assert response.json()["status"] == "ok"
    assert repr(response) == f"<Response 200 {demo_url}/status (0 objects)>"


def test_repr_keeps_the_query_to_itself(client: restway.Client) -> None:
    assert "secret" not in repr(client.get("status", params={"token": "secret"}))


def test_the_url_is_the_last_one_after_redirects(client: restway.Client, demo_url: str) -> None:
    assert client.get("redirect/3").url == f"{demo_url}/status"


def test_the_location_is_relative_to_the_url_that_answered(
    client: restway.Client, demo_url: str
) -> None:
    made = client.post("enterprises", json={"name": "Job Ltd."})
    assert made.headers["Location"].startswith("/v2/enterprises/")
    assert made.location is not None
    assert made.location.startswith(f"{demo_url}/enterprises/")
    assert client.get(made.location).status == 200
    assert client.delete(made.location).location is None


def test_text_follows_the_charset_and_replaces_what_does_not_fit(peer: Peer) -> None:
    with restway.Client(restway.API.empty(), base_url=peer.url) as client:
        peer.respond("città".encode("latin-1"), "text/plain; Charset=ISO-8859-1")
        assert client.get("x").text == "città"
        peer.respond(b"a\xffb", "text/plain")
        assert client.get("x").text == "a\ufffdb"
        peer.respond(b"abc", "text/plain; charset=none-such")
        assert client.get("x").text == "abc"


def test_json_of_something_else_is_a_mapping_error(peer: Peer) -> None:
    with restway.Client(restway.API.empty(), base_url=peer.url) as client:
        peer.respond(b"<html>", "text/html")
        with pytest.raises(restway.MappingError) as caught:
            client.get("x").json()
        assert caught.value.response is not None and caught.value.response.text == "<html>"


def test_values_that_do_not_fit_are_issues_with_their_key_path(peer: Peer) -> None:
    peer.respond(b'[{"id": 1, "at": "never"}, {"id": 2, "on": {}}, 7]')
    with restway.Client(restway.API.from_json(THINGS), base_url=peer.url) as client:
        response = client.get("things")
    assert [item.identity for item in response.objects] == [1, 2]
    assert response.issue_count == len(response.issues) == 3
    assert [issue.key_path for issue in response.issues] == ["[0].at", "[1].on", "[2]"]
    assert all(issue.reason for issue in response.issues)


def test_issues_beyond_a_hundred_are_counted_not_kept(peer: Peer) -> None:
    rows = b",".join(b'{"id": %d, "on": "x y"}' % number for number in range(150))
    peer.respond(b"[" + rows + b"]")
    with restway.Client(restway.API.from_json(THINGS), base_url=peer.url) as client:
        response = client.get("things")
    assert response.issue_count == 150
    assert len(response.issues) == 100


def test_a_closed_response_refuses_but_its_objects_stay(client: restway.Client) -> None:
    with client.get("enterprises", params={"per_page": 2}) as response:
        objects = response.objects
    with pytest.raises(restway.UsageError, match="closed"):
        _ = response.status
    response.close()
    assert repr(response) == "<Response, closed>"
    assert objects[0].name


def test_a_response_with_many_objects_holds_one_handle_until_they_are_asked_for(
    client: restway.Client,
) -> None:
    client.get("enterprises")  # it keeps the request alive, which is not counted here
    gc.collect()
    before = restway.debug_live_handles()
    response = client.get("enterprises")
    assert len(response.objects) >= 250
    gc.collect()
    assert restway.debug_live_handles() == before + 1

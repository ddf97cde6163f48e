"""How parameters, objects and drafts are written: into JSON, forms or the query; accepted answers.
"""

from __future__ import annotations

import email
import json
from datetime import datetime, timezone
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

import restway

from .peer import Peer

NESTED: dict[str, Any] = {
    "amount": 2000,
    "live": True,
    "rate": 0.5,
    "note": "a b&c",
    "none": None,
    "metadata": {"order": 7, "deep": {"er": "x"}},
    "tags": ["a", "b"],
    "items": [{"price": "p1", "count": 1}, {"price": "p2"}],
    "nothing": [],
}


def api(**sections: Any) -> restway.API:
    return restway.API.from_json(
        {
            "restway": 1,
            "entities": {
                "Charge": {
                    "identity": "id",
                    "attributes": {
                        "id": {"type": "int"},
                        "name": "owner.name",
                        "at": {"type": "date", "format": "yyyy-MM-dd"},
                        "paid": {"type": "bool", "transform": "boolWords"},
                    },
                }
            },
            **sections,
        }
    )


def head_and_body(peer: Peer) -> tuple[str, dict[str, str], bytes]:
    """Returns the target, the headers and the body of the last request."""
    head, _, body = peer.requests[-1].partition(b"\r\n\r\n")
    line, *fields = head.decode().split("\r\n")
    headers = {}
    for field in fields:
        name, _, value = field.partition(": ")
        headers[name.lower()] = value
    return line.split(" ")[1], headers, body


def parts_of(peer: Peer) -> list[Any]:
    """Returns the parts of the multipart body of the last request, as a mail parser reads them."""
    _, headers, body = head_and_body(peer)
    message = email.message_from_bytes(
        b"Content-Type: " + headers["content-type"].encode() + b"\r\n\r\n" + body
    )
    assert message.is_multipart()
    assert len(body) == int(headers["content-length"])
    return list(message.get_payload())


def client_of(peer: Peer, **sections: Any) -> restway.Client:
    peer.respond(b"{}")
    return restway.Client(api(**sections), base_url=peer.url, timeout=30)


def test_a_stripe_like_api_needs_only_its_document(peer: Peer) -> None:
    document = {
        "forms": {"lists": "indices"},
        "routes": {
            "charge": {
                "method": "POST", "path": "v1/charges", "serializationName": "url",
                "entity": "Charge", "response": {"entity": "Charge"},
            },
            "charges": {"path": "v1/charges"},
        },
    }
    with client_of(peer, **document) as client:
        peer.respond(b'{"id": 9, "owner": {"name": "Ann"}}')
        response = client.route("charge", params=NESTED)
        assert response.object is not None and response.object.name == "Ann"
        target, headers, body = head_and_body(peer)
        assert (target, headers["content-type"]) == (
            "/v1/charges", "application/x-www-form-urlencoded",
        )
        assert headers["content-length"] == str(len(body))
        assert parse_qsl(body.decode(), strict_parsing=True) == [
            ("amount", "2000"), ("live", "true"), ("rate", "0.5"), ("note", "a b&c"),
            ("metadata[order]", "7"), ("metadata[deep][er]", "x"),
            ("tags[0]", "a"), ("tags[1]", "b"),
            ("items[0][price]", "p1"), ("items[0][count]", "1"), ("items[1][price]", "p2"),
        ]
        assert b"note=a+b%26c" in body
        client.route("charges", params={"created": {"gte": 5}, "expand": ["a", "b"]})
        query = urlsplit(head_and_body(peer)[0]).query
        assert parse_qsl(query) == [
            ("created[gte]", "5"), ("expand[0]", "a"), ("expand[1]", "b"),
        ]


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        ({}, ["a[b][]=1", "a[b][]=2", "c[][d]=3"]),
        ({"lists": "repeat"}, ["a[b]=1", "a[b]=2", "c[d]=3"]),
        ({"nesting": "dots"}, ["a.b[]=1", "a.b[]=2", "c[].d=3"]),
        ({"lists": "indices", "nesting": "dots"}, ["a.b[0]=1", "a.b[1]=2", "c[0].d=3"]),
        ({"lists": "repeat", "nesting": "dots"}, ["a.b=1", "a.b=2", "c.d=3"]),
    ],
)
def test_forms_says_how_nested_values_are_flattened(
    peer: Peer, forms: dict[str, str], expected: list[str]
) -> None:
    params = {"a": {"b": [1, 2]}, "c": [{"d": 3}]}
    route = {"method": "POST", "path": "x", "serializationName": "url"}
    with client_of(peer, forms=forms, routes={"x": route}) as client:
        client.route("x", params=params)
        pairs = parse_qsl(head_and_body(peer)[2].decode())
        assert [f"{name}={value}" for name, value in pairs] == expected
    # A route replaces the keys of the document.
    other = {"lists": "brackets", "nesting": "brackets"}
    with client_of(peer, forms=other, routes={"x": {**route, "forms": forms}}) as client:
        client.route("x", params=params)
        pairs = parse_qsl(head_and_body(peer)[2].decode())
        assert [f"{name}={value}" for name, value in pairs] == expected


def test_a_query_flattens_objects_and_repeats_the_names_of_lists(peer: Peer) -> None:
    with client_of(peer) as client:
        client.get("x", params={"f": {"a": 1, "n": None}, "l": [1, 2], "d.e": "dots stay"})
        query = urlsplit(head_and_body(peer)[0]).query
        assert parse_qsl(query) == [
            ("f[a]", "1"), ("l", "1"), ("l", "2"), ("d.e", "dots stay"),
        ]


def test_a_multipart_form_has_a_part_for_each_value_and_an_empty_one_for_null(peer: Peer) -> None:
    with client_of(peer) as client:
        client.post("x", params=NESTED, serialization="form")
        parts = parts_of(peer)
        found = [
            (part.get_param("name", header="content-disposition"), part.get_payload())
            for part in parts
        ]
        assert found == [
            ("amount", "2000"), ("live", "true"), ("rate", "0.5"), ("note", "a b&c"),
            ("none", ""), ("metadata[order]", "7"), ("metadata[deep][er]", "x"),
            ("tags[]", "a"), ("tags[]", "b"),
            ("items[][price]", "p1"), ("items[][count]", "1"), ("items[][price]", "p2"),
        ]


def test_a_request_replaces_the_serialization_of_its_route(peer: Peer) -> None:
    routes = {
        f"r{number}": {"method": "POST", "path": "x", "serialization": number}
        for number in range(4)
    }
    with client_of(peer, routes=routes) as client:
        types = []
        for name in routes:
            client.route(name, params={"a": {"b": 1}})
            target, headers, body = head_and_body(peer)
            types.append(headers.get("content-type", "").partition(";")[0])
        assert types == [
            "application/json", "application/x-www-form-urlencoded", "multipart/form-data", "",
        ]
        assert (target, headers["content-length"], body) == ("/x?a%5Bb%5D=1", "0", b"")
        client.route("r3", params={"a": 1}, serialization="json")
        assert json.loads(head_and_body(peer)[2]) == {"a": 1}
        with pytest.raises(ValueError, match="xml"):
            client.route("r3", serialization="xml")  # type: ignore[call-overload]
        with pytest.raises(restway.UsageError, match="Content-Type"):
            client.route("r1", params={"a": 1}, headers={"Content-Type": "text/plain"})
        with pytest.raises(restway.UsageError, match="Content-Type of its own"):
            client.route("r2", params={"a": 1}, headers={"Content-Type": "multipart/form-data"})


@pytest.mark.parametrize("kind", ["url", "form", "none"])
def test_drafts_are_written_in_every_serialization(peer: Peer, kind: Any) -> None:
    routes = {
        "charge": {
            "method": ["POST", "PATCH"], "path": "charges", "entity": "Charge",
            "serializationName": kind, "parameters": {"source": "default", "kind": "draft"},
            "request": {"changedOnly": True, "keyPath": "charge"},
        }
    }
    with client_of(peer, routes=routes) as client:
        draft = client.draft("Charge")
        draft.name = "Ann"
        draft.at = datetime(2024, 2, 29, tzinfo=timezone.utc)
        draft.paid = True
        client.perform(
            restway.Request.route("charge", "POST", params={"kind": "mine"}).about(draft)
        )
        if kind == "form":
            found = [
                (part.get_param("name", header="content-disposition"), part.get_payload())
                for part in parts_of(peer)
            ]
        else:
            target, _, body = head_and_body(peer)
            found = parse_qsl(urlsplit(target).query if kind == "none" else body.decode())
        assert sorted(found) == sorted(
            [
                ("source", "default"), ("kind", "mine"), ("charge[owner][name]", "Ann"),
                ("charge[at]", "2024-02-29"), ("charge[paid]", "true"),
            ]
        )


@pytest.mark.parametrize("kind", ["json", "url", "form", "none"])
def test_changes_exclusions_and_transforms_count_in_every_serialization(
    peer: Peer, kind: Any
) -> None:
    document = restway.API.from_json(
        {
            "restway": 1,
            "entities": {
                "Tag": {"identity": "id", "attributes": {"id": {"type": "int"}}},
                "Note": {
                    "identity": "id",
                    "attributes": {
                        "id": {"type": "int"}, "kept": {}, "text": {"transform": "shout"},
                        "done": {
                            "type": "bool",
                            "transform": {"name": "boolWords", "true": "Y", "false": "N"},
                        },
                        "gone": {},
                    },
                    "relationships": {
                        "tags": {"entity": "Tag", "many": True}, "hidden": {"entity": "Tag"},
                        "secret": {"entity": "Tag"},
                    },
                },
            },
            "routes": {
                "note": {"path": "notes/:id", "response": {"entity": "Note"}},
                "change": {
                    "method": "PATCH", "path": "notes/:id", "serializationName": kind,
                    "request": {"entity": "Note", "changedOnly": True, "exclude": ["hidden"]},
                },
                "replace": {
                    "method": "PUT", "path": "notes/:id", "serializationName": kind,
                    "request": {"entity": "Note", "nulls": "omit", "exclude": ["hidden"]},
                },
            },
        }
    )
    document.add_transform("shout", decode=str.lower, encode=str.upper)

    def written() -> list[tuple[Any, Any]]:
        target, _, body = head_and_body(peer)
        if kind == "json":
            return sorted(json.loads(body).items())
        if kind == "form":
            return sorted(
                (part.get_param("name", header="content-disposition"), part.get_payload())
                for part in parts_of(peer)
            )
        text = urlsplit(target).query if kind == "none" else body.decode()
        return sorted(parse_qsl(text, keep_blank_values=True))

    with restway.Client(document, base_url=peer.url, timeout=30) as client:
        client.set_exclusion(lambda method, path, entity, relationship: relationship == "secret")
        note = {
            "id": 5, "kept": "k", "text": "A", "done": "N", "gone": "g", "tags": [{"id": 1}],
            "hidden": {"id": 2}, "secret": {"id": 3},
        }
        peer.respond(json.dumps(note).encode())
        read = client.route("note", variables={"id": 5}).object
        assert read is not None and (read["text"], read["done"]) == ("a", False)
        draft = client.draft(read, text="b", done=True, gone=None)
        draft.hidden = draft.secret = None
        peer.respond(b"{}")
        client.perform(restway.Request.route("change", "PATCH").about(draft))
        changed: list[tuple[str, Any]] = [("done", "Y"), ("text", "B")]
        if kind in ("json", "form"):
            changed.insert(1, ("gone", None if kind == "json" else ""))
        assert written() == changed
        client.perform(restway.Request.route("replace", "PUT").about(draft))
        names = {"url": "tags[][id]", "form": "tags[][id]", "none": "tags[id]"}
        tags: list[tuple[str, Any]]
        tags = [("tags", [{"id": 1}])] if kind == "json" else [(names[kind], "1")]
        identity = 5 if kind == "json" else "5"
        assert written() == [
            ("done", "Y"), ("id", identity), ("kept", "k"), *tags, ("text", "B"),
        ]


def test_a_route_says_what_it_accepts(peer: Peer) -> None:
    routes = {
        "photo": {"path": "photo", "accept": "image/*"},
        "odd": {
            "path": "odd", "accept": ["application/x-odd", "text/csv"],
            "response": {"entity": "Charge"},
        },
    }
    with client_of(peer, routes=routes) as client:
        peer.respond(b"\x89PNG", "image/png")
        assert client.route("photo").body == b"\x89PNG"
        assert head_and_body(peer)[1]["accept"] == "image/*"
        peer.respond(b"<html>", "text/html; charset=utf-8")
        expected = r"expected image/\*, the server sent text/html"
        with pytest.raises(restway.MappingError, match=expected) as caught:
            client.route("photo")
        assert caught.value.http_status == 200
        # A type that no mapper reads is read as JSON if the route names it.
        peer.respond(b' {"id": 4}', "application/x-odd")
        charge = client.route("odd").object
        assert charge is not None and charge["id"] == 4
        assert head_and_body(peer)[1]["accept"] == "application/x-odd, text/csv"
        # A failure has its own body.
        peer.respond(b"<html>", "text/html", 404)
        with pytest.raises(restway.HTTPStatusError, match="404"):
            client.route("photo")

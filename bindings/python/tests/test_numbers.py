"""Numbers keep their digits, and bodies that break rules are read as far as they can be."""

from __future__ import annotations

import dataclasses
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pytest

import restway

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "errors": {"message": "message"},
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Price": {
            "identity": "id",
            "attributes": {
                "id": {"type": "int"},
                "double": {"type": "double"},
                "digits": {"type": "string", "transform": "numberText"},
                "list": {"type": ["string"], "transform": "numberText"},
                "json": {"type": "json"},
                "at": {"type": "date"},
                "day": {"type": "date", "format": "yyyy-MM-dd"},
                "text": {"type": "string"},
            },
        }
    },
    "routes": {
        "price": {
            "path": "price",
            "method": ["GET", "POST"],
            "entity": "Price",
            "response": {"entity": "Price"},
        },
        "form": {"path": "form", "method": "POST", "serializationName": "url"},
        "pages": {
            "path": "pages",
            "response": {"entity": "Price", "keyPath": "items"},
            "pages": {"offset": "offset", "total": "total", "start": "start"},
        },
        "cursors": {
            "path": "cursors",
            "response": {"entity": "Price", "keyPath": "items"},
            "pages": {"cursor": "next", "parameter": "after"},
        },
    },
}


@pytest.fixture(name="client")
def _client(peer: Peer) -> Any:
    peer.respond(b"{}", "application/json")
    api = restway.API.from_json(DOCUMENT)
    with restway.Client(api, base_url=peer.url, timeout=30) as client:
        yield client


@dataclasses.dataclass
class Price:
    id: int
    digits: Decimal | None = None
    at: datetime | None = None


def sent(peer: Peer) -> bytes:
    return peer.requests[-1]


@pytest.mark.parametrize(("number", "text"), [(0.1, b"0.1"), (19.99, b"19.99"), (1e-7, b"1e-7")])
def test_a_float_is_sent_with_the_shortest_text(
    client: restway.Client, peer: Peer, number: float, text: bytes
) -> None:
    client.post("price", params={"p": number})
    assert sent(peer).endswith(b'{"p":' + text + b"}")
    client.post(client.draft("Price", double=number, json={"p": [number]}))
    assert b'"double":' + text + b"," in sent(peer)
    assert b'{"p":[' + text + b"]}" in sent(peer)
    client.get("price", params={"p": number})
    assert b"?p=" + text + b" " in sent(peer)
    client.route("form", params={"p": number})
    assert sent(peer).endswith(b"\r\np=" + text)


def test_digits_arrive_and_are_sent_as_they_are(client: restway.Client, peer: Peer) -> None:
    digits = "12345678901234567.890"
    body = f'{{"id":1,"digits":{digits},"list":[1.10,2],"double":0.10}}'.encode()
    peer.respond(body, "application/json")
    price = client.get("price").object
    assert price is not None
    assert (price.digits, price.get("list"), price.double) == (digits, ["1.10", "2"], 0.1)
    assert client.get("price").into(Price).digits == Decimal(digits)
    client.post(client.draft("Price", digits=digits, list=["1.10", "100000000000000000000"]))
    assert b'"digits":' + digits.encode() in sent(peer)
    assert b'"list":[1.10,100000000000000000000]' in sent(peer)


def test_an_integer_beyond_64_bits_names_the_transform_that_keeps_it(
    client: restway.Client, peer: Peer
) -> None:
    peer.respond(b'{"id":18446744073709551615}', "application/json")
    (issue, *_) = client.get("price").issues
    assert issue.key_path == "id" and "numberText" in issue.reason
    with pytest.raises(ValueError, match="numberText"):
        client.draft("Price", id=2**63)


@pytest.mark.parametrize("total", [b"2", b"2.0", b'"2"', b"-1", b"null", b"18446744073709551615"])
def test_totals_of_any_form_are_read(client: restway.Client, peer: Peer, total: bytes) -> None:
    def answer() -> None:
        items = b'{"id":%d}' % len(peer.requests) if len(peer.requests) <= 2 else b""
        peer.respond(b'{"items":[%s],"total":%s}' % (items, total), "application/json")

    peer.heard = answer
    assert [price.id for price in client.pages("pages")] == [1, 2]


@pytest.mark.parametrize(
    ("start", "match"),
    [
        (b"18446744073709551615", "at most 2.63 - 1 at start"),
        (b"-1", "not negative at start"),
        (b"0.5", "whole number or null at start"),
        (b'"x"', "whole number or null at start"),
    ],
)
def test_a_number_that_is_none_names_its_key(
    client: restway.Client, peer: Peer, start: bytes, match: str
) -> None:
    peer.respond(b'{"items":[{"id":1}],"start":%s}' % start, "application/json")
    with pytest.raises(restway.MappingError, match=match) as raised:
        list(client.pages("pages"))
    assert raised.value.field == "start"


@pytest.mark.parametrize("cursor", [b"2.0", b"18446744073709551615", b'"x"'])
def test_cursors_of_any_form_are_sent(client: restway.Client, peer: Peer, cursor: bytes) -> None:
    def answer() -> None:
        first = len(peer.requests) == 1
        body = b'{"items":[{"id":%d}],"next":%s}'
        peer.respond(body % (len(peer.requests), cursor if first else b"null"), "application/json")

    peer.heard = answer
    assert [price.id for price in client.pages("cursors")] == [1, 2]
    text = b"2" if cursor == b"2.0" else cursor.strip(b'"')
    assert b"?after=" + text + b" " in sent(peer)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0001-01-01T00:00:00+01:00", "0001-01-01T00:00:00+01:00"),
        ("9999-12-31T23:59:59-05:00", "9999-12-31T23:59:59-05:00"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59+00:00"),
        ("0000-01-01", None),
    ],
)
def test_a_date_beyond_python_does_not_take_the_others_away(
    client: restway.Client, peer: Peer, text: str, found: str | None
) -> None:
    body = b'[{"id":1,"at":"2024-01-01","list":[]},{"id":2,"at":"%s","day":"0000-01-01"}]'
    peer.respond(body % text.encode(), "application/json")
    response = client.get("price")
    expected = None if found is None else datetime.fromisoformat(found)
    assert [price.at for price in response.objects] == [
        datetime(2024, 1, 1, tzinfo=timezone.utc),
        expected,
    ]
    assert [row["at"] for row in response.to_dicts()][1] == expected
    assert response.into(list[Price])[1].at == expected
    assert list(response.objects.values("id", "at", "day"))[1] == (2, expected, None)
    paths = [issue.key_path for issue in response.issues]
    assert paths == (["[1].at", "[1].day"] if found is None else ["[1].day"])
    if found is not None:
        client.post(client.draft("Price", at=expected))
        written = found.replace("+00:00", "Z").encode()
        assert b'{"at":"' + written + b'"}' in sent(peer)


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("iso-8859-1", "Müller"),
        ("windows-1252", "5 €"),
        ("shift_jis", "日本"),
        ("utf-16le", "Muller"),
        ("utf-8", "Müller"),
    ],
)
def test_json_in_a_declared_charset_is_read(
    client: restway.Client, peer: Peer, charset: str, text: str
) -> None:
    body = f'{{"id":1,"text":"{text}","message":"{text}"}}'.encode(charset)
    peer.respond(body, f"application/json; charset={charset}")
    response = client.get("price")
    assert response.object is not None and response.object.text == text
    assert response.json()["text"] == text and response.text == body.decode(charset)
    assert client.get("elsewhere").json()["text"] == text
    peer.respond(body, f"application/json; charset={charset}", status=422)
    with pytest.raises(restway.HTTPStatusError, match=text):
        client.get("price")


@pytest.mark.parametrize("coding", ["utf-8", "none", "aws-chunked", "binary"])
def test_a_content_coding_that_is_none_is_passed_on(
    client: restway.Client, peer: Peer, coding: str
) -> None:
    peer.respond(b'{"id":1}', "application/json", headers={"Content-Encoding": coding})
    assert client.get("price").object is not None
    peer.respond(b"\x00\x01", "application/json", headers={"Content-Encoding": coding})
    with pytest.raises(restway.MappingError, match=f"content coding is unknown: {coding}"):
        client.get("price")
    body = b'{"message":"slow down"}'
    peer.respond(body, "application/json", status=429, headers={"Content-Encoding": coding})
    with pytest.raises(restway.HTTPStatusError, match="slow down"):
        client.get("price")


@pytest.mark.parametrize("text", [rb"x\ud83d", b"x\xe9", rb"x\udc00"])
def test_text_that_is_not_unicode_is_an_issue_where_it_is_read(
    client: restway.Client, peer: Peer, text: bytes
) -> None:
    peer.respond(b'[{"id":1,"raw":"%s"},{"id":2,"text":"b"}]' % text, "application/json")
    response = client.get("price")
    assert ([price.id for price in response.objects], len(response.issues)) == ([1, 2], 0)
    assert response.json()[1]["text"] == "b"
    peer.respond(b'[{"id":1,"text":"%s"},{"id":2,"text":"b"}]' % text, "application/json")
    response = client.get("price")
    assert [price.text for price in response.objects] == ["x\ufffd", "b"]
    assert [issue.key_path for issue in response.issues] == ["[0].text"]
    assert "Unicode" in response.issues[0].reason
    peer.respond(b'{"message":"%s"}' % text, "application/json", status=422)
    with pytest.raises(restway.HTTPStatusError, match="x\ufffd"):
        client.get("price")

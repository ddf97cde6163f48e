"""The mapper of MessagePack, against a server that uses Python's own library."""

from __future__ import annotations

import json
import math
import struct
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import restway
from msgpack_peer import EPOCH, TYPE, Peer, packed
from msgpack_things import INTEGERS, THINGS, client_of, received, refused, told
from tests import mapping_cases

# The same cases as for JSON


class _NotInMessagePack(Exception):
    """A value that MessagePack cannot represent."""


def _transcoded(text: str) -> bytes:
    """Returns a JSON body as MessagePack; a broken body stays broken."""

    def number(digits: str) -> int:
        if not -(2**63) <= int(digits) < 2**64:
            raise _NotInMessagePack
        return int(digits)

    def real(digits: str) -> float:
        if math.isinf(float(digits)):
            raise _NotInMessagePack
        return float(digits)

    if not text:
        return b""
    try:
        return packed(json.loads(text, parse_int=number, parse_float=real))
    except json.JSONDecodeError:
        return b"\xc1"


#: JSON:API is JSON, and its documents ask for nothing else.
CASES = [case for case in mapping_cases.CASES if case.name != "jsonapi"]


@pytest.mark.parametrize("store", mapping_cases.STORES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_maps_to_the_same_as_json(
    case: Path, store: str, peer: Peer, tmp_path: Path
) -> None:
    folders = [tmp_path / "json", tmp_path / "msgpack"]
    for folder in folders:
        folder.mkdir()
    documents = [mapping_cases.document_of(case, store, folder) for folder in folders]
    with client_of(documents[0], peer, "jansson") as one, client_of(documents[1], peer) as two:
        for exchange in mapping_cases.exchanges_of(case):
            text = exchange.text or ""
            ends = []
            for client in (one, two):
                body, media_type = text.encode(), "application/json"
                if client is two:
                    # Bodies that it cannot represent come as JSON, which the built-in mapper still
                    # reads.
                    with suppress(_NotInMessagePack):
                        body, media_type = _transcoded(text), TYPE
                peer.answer(body, media_type, exchange.status)
                ends.append(told(client, *exchange.request.split(" ", 1)))
            assert ends[0] == ends[1], exchange.about
            stores = [mapping_cases.contents(client.store, documents[0]) for client in (one, two)]
            assert mapping_cases.exact(stores[0]) == mapping_cases.exact(stores[1]), exchange.about


def test_a_mapped_body_of_another_format_is_not_taken_for_json(peer: Peer) -> None:
    peer.answer(packed({"id": 1}))
    with client_of(THINGS, peer) as client:
        response = client.get("any")
        assert len(response.objects) == 1
        with pytest.raises(restway.MappingError):
            response.json()


def test_white_space_is_a_value_in_messagepack(peer: Peer) -> None:
    peer.answer(b"\n")  # the number 10
    with client_of(THINGS, peer) as client:
        assert [issue.reason for issue in client.get("any").issues] != []


# Numbers


def test_integers_of_every_width_come_and_go_as_they_are(peer: Peer) -> None:
    beyond = [2**63 + 2, 2**64 - 1]
    everything = {"id": 1, "raw": [*INTEGERS, *beyond], "size": -(2**63)}
    assert received(peer, packed(everything)) == (everything, [])
    for value in INTEGERS:
        if value < 2**63:
            thing = {"id": 1, "size": value}
            assert received(peer, packed(thing)) == (thing, [])
    peer.answer(packed(everything))
    with client_of(THINGS, peer) as client:
        # As JSON text it is sent back unchanged.
        client.put(client.draft(client.get("any").objects[0]))
    assert peer.received[0][3] == {"id": 1, "raw": [*INTEGERS, *beyond], "size": -(2**63)}


def test_integers_beyond_64_bits_signed(peer: Peer) -> None:
    got, issues = received(
        peer, packed({"id": 1, "size": 2**63, "digits": 2**64 - 1, "raw": 2**63})
    )
    assert got == {"id": 1, "digits": "18446744073709551615", "raw": 2**63}
    assert [key_path for key_path, _ in issues] == ["size"]
    assert issues[0][1].startswith("expected an integer, found an integer beyond 64 bits (type str")
    with client_of(THINGS, peer) as client:
        for number in ("18446744073709551616", "-9223372036854775809", "1e400"):
            peer.answer(f'{{"id": 1, "raw": [{number}]}}'.encode(), "application/json")
            with pytest.raises(restway.MappingError) as caught:
                client.put(client.draft(client.get("any").objects[0]))
            assert "MessagePack cannot hold a number beyond 64 bits" in str(caught.value)
    assert peer.received == []


def test_reals_come_and_go_as_they_are(peer: Peer) -> None:
    for bits in (b"\xca" + struct.pack(">f", 0.1), b"\xca" + struct.pack(">f", -1.5)):
        body = b"\x81" + packed("rating") + bits
        assert received(peer, body)[0] == {"rating": struct.unpack(">f", bits[1:])[0]}
    for value in (0.1, -0.0, 5e-324, 1.7976931348623157e308, math.inf, -math.inf):
        got = received(peer, packed({"rating": value}))[0]["rating"]
        assert (got, math.copysign(1, got)) == (value, math.copysign(1, value))
    assert math.isnan(received(peer, packed({"rating": math.nan}))[0]["rating"])
    with client_of(THINGS, peer) as client:
        for value in (0.1, 3.0, -math.inf, math.nan):
            client.post(client.draft("Thing", id=1, rating=value))
            sent = peer.received.pop()[3]["rating"]
            assert struct.pack(">d", sent) == struct.pack(">d", value)


# Dates and bytes

DATES = [
    EPOCH, EPOCH + timedelta(microseconds=1), EPOCH - timedelta(microseconds=1),
    datetime(1969, 12, 31, 23, 59, 58, 500_000, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC),
    datetime(2106, 2, 7, 6, 28, 16, tzinfo=UTC), datetime(2514, 5, 30, 1, 53, 4, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
]


@pytest.mark.parametrize("date", DATES, ids=str)
def test_dates_come_and_go_as_dates(date: datetime, peer: Peer) -> None:
    got, issues = received(peer, packed({"id": 1, "at": date, "day": date, "any": date}))
    assert (got, issues) == ({"id": 1, "at": date, "day": date, "any": date}, [])
    with client_of(THINGS, peer) as client:
        answer = client.post(client.draft("Thing", id=1, at=date, day=date)).objects[0]
        # An explicit format of the document is obeyed.
        day = date.strftime("%Y-%m-%d").rjust(10, "0")
        assert peer.received.pop()[3] == {"id": 1, "at": date, "day": day}
        assert answer["at"] == date
        client.put(client.draft(client.get("any").objects[0]))
        assert peer.received.pop()[3] == {"id": 1, "at": date, "any": date, "day": day}


def _timestamp(form: str, *numbers: int) -> bytes:
    content = struct.pack(form, *numbers)
    head = {4: b"\xd6\xff", 8: b"\xd7\xff"}.get(len(content), bytes([0xC7, len(content), 0xFF]))
    return b"\x82" + packed("id") + packed(1) + packed("at") + head + content


def test_timestamps_of_all_lengths_are_dates(peer: Peer) -> None:
    def at(microseconds: int) -> datetime:
        return EPOCH + timedelta(microseconds=microseconds)

    cases = {
        _timestamp(">I", 0): at(0), _timestamp(">I", 2**32 - 1): at((2**32 - 1) * 1_000_000),
        _timestamp(">Q", 999_999_999 << 34 | 1): at(1_999_999),
        _timestamp(">Q", 2**34 - 1): at((2**34 - 1) * 1_000_000),
        _timestamp(">Iq", 1_999, 5): at(5_000_001),
        # Before 1970 nanoseconds still count forwards, and fractions of a microsecond are dropped.
        _timestamp(">Iq", 999_999_999, -1): at(-1), _timestamp(">Iq", 1, -1): at(-1_000_000),
        _timestamp(">Iq", 0, -62_135_596_800): datetime(1, 1, 1, tzinfo=UTC),
    }
    for body, date in cases.items():
        assert received(peer, body) == ({"id": 1, "at": date}, []), body


def test_timestamps_beyond_what_dates_hold_are_issues(peer: Peer) -> None:
    for seconds in (2**63 - 1, -(2**63), 9_223_372_036_855, -9_223_372_036_856):
        _, issues = received(peer, _timestamp(">Iq", 0, seconds))
        assert issues[0] == ("at", "expected a date (ISO 8601), found a number out of range")


def test_timestamps_of_no_form_are_refused(peer: Peer) -> None:
    for body in (
        _timestamp(">Q", 1_000_000_000 << 34), _timestamp(">Iq", 2**32 - 1, 0),
        _timestamp(">Iqb", 0, 0, 0), _timestamp(">b", 1), _timestamp(""),
    ):
        assert "at byte 8: a timestamp of another form" in refused(peer, body)
    body = b"\x81" + packed("at") + b"\xd4\x05\x00"
    assert "at byte 4: an extension other than a timestamp" in refused(peer, body)


def test_dates_are_text_where_text_is_wanted_and_issues_elsewhere(peer: Peer) -> None:
    date = datetime(2024, 2, 29, 12, 30, 0, 250_000, tzinfo=UTC)
    text = "2024-02-29T12:30:00.250Z"
    got, issues = received(
        peer, packed({"id": 1, "name": date, "raw": [date], "size": date, "data": date})
    )
    assert got == {"id": 1, "name": text, "raw": [text]}
    assert issues == [
        ("size", "expected an integer, found a date"),
        ("data", "expected a string of base64, found a date"),
    ]


def test_bytes_come_and_go_as_bytes(peer: Peer) -> None:
    for length in (0, 1, 255, 256, 65_535, 65_536, 70_000):
        content = bytes(n % 251 for n in range(length))
        got, issues = received(peer, packed({"id": 1, "data": content, "any": content}))
        assert (got, issues) == ({"id": 1, "data": content, "any": content}, [])
        with client_of(THINGS, peer) as client:
            answer = client.post(client.draft("Thing", id=1, data=content)).objects[0]
            assert peer.received.pop()[3] == {"id": 1, "data": content}
            assert answer["data"] == content
            client.put(client.draft(client.get("any").objects[0]))
            assert peer.received.pop()[3] == {"id": 1, "data": content, "any": content}


def test_bytes_are_base64_in_json_and_issues_elsewhere(peer: Peer) -> None:
    got, issues = received(
        peer, packed({"id": 1, "raw": {"a": b"\x00\xff"}, "text": b"x", "name": b"n", "at": b"a"})
    )
    assert got == {"id": 1, "raw": {"a": "AP8="}, "text": b"x"}
    assert issues == [
        ("name", "expected a string, found bytes"),
        ("at", "expected a date (ISO 8601), found bytes"),
    ]
    with client_of(THINGS, peer) as client:
        client.post(client.draft("Thing", id=1, text=b"\x00\xff"))
    assert peer.received[0][3]["text"] == "AP8=", "the document says base64"


def test_base64_and_iso8601_are_read_as_in_json(peer: Peer) -> None:
    thing = {"id": 1, "data": "AP8=", "at": "1970-01-01T00:00:01Z"}
    got, issues = received(peer, packed(thing))
    assert (got, issues) == (
        {"id": 1, "data": b"\x00\xff", "at": EPOCH + timedelta(seconds=1)}, [],
    )


# Requests


def test_a_draft_goes_round(peer: Peer) -> None:
    date = datetime(1950, 6, 1, 12, 0, 0, 123_456, tzinfo=UTC)
    values = {
        "any": "é", "flag": True, "size": 2**53 + 1, "rating": -0.5, "name": "", "at": date,
        "raw": {"list": [1, None, {"a": 2.5}], "": False}, "data": b"\x00\xc1", "digits": "7",
    }
    with client_of(THINGS, peer) as client:
        draft = client.draft("Thing", **values)
        part = client.draft("Thing", id=8, name="part")
        draft.add("parts", part)
        draft["parent"] = None
        made = client.post(draft, params={"flag": None, "more.at": date, "more.list": [b"\x01"]})
        method, media_type, accept, sent = peer.received[0]
        assert (method, media_type) == ("POST", TYPE)
        assert accept == f"{TYPE}, application/json;q=0.9, */*;q=0.1"
        assert sent == {
            **values, "digits": 7, "flag": None, "more": {"at": date, "list": [b"\x01"]},
            "parent": None, "parts": [{"id": 8, "name": "part"}],
        }
        item = made.objects[0]
        assert {name: item[name] for name in values if name != "flag"} == {
            name: value for name, value in values.items() if name != "flag"
        }
        assert [other["name"] for other in item["parts"]] == ["part"]
        again = client.get(item).objects[0]
        assert again.attributes() == item.attributes()
        draft["name"] = "changed"
        client.put(draft)
        assert peer.received[1][3]["name"] == "changed"
        assert peer.received[1][3]["at"] == date
        assert len(client.get("things").objects) == 1


def test_the_other_media_types_are_read_and_written(peer: Peer) -> None:
    for media_type in ("application/x-msgpack", "application/vnd.msgpack"):
        with client_of(THINGS, peer) as client:
            thing = client.post(
                "things", params={"name": "x"}, headers={"Content-Type": media_type}
            ).objects[0]
            assert (thing["name"], peer.received.pop()[1]) == ("x", media_type)


def test_errors_of_the_api_are_found_in_messagepack(peer: Peer) -> None:
    with client_of(THINGS, peer) as client, pytest.raises(restway.RestwayError) as caught:
        client.post("things", body=b"{}", media_type="text/plain")
    assert (caught.value.api_message, caught.value.api_code) == ("not text/plain", "7")

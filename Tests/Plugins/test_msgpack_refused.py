"""Bodies of MessagePack that are wrong or random."""

from __future__ import annotations

import random
from typing import Any

import pytest
import restway
from msgpack_peer import EPOCH, Peer, packed
from msgpack_things import INTEGERS, THINGS, client_of, received, refused


def test_keys_that_are_no_strings_are_refused_where_somebody_looks(peer: Peer) -> None:
    for key in (1, None, b"id", 1.5, True):
        why = refused(peer, packed({"id": 1, key: 2}))
        assert "not valid MessagePack at byte 5: a key that is no string" in why
    strange = {1: {2: [{None: b""}]}, b"x": {}}
    assert received(peer, packed({"id": 1, "nobody": strange})) == ({"id": 1}, [])
    # JSON text would lose them.
    assert "a key that is no string" in refused(peer, packed({"id": 1, "raw": strange}))


def test_text_that_is_no_utf8_is_refused_where_somebody_looks(peer: Peer) -> None:
    for bad in (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"a\x80",
                b"\xf5\x80\x80\x80", b"\xe0\x80\x80"):
        text = bytes([0xA0 + len(bad)]) + bad
        why = refused(peer, b"\x81" + packed("name") + text)
        assert "not valid MessagePack at byte 6: a string that is no UTF-8" in why
        assert "a key that is no UTF-8" in refused(peer, b"\x81" + text + packed(1))
        skipped = b"\x82" + packed("id") + b"\x01" + packed("x") + text
        assert received(peer, skipped)[0] == {"id": 1}
    for good in (
        "é", "€", "\U0001f600", "a" * 7 + "é" + "b" * 9, "\ud7ff\ue000\uffff\U0010ffff", "\0"
    ):
        assert received(peer, packed({"name": good}))[0] == {"name": good}


def _rich() -> bytes:
    value = {
        "id": 1, "any": -7, "flag": True, "size": 2**40, "rating": 0.5, "name": "é" * 20,
        "raw": [None, [1, {"a": b"\x00" * 300}], {"k": {}}], "at": EPOCH, "data": b"\x01\x02",
        "parts": [{"id": 2, "parent": {"id": 1}}, {"id": 3}], "x" * 40: ["skipped", {1: 2}],
    }
    return packed(value)


def test_what_is_cut_off_anywhere_is_refused(peer: Peer) -> None:
    body = _rich()
    assert received(peer, body)[1] == []
    with client_of(THINGS, peer) as client:
        for length in range(len(body)):
            peer.answer(body[:length])
            if length == 0:
                # An empty body gives no objects, as with JSON.
                assert len(client.get("any").objects) == 0
                continue
            with pytest.raises(restway.MappingError, match="not valid MessagePack at byte"):
                client.get("any")
        assert client.store.count() == 0


def test_what_follows_the_value_is_refused(peer: Peer) -> None:
    body = packed({"id": 1})
    for more in (b"\x00", b"\xc0", body):
        why = refused(peer, body + more)
        assert f"at byte {len(body)}: something follows the value" in why


def test_lengths_that_no_body_has_are_refused(peer: Peer) -> None:
    heads = (
        "dd ffffffff", "dc ffff", "df ffffffff", "de ffff", "db ffffffff", "da ffff", "d9 ff",
        "c6 ffffffff", "c5 ffff", "c4 ff", "c9 ffffffff ff", "c8 ffff ff", "c7 ff ff", "9f", "8f",
        "bf", "d8 ff 00", "cf 00", "c1",
    )
    begin = b"\x82" + packed("id") + b"\x01"
    for head in heads:
        for prefix in (b"", begin + packed("raw"), begin + packed("nobody")):
            why = refused(peer, prefix + bytes.fromhex(head) + b"\x00" * 4)
            assert "not valid MessagePack at byte" in why, head


def test_nesting_is_limited_also_where_nobody_looks(peer: Peer) -> None:
    deep = b"\x91" * 511 + b"\xc0"
    for key in ("raw", "nobody"):
        head = b"\x82" + packed("id") + b"\x01" + packed(key)
        assert received(peer, head + deep)[0]["id"] == 1
        for bomb in (b"\x91" * 512 + b"\xc0", (b"\x81" + packed("a")) * 512 + b"\xc0",
                     b"\x91" * 100_000):
            assert "deep" in refused(peer, head + bomb)
    assert "deep" in refused(peer, b"\x91" * 1_000_000)


def test_random_values_are_the_same_both_ways(peer: Peer) -> None:
    generator = random.Random(7)

    integers = [number for number in INTEGERS if number < 2**63]

    def text() -> str:
        count = generator.choice([0, 5, 40])
        return "".join(map(chr, generator.choices(range(0x20, 0xD7FF), k=count)))

    def value(depth: int) -> Any:
        kinds: list[Any] = [
            lambda: None, lambda: generator.random() < 0.5, lambda: generator.choice(integers),
            lambda: generator.uniform(-1e9, 1e9), text,
        ]
        if depth < 4:
            kinds += [
                lambda: [value(depth + 1) for _ in range(generator.choice([0, 2, 17]))],
                lambda: {f"k{n}": value(depth + 1) for n in range(generator.choice([0, 3, 16]))},
            ]
        return generator.choice(kinds)()

    with client_of(THINGS, peer) as client:
        for _ in range(150):
            item = [value(0)]
            peer.answer(packed({"id": 1, "raw": item}))
            assert client.get("any").objects[0]["raw"] == item
            client.post(client.draft("Thing", id=2, raw=item))
            assert peer.received.pop()[3]["raw"] == item


def test_random_bytes_never_crash(peer: Peer) -> None:
    generator = random.Random(11)
    rich, ends = _rich(), {"objects": 0, "refused": 0}
    with client_of(THINGS, peer) as client:
        for _ in range(600):
            body = bytearray(rich)
            for _ in range(generator.choice([1, 1, 2, 8])):
                body[generator.randrange(len(body))] = generator.randrange(256)
            if generator.random() < 0.3:
                body = bytearray(generator.randbytes(generator.randrange(1, 80)))
            peer.answer(bytes(body))
            try:
                client.get("any")
                ends["objects"] += 1
            except restway.MappingError:
                ends["refused"] += 1
    assert min(ends.values()) > 20, ends

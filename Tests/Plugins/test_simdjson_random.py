"""Random bodies, valid and broken: the mapper of simdjson accepts the same bodies as
the built-in mapper, and maps them to the same objects.
"""

from __future__ import annotations

import json
import os
import random
from contextlib import suppress
from typing import Any

import pytest
import restway
from msgpack_peer import Peer
from msgpack_things import JSON, client_of, told

_TYPES = ("any", "bool", "int", "double", "string", "date", "bytes", "json")
#: Lists and maps of values.
_SHAPES: tuple[Any, ...] = (
    ["any"], ["string"], ["json"], [["double"]], {"*": "int"}, {"*": ["any"]}, {"*": {"*": "json"}},
)
#: Each key is read as every type; "o" leads to another object.
_DOCUMENT = {
    "restway": 1,
    "environments": {"here": {"baseURL": "http://127.0.0.1"}},
    "environment": "here",
    "entities": {
        "Thing": {
            "identity": "id",
            "attributes": {
                "id": {"source": "i"},
                **{f"{key}_{kind}": {"source": key, "type": kind}
                   for key in ("a", "b") for kind in _TYPES},
                **{f"{key}_{place}": {"source": key, "type": shape}
                   for key in ("a", "b", "o") for place, shape in enumerate(_SHAPES)},
                "deep": {"source": "o.b", "type": "json"},
            },
            "relationships": {"parts": {"source": "p", "entity": "Thing", "many": True},
                              "one": {"source": "o", "entity": "Thing"}},
        }
    },
    "responses": [{"entity": "Thing"}, {"entity": "Thing", "keyPath": "o.p"}],
}
#: Pieces that break bodies in interesting places.
_BYTES = b'{}[],:"\\0123456789.eE+-tfnu \n\t\x00\x1f\x7f\x80\xbf\xc2\xe2\xf0\xffad'
_NUMBERS = (
    "0", "-0", "-0.0", "1e5", "1E+2", "-1.5e-7", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
    "18446744073709551616", "1e308", "1e309", "-1e999", "5e-324", "1e-400", "0.1", "123456789.125",
    "9" * 40, "0." + "3" * 60, "2.2250738585072011e-308", "1.7976931348623159e308",
)
_TEXTS = (
    '""', '"text"', r'"\u00e9\ud83d\ude00"', '"é😀"', r'"\"\\\/\b\f\n\r\t"', '"AP8="',
    '"2013-02-03T04:05:06Z"', r'"\u0000"', '"' + "long " * 30 + '"',
)


class _Bodies:
    """Makes JSON text, and breaks it."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def value(self, depth: int) -> str:
        choose = self._random.choice
        kind = self._random.randrange(8 if depth < 5 else 4)
        if kind == 0:
            return choose(_NUMBERS)
        if kind == 1:
            return choose(_TEXTS)
        if kind == 2:
            return choose(("true", "false", "null", "{}", "[]"))
        if kind == 3:
            return str(self._random.randrange(-1000, 1000))
        space = choose(("", "", " ", "\n  "))
        if kind in (4, 5):
            count = self._random.choice((0, 1, 3))
            return f"[{space}" + f",{space}".join(self.value(depth + 1) for _ in range(count)) + "]"
        keys = self._random.sample(("i", "a", "b", "o", "p", "x", r"\u0061"), choose((0, 1, 3, 5)))
        if "a" in keys and r"\u0061" in keys:
            keys.remove("a")  # A key in two forms is the documented difference.
        members = [f'"{key}"{space}:{self.value(depth + 1)}' for key in keys]
        return "{" + f",{space}".join(members) + "}"

    def body(self, least: int) -> bytes:
        """Makes a list of objects that has at least this length."""
        parts: list[str] = []
        while sum(map(len, parts)) <= least:
            values = ",".join(f'"{key}":{self.value(1)}' for key in "aop")
            parts.append(f'{{"i":{len(parts)},{values}}}')
        return f"[{','.join(parts)}]".encode()

    def broken(self, body: bytes) -> bytes:
        changed = bytearray(body)
        for _ in range(self._random.choice((1, 1, 1, 3))):
            at = self._random.randrange(len(changed))
            match self._random.randrange(4):
                case 0:
                    changed[at] = self._random.choice(_BYTES)
                case 1:
                    changed.insert(at, self._random.choice(_BYTES))
                case 2 if len(changed) > 1:
                    del changed[at]
                case _:
                    del changed[at + 1:]
        return bytes(changed)


def _has_a_key_twice(body: bytes) -> bool:
    """Returns whether an object has a key twice: the two mappers differ for repeated keys."""
    found = False

    def look(members: list[tuple[str, JSON]]) -> dict[str, JSON]:
        nonlocal found
        found = found or len({key for key, _ in members}) < len(members)
        return dict(members)

    with suppress(ValueError):
        json.loads(body, object_pairs_hook=look)
    return found


def _end(client: restway.Client, peer: Peer, body: bytes) -> Any:
    peer.answer(body, "application/json")
    end = told(client, "GET", "any")
    return json.dumps(end, default=str)


#: As in the tests of Swift, RESTWAY_ALL_ROUNDS asks for all rounds.
_SHARE = 1 if os.environ.get("RESTWAY_ALL_ROUNDS") else 4


@pytest.mark.parametrize(
    ("seed", "rounds", "least"),
    # Jansson reads long bodies in parts, and a worker maps the longest one.
    [(1, 400 // _SHARE, 0), (2, 60 // _SHARE, 2_000), (3, 8 // _SHARE, 140_000), (4, 1, 1_200_000)],
)
def test_bodies_at_random_end_the_same(seed: int, rounds: int, least: int, peer: Peer) -> None:
    bodies, refused, mapped = _Bodies(seed), 0, 0
    with (
        client_of(_DOCUMENT, peer, "jansson") as one,
        client_of(_DOCUMENT, peer, "simdjson") as two,
    ):
        for _ in range(rounds):
            whole = bodies.body(least)
            for body in (whole, bodies.broken(whole), bodies.broken(whole)):
                if _has_a_key_twice(body):
                    continue
                ends = [_end(client, peer, body) for client in (one, two)]
                assert ends[0] == ends[1], body if len(body) < 3_000 else len(body)
                refused += ends[0] == '"MappingError"'
                mapped += ends[0] != '"MappingError"'
    assert min(refused, mapped) >= rounds / 4, (refused, mapped)

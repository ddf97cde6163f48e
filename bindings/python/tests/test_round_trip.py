"""Data that a reversible mapping has read is written unchanged."""

from __future__ import annotations

import json
import shlex
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import restway

from .peer import Peer
from .test_mapping_properties import bounded

JSON = Any
"""A value that `json.loads` returns."""

DOCUMENT: JSON = {
    "restway": 1,
    "environments": {"here": {"baseURL": "http://127.0.0.1"}},
    "environment": "here",
    "entities": {
        "Thing": {
            "identity": "id",
            "attributes": {
                "id": {"type": "int"},
                "text": {"source": "deep.down.text", "type": "string"},
                "real": {"source": "deep.real", "type": "double"},
                "truth": {"type": "bool"},
                "day": {"type": "date", "format": "dd/MM/yyyy"},
                "moment": {"type": "date", "format": "epochMilliseconds"},
                "bytes": {"type": "bytes"},
                "any": "any",
                "json": {"type": "json"},
                "number": {"type": "int", "transform": "numberText"},
            },
            "relationships": {
                "friend": {"entity": "Thing", "source": "friend_id", "byIdentity": True},
                "parts": {"entity": "Part", "many": True},
            },
        },
        "Part": {"identity": "key", "attributes": {"key": {"type": "string"}, "size": "size"}},
    },
    "responses": [{"method": "GET", "path": "thing", "entity": "Thing"}],
}


def or_null(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return values | st.none()


INTEGERS = st.integers(-(2**63), 2**63 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
#: Jansson refuses a NUL in a key.
KEYS = TEXTS.filter(lambda text: "\0" not in text)
REALS = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | INTEGERS | TEXTS
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
)
DAYS = st.dates().filter(lambda day: day.year >= 1000).map(lambda day: day.strftime("%d/%m/%Y"))
BYTES = st.sampled_from(["", "AA==", "AAA=", "AAAA", "/+8=", "aGVsbG8="])
PARTS = st.lists(
    st.fixed_dictionaries({"key": TEXTS, "size": or_null(INTEGERS)}),
    max_size=4, unique_by=lambda part: part["key"],
)
THINGS = st.fixed_dictionaries(
    {
        "id": INTEGERS,
        "deep": st.fixed_dictionaries(
            {"down": st.fixed_dictionaries({"text": or_null(TEXTS)}), "real": or_null(REALS)}
        ),
        "truth": or_null(st.booleans()),
        "day": or_null(DAYS),
        "moment": or_null(st.integers(-(2**43), 2**43)),
        "bytes": or_null(BYTES),
        "any": SCALARS,
        "json": ANYTHING.filter(lambda value: value is not None),
        "number": or_null(INTEGERS.map(str)),
        "friend_id": or_null(INTEGERS),
        "parts": PARTS,
    }
)


@bounded
@given(source=THINGS)
def test_the_reverse_of_what_was_mapped_is_what_was_sent(source: JSON, peer: Peer) -> None:
    api = restway.API.from_json(DOCUMENT)
    peer.respond(json.dumps(source).encode())
    with restway.Client(api, base_url=peer.url, timeout=30) as client:
        response = client.get("thing")
        assert response.issues == []
        draft = client.draft(response.objects[0])
        request = restway.Request.path("PUT", "thing").about(draft)
        command = shlex.split(client.curl_command(request, reveal=True))
        written = json.loads(command[command.index("--data-raw") + 1])
    assert written == source

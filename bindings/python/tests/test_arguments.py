"""Arguments of the wrong type or size: each is refused before the library sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import restway

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "cache": {},
    "batch": {"path": "batch"},
    "entities": {"Thing": {"identity": "id", "attributes": {"id": {"type": "int"}}}},
}
WRONG: list[Any] = [object(), True, 2**70, -(2**70), 1.5, b"1", "1", [], {}, (1,)]

NUMBERS: dict[str, Any] = {
    "outbox.find": lambda client, wrong: client.outbox.find(wrong),
    "outbox.retry": lambda client, wrong: client.outbox.retry(wrong),
    "outbox.edit": lambda client, wrong: client.outbox.edit(wrong, b""),
    "outbox.drop": lambda client, wrong: client.outbox.drop(wrong),
    "outbox.wait": lambda client, wrong: client.outbox.wait(wrong, timeout=1),
    "batch.response": lambda client, wrong: client.batch().response(wrong),
    "cache.entries": lambda client, wrong: client.cache.entries(limit=wrong),
    "query.limit": lambda client, wrong: client.store.query("Thing").limit(wrong),
    "query.limit.offset": lambda client, wrong: client.store.query("Thing").limit(1, wrong),
    "resource.descriptor": lambda _, wrong: restway.Resource.descriptor(wrong),
    "resource.descriptor.offset": lambda _, wrong: restway.Resource.descriptor(0, wrong),
    "set_reachability": lambda client, wrong: client.set_reachability(wrong),
    "on.events": lambda client, wrong: client.on(print, events=[wrong]),
    "into.depth": lambda client, wrong: client.map("Thing", b"{}", into=dict, depth=wrong),
}


@pytest.mark.parametrize("use", NUMBERS)
def test_a_wrong_number_is_refused(tmp_path: Path, use: str) -> None:
    with restway.Client(DOCUMENT, outbox_path=tmp_path / "o.db") as client:
        for wrong in WRONG:
            with pytest.raises((TypeError, ValueError)) as caught:
                NUMBERS[use](client, wrong)
            assert "restway_" not in str(caught.value), wrong


OTHERS: dict[str, Any] = {
    "batch.add": lambda client: client.batch().add("things"),
    "transaction.insert": lambda client: client.store.transaction().insert("thing"),
    "resource.bytes": lambda _: restway.Resource.bytes(5),  # type: ignore[arg-type]
    "save_to": lambda client: client.get("x", save_to=True),
    "save_to.bytes": lambda client: client.get("x", save_to=b"path"),
    "add_attribute": lambda client: client.api.add_attribute("Thing", "size", type=5),
    "auth": lambda client: client.get("x", auth=True),
    "cache": lambda client: client.get("x", cache=True),
    "serialization": lambda client: client.post("x", serialization=True),
    "nulls": lambda client: client.post("x", json={}, nulls=True),
    "delivery": lambda client: client.send(restway.Request.path("GET", "x"), delivery=True),
}


@pytest.mark.parametrize("use", OTHERS)
def test_a_value_of_another_type_is_a_type_error(tmp_path: Path, use: str) -> None:
    with restway.Client(DOCUMENT, outbox_path=tmp_path / "o.db") as client:
        with pytest.raises(TypeError) as caught:
            OTHERS[use](client)
        assert "restway_" not in str(caught.value)


def test_what_has_no_form_for_the_library_is_a_type_error() -> None:
    """An argument that a function of this package does not check itself."""
    from restway import _ffi as native
    from restway._handles import check

    with pytest.raises(TypeError, match="restway_request_set_priority: argument 2"):
        check(native.lib.restway_request_set_priority, native.RequestHandle(), "high")

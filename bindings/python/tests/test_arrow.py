"""Objects as tables: types of columns, exact values in pyarrow, pandas and polars, and memory."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import restway

from .graph import STORES, make_client, receive
from .peer import Peer
from .test_reading import VALUES

ADA, BOB = {"id": 1, "name": "Ada", "score": 2.5}, {"id": 2, "name": "Bob"}
TEAM = {"id": 9, "name": "é\0", "founded": "2020-02-29", "chief": ADA, "members": [ADA, BOB]}
FOUNDED = datetime(2020, 2, 29, tzinfo=timezone.utc)


@pytest.fixture(params=STORES)
def client(request: pytest.FixtureRequest, peer: Peer, tmp_path: Path) -> Iterator[restway.Client]:
    options = {} if request.param == "memory" else {"store_path": tmp_path / "objects.db"}
    with make_client(peer, **options) as made:
        yield made


def without_nulls(value: Any) -> Any:
    """Returns rows of a table as `to_dict` gives objects: a value that is missing is left out."""
    if isinstance(value, list):
        return [without_nulls(each) for each in value]
    if isinstance(value, dict):
        return {key: without_nulls(each) for key, each in value.items() if each is not None}
    return value


def test_columns_have_the_types_of_the_attributes(client: restway.Client, peer: Peer) -> None:
    objects = receive(client, peer, "teams", TEAM)
    table = objects.to_arrow()
    assert table.schema == pyarrow.schema(
        [
            ("id", pyarrow.int64()),
            ("name", pyarrow.string()),
            ("founded", pyarrow.timestamp("us", "UTC")),
        ]
    )
    assert table.to_pylist() == objects.to_dicts(0)
    table.validate(full=True)


def test_relationships_are_structs_and_lists_of_structs(client: restway.Client, peer: Peer) -> None:
    objects = receive(client, peer, "teams", TEAM, {"id": 10, "members": []}, {"id": 11})
    for depth in range(4):
        table = objects.to_arrow(depth)
        table.validate(full=True)
        assert without_nulls(table.to_pylist()) == without_nulls(objects.to_dicts(depth))
        query = client.store.query("Team").order_by("id").to_arrow(depth)
        assert query.equals(table)
    assert table["members"].to_pylist()[1:] == [[], None]
    assert pyarrow.types.is_struct(table.schema.field("chief").type)
    assert pyarrow.types.is_list(table.schema.field("members").type)


def test_every_source_of_objects_is_a_table(client: restway.Client, peer: Peer) -> None:
    peer.respond(json.dumps([ADA, BOB, {"id": 3}]).encode())
    response = client.get("members")
    query = client.store.query("Member").where("id", ">", 1).order_by("-id")
    ids: dict[str, tuple[Any, list[int]]] = {
        "response": (response, [1, 2, 3]),
        "objects": (response.objects, [1, 2, 3]),
        "slice": (response.objects[1:2], [2]),
        "query": (query, [3, 2]),
    }
    for source, expected in ids.values():
        assert pyarrow.table(source)["id"].to_pylist() == expected
        assert pyarrow.record_batch(source)["id"].to_pylist() == expected
        assert polars.DataFrame(source.columns())["id"].to_list() == expected
        assert "id" in pyarrow.schema(source).names
    with pytest.raises(ValueError, match="consecutive"):
        response.objects[::2].to_arrow()
    with pytest.raises(ValueError, match="0 to 16"):
        query.columns(17)


def test_pandas_and_polars(client: restway.Client, peer: Peer) -> None:
    peer.respond(json.dumps([TEAM, {"id": 10, "name": None}]).encode())
    response = client.get("teams")
    frame = response.to_pandas()
    assert frame.columns.to_list() == ["id", "name", "founded"]
    assert frame["id"].dtype == "int64" and frame["id"].to_list() == [9, 10]
    assert isinstance(frame["founded"].dtype, pandas.DatetimeTZDtype)
    founded = frame["founded"].to_list()
    assert founded[0] == FOUNDED and pandas.isna(founded[1])
    rows = response.to_polars(1).to_dicts()
    assert rows[0]["chief"]["name"] == "Ada" and rows[0]["founded"] == FOUNDED
    assert [each["id"] for each in rows[0]["members"]] == [1, 2]
    assert client.store.query("Team").to_polars().height == 2
    assert client.store.query("Team").to_pandas().equals(frame)


def test_tables_without_objects(client: restway.Client, peer: Peer) -> None:
    assert receive(client, peer, "members").to_arrow().num_rows == 0
    table = client.store.query("Member").to_arrow(1)
    assert table.num_rows == 0 and table.schema.names == ["id", "name", "score", "team"]


def test_objects_of_two_entities_are_no_table(peer: Peer) -> None:
    entity = {"identity": "id", "attributes": {"id": {"type": "int"}}}
    parts = [{"entity": name, "keyPath": name} for name in ("A", "B")]
    document = {
        "restway": 1,
        "environments": {"local": {"baseURL": peer.url}},
        "entities": {"A": entity, "B": entity},
        "routes": {"both": {"path": "both", "response": parts}},
    }
    with restway.Client(restway.API.from_json(document)) as client:
        peer.respond(b'{"A": [{"id": 1}], "B": [{"id": 2}]}')
        response = client.get("both")
        with pytest.raises(restway.UsageError, match="one entity, not of A and B"):
            response.to_arrow()
        assert response.results[1].to_arrow()["id"].to_pylist() == [2]


MIXED = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {"Thing": {"attributes": {"value": {}}}},
}


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([None, None], pyarrow.null(), [None, None]),
        ([None, 1, 2], pyarrow.int64(), [None, 1, 2]),
        ([1, 2.5, None], pyarrow.float64(), [1.0, 2.5, None]),
        ([2.5, 1], pyarrow.float64(), [2.5, 1.0]),
        ([2**53 + 1, 0.5], pyarrow.string(), [str(2**53 + 1), "0.5"]),
        ([0.5, 2**53 + 1], pyarrow.string(), ["0.5", str(2**53 + 1)]),
        ([True, None, False], pyarrow.bool_(), [True, None, False]),
        (["a", None, "é"], pyarrow.string(), ["a", None, "é"]),
        ([None, "a", 1, True, None], pyarrow.string(), [None, '"a"', "1", "true", None]),
        ([True, "a"], pyarrow.string(), ["true", '"a"']),
        ([b"\0\xff", None], pyarrow.binary(), [b"\0\xff", None]),
        ([[1], {"a": None}], pyarrow.string(), ["[1]", '{"a":null}']),
        ([FOUNDED, None], pyarrow.timestamp("us", "UTC"), [FOUNDED, None]),
        ([FOUNDED, "a"], pyarrow.string(), ['"2020-02-29T00:00:00Z"', '"a"']),
    ],
)
@pytest.mark.parametrize("store", STORES)
def test_values_without_a_declared_type(
    store: str, values: list[Any], kind: pyarrow.DataType, expected: list[Any], tmp_path: Path
) -> None:
    path = None if store == "memory" else tmp_path / "objects.db"
    with restway.Client(restway.API.from_json(MIXED), store_path=path) as client:
        for value in values:
            client.draft("Thing", value=value).insert()
        for table in (
            client.store.query("Thing").to_arrow(), client.store.all("Thing").to_arrow()
        ):
            assert table.schema.field("value").type == kind
            assert table["value"].to_pylist() == expected
            table.validate(full=True)


_values = {
    "text": st.text(),
    "whole": st.integers(-(2**63), 2**63 - 1),
    "real": st.floats(allow_nan=False),
    "at": st.datetimes(timezones=st.just(timezone.utc)),
    "bytes": st.binary(),
}
_rows = st.lists(
    st.fixed_dictionaries({}, optional={key: st.none() | each for key, each in _values.items()}),
    max_size=40,
)


@settings(deadline=None, max_examples=60)
@given(_rows)
def test_values_are_exact_in_every_consumer(rows: list[dict[str, Any]]) -> None:
    with restway.Client(restway.API.from_json(VALUES)) as client:
        for row in rows:
            draft = client.draft("Thing")
            for name, value in row.items():
                draft[name] = value
            draft.insert()
        objects = client.store.all("Thing")
        expected = [{name: row.get(name) for name in _values} for row in objects.to_dicts()]
        query = client.store.query("Thing")
        for table in (query.to_arrow(), *([objects.to_arrow()] if rows else [])):
            table.validate(full=True)
            assert table.select(list(_values)).to_pylist() == expected
        assert query.to_polars().select(list(_values)).to_dicts() == expected
        for key, column in query.to_pandas().items():
            if key in ("text", "bytes"):
                read = [None if pandas.isna(value) else value for value in column]
                assert read == [row[str(key)] for row in expected]


def test_text_that_is_no_utf8_is_repaired(tmp_path: Path) -> None:
    """Only an edit of the file by hand makes such text. Consumers of Arrow rely on UTF-8."""
    api, path = restway.API.from_json(VALUES), tmp_path / "objects.db"
    with restway.Client(api, store_path=path) as client:
        for text in ("é", "edited", "z"):
            client.draft("Thing", text=text).insert()
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute("UPDATE Thing SET text = CAST(x'61ff62' AS TEXT) WHERE text = 'edited'")
        file.commit()
    with restway.Client(api, store_path=path) as client:
        table = client.store.query("Thing").to_arrow()
        table.validate(full=True)
        assert table["text"].to_pylist() == ["é", "a\ufffdb", "z"]


def test_rows_that_were_edited_by_hand_keep_their_values(tmp_path: Path) -> None:
    """Values that do not fit the type of their attribute make a column of JSON texts."""
    api, path = restway.API.from_json(VALUES), tmp_path / "objects.db"
    with restway.Client(api, store_path=path) as client:
        for number in (1, 2, 3):
            client.draft("Thing", whole=number).insert()
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute("UPDATE Thing SET whole = 'two' WHERE whole = 2")
        file.execute("UPDATE Thing SET whole = NULL WHERE whole = 3")
        file.commit()
    with restway.Client(api, store_path=path) as client:
        table = client.store.query("Thing").to_arrow()
        assert table["whole"].to_pylist() == ["1", '"two"', None]
        assert client.store.all("Thing").to_arrow().equals(table)


def test_a_table_outlives_its_client(peer: Peer) -> None:
    with make_client(peer) as client:
        table = receive(client, peer, "members", ADA, BOB).to_arrow(1)
    gc.collect()
    assert table["name"].to_pylist() == ["Ada", "Bob"]


def test_numbers_are_not_copied(peer: Peer) -> None:
    """Two views of one capsule have the same memory."""
    with make_client(peer) as client:
        objects = receive(client, peer, "members", ADA, BOB)
        batch = pyarrow.record_batch(objects)
        address = batch["id"].buffers()[1].address
        assert polars.DataFrame(batch)["id"].to_numpy().ctypes.data == address
        assert (ctypes.c_int64 * 2).from_address(address)[:] == [1, 2]


#: Counts what is still allocated after tables were made, taken over, or not.
_ALLOCATIONS = """
import ctypes, gc, json, resource, sys
import pyarrow, restway
api = restway.API.from_json(json.loads(sys.argv[1]))
client = restway.Client(api)
for at in range(2000):
    client.draft("Thing", text="x" * 500, whole=at).insert()
query = client.store.query("Thing")
def use():
    query.__arrow_c_array__()
    query.__arrow_c_stream__()
    query.__arrow_c_schema__()
    pyarrow.table(query)
    pyarrow.record_batch(query)
for _ in range(10):
    use()
gc.collect()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(100):
    use()
gc.collect()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_nothing_leaks(peer: Peer) -> None:
    """A table has 1 MB; if one of five were kept, 100 MB would be."""
    done = subprocess.run(
        [sys.executable, "-c", _ALLOCATIONS, json.dumps(VALUES)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) < 25_000


def test_a_capsule_that_nobody_takes_is_released_once(peer: Peer) -> None:
    from restway._ffi import arrow

    with make_client(peer) as client:
        objects = receive(client, peer, "members", ADA)
        capsules: list[Any] = [objects.__arrow_c_array__(), objects.__arrow_c_stream__()]
        assert len(arrow._in_capsules) == 3
        pyarrow.record_batch(objects)
        assert len(arrow._in_capsules) == 3
        capsules.clear()
        assert arrow._in_capsules == {}

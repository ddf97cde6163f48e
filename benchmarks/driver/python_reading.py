"""Importing the Python package, reading objects, and making tables."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from .figure import Figure, Target, figure, in_turn
from .mappers import JANSSON, SIMDJSON, Mapper
from .payload import LARGE_COUNT, LARGE_PATH
from .programs import BENCHMARKS, DOCUMENT, Result, run_c, run_python
from .stores import fill

_IMPORT_PAIRS = 11
_PAIRS = 7
_PANDAS_PAIRS = 5
_REQUESTS = 1_000
#: Companies, each with an owner.
_READING = str(BENCHMARKS / "reading.restway.json")


def importing(_base: str) -> Iterator[Figure]:
    """Imports the package and makes a client."""
    runs = in_turn(
        _IMPORT_PAIRS,
        lambda: run_python("import_restway", DOCUMENT),
        lambda: run_python("import_httpx"),
    )
    yield figure(
        "python.import.time", "ms", "import httpx, httpx.Client()", Target(0.5),
        [(ours["seconds"] * 1e3, theirs["seconds"] * 1e3) for ours, theirs in runs],
    )


def over_pydantic(base: str, mapper: Mapper = JANSSON) -> Iterator[Figure]:
    """Fetches 90 objects, and reads two attributes of each and one of a related object."""
    document = mapper.document(_READING)
    runs = in_turn(
        _PAIRS,
        lambda: run_python("restway_reading", document, base, _REQUESTS, *mapper.plugins),
        lambda: run_python("pydantic_reading", base, _REQUESTS),
    )
    yield figure(
        f"python.read{mapper.infix}.over_pydantic", "ms", "httpx with pydantic", Target(1.0),
        [(_per_request(ours), _per_request(theirs)) for ours, theirs in runs],
    )


def into_dataclasses(base: str, mapper: Mapper = SIMDJSON) -> Iterator[Figure]:
    """Makes a list of dataclasses of the bytes of a large list."""
    yield _instances(
        f"python.into{mapper.infix}.over_json_loads", "CompanyData", mapper,
        "json.loads, dataclasses", "json_dataclasses", 1.5, base,
    )
    yield _instances(
        f"python.into{mapper.infix}.over_pydantic", "CompanyData", mapper,
        "model_validate_json of pydantic", "pydantic_decode", 3, base,
    )


def into_structs(base: str, mapper: Mapper = SIMDJSON) -> Iterator[Figure]:
    """Makes a list of structs of the bytes of a large list."""
    yield _instances(
        f"python.into{mapper.infix}.over_msgspec", "CompanyStruct", mapper,
        "msgspec, structs", "msgspec_decode", 0.8, base,
    )


def _instances(
    name: str, of: str, mapper: Mapper, reference: str, program: str, target: float, base: str
) -> Figure:
    """The figure is the number of lists per second. Jansson has no target."""
    document, url = mapper.document(), f"{base}/{LARGE_PATH}"
    runs = in_turn(
        _PAIRS,
        lambda: run_python("restway_list", of, document, url, LARGE_COUNT, *mapper.plugins),
        lambda: run_python(program, url, LARGE_COUNT),
    )
    return figure(
        name, "1/s", reference, Target(target, is_floor=True) if mapper is SIMDJSON else None,
        [(1 / ours["seconds"], 1 / theirs["seconds"]) for ours, theirs in runs],
    )


def tables_over_pylist(base: str) -> Iterator[Figure]:
    reference = "json.loads, from_pylist"
    yield _tables("python.arrow.over_from_pylist", reference, "pylist_arrow", 10, base)


def tables_over_msgspec(base: str) -> Iterator[Figure]:
    reference = "msgspec, pyarrow.table"
    yield _tables("python.arrow.over_msgspec", reference, "msgspec_arrow", 3, base)


def _tables(name: str, reference: str, program: str, target: float, base: str) -> Figure:
    """Makes a table of the bytes of a large list. The figure is the number of tables per second."""
    document, url = SIMDJSON.document(), f"{base}/{LARGE_PATH}"
    runs = in_turn(
        _PAIRS,
        lambda: run_python("restway_list", "arrow", document, url, LARGE_COUNT, *SIMDJSON.plugins),
        lambda: run_python(program, url, LARGE_COUNT),
    )
    return figure(
        name, "1/s", reference, Target(target, is_floor=True),
        [(1 / ours["seconds"], 1 / theirs["seconds"]) for ours, theirs in runs],
    )


def frames(_base: str) -> Iterator[Figure]:
    """Makes a DataFrame of the 1,000,000 companies of a store in a file."""
    with tempfile.TemporaryDirectory(prefix="restway-bench-") as folder:
        path = str(Path(folder) / "companies.db")
        run_c("restway_store_open", DOCUMENT, path)
        fill(path)
        runs = in_turn(
            _PANDAS_PAIRS,
            lambda: run_python("restway_pandas", DOCUMENT, path),
            lambda: run_python("read_sql_pandas", DOCUMENT, path),
        )
    yield figure(
        "python.pandas.over_read_sql", "1/s", "pandas.read_sql", Target(2.0, is_floor=True),
        [(1 / ours["seconds"], 1 / theirs["seconds"]) for ours, theirs in runs],
    )


def _per_request(run: Result) -> float:
    return run["seconds"] / run["requests"] * 1e3

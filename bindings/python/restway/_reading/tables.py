"""Tables of objects: what `Response`, `Objects` and `Query` share."""

from __future__ import annotations

import importlib
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from .. import _ffi as native
from .._base.hints import require_depth
from .._ffi import arrow
from .._handles import check

if TYPE_CHECKING:
    # Each of them is optional, and may come without types.
    import pandas  # type: ignore[import-not-found,import-untyped,unused-ignore]
    import polars  # type: ignore[import-not-found,unused-ignore]
    import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]


class Columns:
    """A table of objects that has not been read yet. It speaks the Arrow PyCapsule interface, so
    every consumer of Arrow takes it, without pyarrow:

        duckdb.sql("SELECT city, count(*) FROM enterprises GROUP BY city")  # `enterprises` is one

    Each consumer that takes it reads the objects anew, into columns of its own.
    """

    __slots__ = ("_depth", "_source")

    def __init__(self, source: Tabular, depth: int) -> None:
        """For this package: `columns` of a response, a sequence or a query makes it."""
        require_depth(depth)
        self._source = source
        self._depth = depth

    def __repr__(self) -> str:
        return f"<Columns of {self._source!r}, depth {self._depth}>"

    def __arrow_c_schema__(self) -> object:
        """Returns the type of the table as a capsule."""
        return self.__arrow_c_array__()[0]

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """Returns the type and the table, as a struct array, as capsules. `requested_schema` has no
        effect.
        """
        schema, array = self._read()
        return schema.capsule(), array.capsule()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Returns a stream that gives the table as one batch, as a capsule. `requested_schema` has
        no effect.
        """
        schema, array = self._read()
        stream = arrow.Stream()
        check(native.lib.restway_arrow_stream, schema.out, array.out, stream.out)
        return stream.capsule()

    def _read(self) -> tuple[arrow.Schema, arrow.Array]:
        schema, array = arrow.Schema(), arrow.Array()
        self._source._export(self._depth, schema.out, array.out)
        return schema, array


class Tabular:
    """The base of everything that can be read as a table of objects of one entity."""

    __slots__ = ()

    @abstractmethod
    def _export(self, depth: int, schema: Any, array: Any) -> None:
        """Fills two structs of the Arrow C Data Interface."""

    def columns(self, depth: int = 0) -> Columns:
        """Returns the objects as a table for a consumer of Arrow: a column for each attribute, and
        with a `depth` above 0 also columns of structs for relationships to one, and columns of
        lists of structs for relationships to many.

        A missing value is a null. Dates are timestamps in UTC, in microseconds. An attribute whose
        values have several types is a column of their JSON texts. docs/ARROW.md says more.
        """
        return Columns(self, depth)

    def to_arrow(self, depth: int = 0) -> pyarrow.Table:
        """Returns `columns(depth)` as a `pyarrow.Table`, without copying it. Needs pyarrow."""
        # Unlike `pyarrow.table`, this does not import pandas.
        reader = importlib.import_module("pyarrow").RecordBatchReader
        table: pyarrow.Table = reader.from_stream(self.columns(depth)).read_all()
        return table

    def to_pandas(self, depth: int = 0) -> pandas.DataFrame:
        """Returns `columns(depth)` as a `pandas.DataFrame`. Needs pandas and pyarrow."""
        importlib.import_module("pandas")
        frame: pandas.DataFrame = self.to_arrow(depth).to_pandas()
        return frame

    def to_polars(self, depth: int = 0) -> polars.DataFrame:
        """Returns `columns(depth)` as a `polars.DataFrame`. Needs polars."""
        frame: polars.DataFrame = importlib.import_module("polars").DataFrame(self.columns(depth))
        return frame

    def __arrow_c_schema__(self) -> object:
        """Returns the type of `columns()` as a capsule."""
        return self.columns().__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """Returns the type of `columns()` and its values as capsules."""
        return self.columns().__arrow_c_array__(requested_schema)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Returns `columns()` as a stream, as a capsule."""
        return self.columns().__arrow_c_stream__(requested_schema)

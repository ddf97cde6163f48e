"""Objects as tables, by the Arrow C Data Interface: for pyarrow, pandas, polars and every other
consumer of Arrow.
"""

from __future__ import annotations

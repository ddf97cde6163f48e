"""Reading whole objects and lists: their values in one call, as dictionaries, as JSON and as plain
values that can be pickled.
"""

from __future__ import annotations

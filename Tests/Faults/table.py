"""All faults of the server. A new fault is one entry in one of these tables."""

from __future__ import annotations

from broken_connections import BROKEN_CONNECTIONS
from chunked_answers import CHUNKED_ANSWERS
from coded_answers import CODED_ANSWERS
from early_answers import EARLY_ANSWERS
from fault import Fault
from malformed_answers import MALFORMED_ANSWERS
from redirects import REDIRECTS
from slow_servers import SLOW_SERVERS

FAULTS: tuple[Fault, ...] = (
    *BROKEN_CONNECTIONS,
    *SLOW_SERVERS,
    *MALFORMED_ANSWERS,
    *CHUNKED_ANSWERS,
    *CODED_ANSWERS,
    *EARLY_ANSWERS,
    *REDIRECTS,
)

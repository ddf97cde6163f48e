"""All faults of the server. A new fault is one entry in one of these tables."""

from __future__ import annotations

from broken_connections import BODY, BROKEN_CONNECTIONS, HEAD_IN_CHUNKS, HEAD_OF_8
from chunked_answers import CHUNKED_ANSWERS
from coded_answers import CODED_ANSWERS
from connection import reset, send, stall, trickle
from early_answers import EARLY_ANSWERS
from fault import Fault, answers, http_error
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

#: The faults of an origin behind nginx, which cuts off an answer that it has begun.
ORIGIN: tuple[Fault, ...] = (
    *BROKEN_CONNECTIONS,
    Fault(
        "chunks", (send(HEAD_IN_CHUNKS), trickle(b"8\r\n" + BODY + b"\r\n0\r\n\r\n")),
        answers(BODY),
    ),
    Fault("reset_behind_proxy", (send(HEAD_OF_8 + BODY[:4]), reset), http_error(502)),
    Fault("stall_behind_proxy", (stall,), http_error(504)),
)

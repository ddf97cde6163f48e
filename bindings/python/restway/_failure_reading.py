"""Reading an API's own errors, when the document's `errors` cannot say where they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from . import _native as native
from . import _questions as asked
from ._boundary import check, optional_name
from ._exceptions import RestwayError
from ._failures import failure

if TYPE_CHECKING:
    from ._object import Layouts


class FailureReading(NamedTuple):
    """What a failure reader makes of an answer; None keeps what there is."""

    api_code: str | None = None
    """The API's own code; "" for none."""
    api_message: str | None = None
    """The API's own message; "" for none."""
    message: str | None = None
    """The whole message; it must hold no secret."""
    retryable: bool | None = None
    """Whether the same request may succeed later; retries follow it."""


FailureReader = Callable[[RestwayError], "FailureReading | None"]
"""Given what the document's `errors` found, with the response."""


def set_failure_reader(
    client: native.ClientHandle, layouts: Layouts, reader: FailureReader | None
) -> None:
    def run(handle: native.FailureHandle) -> None:
        assert reader is not None
        lib = native.lib
        found = native.own(lib.restway_error_retain(lib.restway_failure_error(handle)))
        reading = reader(failure(lib.restway_error_status(found), found, layouts))
        if reading is not None:
            check(
                lib.restway_failure_replace,
                handle,
                optional_name(reading.api_code),
                optional_name(reading.api_message),
                optional_name(reading.message),
                -1 if reading.retryable is None else int(reading.retryable),
            )

    asked.set_question(
        native.lib.restway_client_set_failure_reader,
        asked.on_read_failure_function,
        client,
        run=reader and run,
        callback=reader,
    )

"""Downloads: bodies of answers that are saved in files."""

from __future__ import annotations

import os
from typing import NamedTuple, Union

from . import _ffi as native
from ._boundary import check, name
from ._ffi.enums import SaveFlag


class SaveTo(NamedTuple):
    """A file in which the body of a 2xx answer is saved, for the keyword `save_to`.

        response = client.get("reports/7", save_to=restway.SaveTo("report.pdf", digest=True))
        print(response.saved.length, response.saved.digest)
    """

    path: str | os.PathLike[str]
    """The path of the file, which the complete body replaces in one step."""
    keep_part: bool = False
    """Whether the part that was received stays after a failure, a cancel or the end of the program,
    as `path` with ".part" at its end; a later call with the same URL and path goes on from it.
    """
    digest: bool = False
    """Whether the SHA-256 digest of the file is computed."""


class Saved(NamedTuple):
    """The file in which the body of an answer was saved."""

    path: str
    """The path as the request gave it."""
    length: int
    """The length of the file in bytes."""
    digest: str | None
    """The SHA-256 digest in 64 hexadecimal digits; None unless the request asked for it."""
    resumed_from: int
    """How many bytes were there before the last exchange, so that it did not send them."""


Saving = Union[str, "os.PathLike[str]", SaveTo]
"""A path, or a path with options."""


def set_save_to(request: native.RequestHandle, saving: Saving) -> None:
    """For this package: has the body of the answer saved."""
    plan = saving if isinstance(saving, SaveTo) else SaveTo(saving)
    flags = SaveFlag(0)
    if plan.keep_part:
        flags |= SaveFlag.KEEP_PART
    if plan.digest:
        flags |= SaveFlag.DIGEST
    path = name(os.fspath(plan.path))
    check(native.lib.restway_request_save_to, request, path, flags)


def saved_of(response: native.ResponseHandle) -> Saved | None:
    """For this package: reads the file in which the body was saved."""
    lib = native.lib
    path = native.borrowed(lib.restway_response_saved_path(response))
    if path is None:
        return None
    return Saved(
        path,
        lib.restway_response_saved_length(response),
        native.borrowed(lib.restway_response_saved_digest(response)),
        lib.restway_response_saved_from(response),
    )

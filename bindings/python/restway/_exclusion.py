"""Exclusions: who may leave relationships out of what is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Optional

from . import _native as native
from ._boundary import check
from ._callbacks import on_exclude_destroy, on_exclude_function, questions

Exclusion = Callable[[str, Optional[str], str, str], object]
"""Given method, path (None for another origin), entity and relationship; true leaves it out."""


def set_exclusion(client: native.ClientHandle, exclusion: Exclusion | None) -> None:
    """For this package: sets the exclusion of a client, in place of the one before."""
    function = native.lib.restway_client_set_exclusion
    if exclusion is None:
        check(function, client, native.NULL_EXCLUDE, None, native.NULL_DESTROY)
        return
    if not callable(exclusion):
        raise TypeError(f"an exclusion is callable, not {type(exclusion).__name__}")
    token = questions.add(exclusion, exclusion)
    try:
        check(function, client, on_exclude_function, token, on_exclude_destroy)
    except BaseException:
        questions.remove(token)
        raise

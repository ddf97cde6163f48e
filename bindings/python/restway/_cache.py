"""The response cache of a client."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from . import _ffi as native
from ._base.hints import Hinting, require_number
from ._base.interfaces import OneText
from ._base.lazy import asyncio
from ._details import CacheNote
from ._enums import CacheFlag, CacheState
from ._ffi.options import CLIENT_OPTIONS
from ._handles import check, make, name, number, optional_name
from ._response import cache_note
from ._stream import request_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._body import CacheFilter
    from ._config import Path
    from ._request import Request
    from ._types import AnyClient

T = TypeVar("T")

_PROBLEM_BYTES = 1024
"""The size of a buffer for most problems; a longer text is read a second time."""


@dataclass(frozen=True)
class CacheOptions:
    """The settings of the response cache of a client. They replace the settings of the document.

        client = restway.Client(api, cache=restway.CacheOptions("cache.db", bytes_max=50_000_000))
    """

    path: Path | None = None
    """The file in which answers outlive the process; None takes the document's file or, if the
    document has none, memory only.
    """
    bytes_max: int | None = None
    """The limit on the bytes that the file, its log and the bodies take on the disk
    (default 100 MiB)."""
    memory_bytes_max: int | None = None
    """The size limit of the answers in memory (default 16 MiB); 0 keeps none in memory, which needs
    a file.
    """
    heuristics: bool = False
    """Whether an answer without a lifetime is fresh for a tenth of the time since its resource was
    last modified (RFC 9111, section 4.2.2).
    """


def set_cache_options(
    options: native.ClientOptions, cache: CacheOptions | Path | bool
) -> None:
    """For this package: writes the settings of the cache into the options of a client."""
    if cache is False:
        options.cache_flags = CacheFlag.OFF
        return
    given = cache if isinstance(cache, CacheOptions) else CacheOptions()
    path = given.path if isinstance(cache, (CacheOptions, bool)) else cache
    options.cache_path = None if path is None else name(os.fspath(path))
    options.cache_bytes_max = number(
        "bytes_max", given.bytes_max, CLIENT_OPTIONS["cache_bytes_max"]
    )
    options.cache_memory_bytes_max = number(
        "memory_bytes_max", given.memory_bytes_max, CLIENT_OPTIONS["cache_memory_bytes_max"]
    )
    options.cache_flags = CacheFlag.ON
    if given.heuristics:
        options.cache_flags |= CacheFlag.HEURISTICS


@dataclass(frozen=True)
class CacheEntry:
    """A kept answer."""

    key: str
    """Names the entry among all entries of the cache."""
    method: str
    """The method of its request."""
    url: str
    """The URL of its request, without the parameters that do not count."""
    route: str | None
    """The name of its route; None for a request without one."""
    discriminator: str | None
    """The discriminator under which it is kept; None for none."""
    status: int
    """The status of the answer."""
    age: int
    """The age of the answer in seconds."""
    lifetime: int
    """For how many seconds the answer is fresh, from its origin."""
    is_stale: bool
    """Whether the server is asked before the answer is given."""
    bytes: int
    """The size of the entry with its body."""


@dataclass(frozen=True)
class CacheStatistics:
    """Counts of a cache since its client was made, and its present size."""

    hits: int
    """Fresh answers that were given without an exchange."""
    stale_hits: int
    """Stale answers that were given."""
    validations: int
    """Answers that were given after the server had said that they still hold."""
    misses: int
    """Requests that the server had to answer."""
    shared: int
    """Answers that came from the exchange of another call."""
    stored: int
    """Answers of servers that were kept."""
    evicted: int
    """Entries that were removed to make room."""
    invalidated: int
    """Entries that an answer or the program has removed or made invalid."""
    failures: int
    """Failures of the storage."""
    entries: int
    """The entries that the cache has now."""
    bytes: int
    """The bytes of these entries with their bodies."""
    memory_entries: int
    """The entries that are in memory."""
    memory_bytes: int
    """The bytes of the entries that are in memory."""


class CacheBase(OneText, ABC, Hinting):
    """The functions of the cache of every client.

    Everything raises ConfigError when the client has no cache, and ClosedError.
    """

    __slots__ = ("_client",)

    def __init__(self, client: AnyClient) -> None:
        """For this package: clients make their caches."""
        self._client = client

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._client!r}>"

    @property
    def discriminator(self) -> str | None:
        """The key discriminator of requests that start from now on: a name for the user, or for
        anything else that makes equal requests have different answers. Setting it back finds the
        entries that were kept under it before. The outbox sends only requests that were stored with
        the same discriminator, so it can be set without a cache if the client has an outbox.

            client.cache.discriminator = "user 7"
        """
        return self._client._discriminator

    @discriminator.setter
    def discriminator(self, value: str | None) -> None:
        function = native.lib.restway_client_set_cache_discriminator
        check(function, self._client._handle, optional_name(value))
        self._client._discriminator = value

    @property
    def problem(self) -> str | None:
        """The problem of the file: it is corrupt, full, locked or read-only; None if there is no
        problem. Calls go on without the file.
        """
        size = _PROBLEM_BYTES
        while True:
            text, length = native.bytes_out(size), native.number()
            check(
                native.lib.restway_cache_problem,
                self._client._handle,
                text,
                size,
                native.ref(length),
            )
            if length.value < size:
                return native.borrowed(text.value) or None
            size = length.value + 1

    @abstractmethod
    def find(self, target: Request | str) -> Any:
        """Returns what the cache has for a request; None if it has no answer. Nothing is sent.

        Args:
            target: A request, or a path for GET.

        The state of the note is HIT or STALE. Raises a RouteError when no URL can be made of the
        request.
        """

    @abstractmethod
    def entries(self, limit: int | None = None, **filter: Unpack[CacheFilter]) -> Any:
        """Lists the entries that match every keyword, the newest answer first.

        Args:
            limit: The most entries; None for all.
            filter: The keywords of `CacheFilter`.

        Raises FileError if the file cannot be read; InvalidURLError.
        """

    @abstractmethod
    def remove(self, **filter: Unpack[CacheFilter]) -> Any:
        """Removes the entries that match every keyword; returns how many there were.

        Args:
            filter: The keywords of `CacheFilter`; at least one, because `clear` removes all.

        Raises FileError if the file cannot be written; InvalidURLError.

            client.cache.remove(discriminator="user 7", age=3600)  # or: await client.cache...
        """

    @abstractmethod
    def clear(self) -> Any:
        """Removes all entries; returns how many there were."""

    def _find(self, target: Request | str) -> CacheNote | None:
        request = request_of(target)
        function = native.lib.restway_cache_find
        note = cache_note(function, self._client._handle, request._handle)
        return None if note is None or note.state is CacheState.MISSING else note

    def _statistics(self) -> CacheStatistics:
        read = native.CacheCounts()
        check(native.lib.restway_cache_counts_init, native.ref(read), native.size_of(read))
        check(native.lib.restway_cache_statistics, self._client._handle, native.ref(read))
        return CacheStatistics(
            hits=read.hits,
            stale_hits=read.stale_hits,
            validations=read.validations,
            misses=read.misses,
            shared=read.shared,
            stored=read.stored,
            evicted=read.evicted,
            invalidated=read.invalidated,
            failures=read.failures,
            entries=read.entries,
            bytes=read.bytes,
            memory_entries=read.memory_entries,
            memory_bytes=read.memory_bytes,
        )

    def _entries(self, limit: int | None, filter: CacheFilter) -> list[CacheEntry]:
        if limit is not None and require_number(limit, "a limit", least=-(2**63)) <= 0:
            raise ValueError(f"a limit is more than 0 entries, not {limit}")
        listed = make(
            native.CacheEntriesHandle,
            native.lib.restway_cache_list,
            self._client._handle,
            native.ref(_filter(**filter)),
            limit or 0,
        )
        count = native.lib.restway_cache_entries_count(listed)
        return [_entry(listed, index) for index in range(count)]

    def _remove(self, filter: CacheFilter) -> int:
        count = native.number()
        check(
            native.lib.restway_cache_remove,
            self._client._handle,
            native.ref(_filter(**filter)),
            native.ref(count),
        )
        return int(count.value)


class Cache(CacheBase):
    """The response cache of a Client.

        client.cache.discriminator = "user 7"
        if note := client.cache.find("enterprises"):
            print(f"{note.age} s old, fresh: {not note.is_stale}")
        client.cache.remove(route="enterprises")

    Everything raises ConfigError when the client has no cache, and ClosedError.
    """

    __slots__ = ()

    def find(self, target: Request | str) -> CacheNote | None:
        return self._find(target)

    @property
    def statistics(self) -> CacheStatistics:
        """The counts of the cache, and its present size."""
        return self._statistics()

    def entries(
        self, limit: int | None = None, **filter: Unpack[CacheFilter]
    ) -> list[CacheEntry]:
        return self._entries(limit, filter)

    def remove(self, **filter: Unpack[CacheFilter]) -> int:
        return self._remove(_some(filter))

    def clear(self) -> int:
        return self._remove({})


class AsyncCache(CacheBase):
    """The response cache of an AsyncClient. What may wait for the file is awaited."""

    __slots__ = ()

    async def find(self, target: Request | str) -> CacheNote | None:
        return await _elsewhere(lambda: self._find(target))

    async def statistics(self) -> CacheStatistics:
        """Returns what the cache has done, and what it holds."""
        return await _elsewhere(self._statistics)

    async def entries(
        self, limit: int | None = None, **filter: Unpack[CacheFilter]
    ) -> list[CacheEntry]:
        return await _elsewhere(lambda: self._entries(limit, filter))

    async def remove(self, **filter: Unpack[CacheFilter]) -> int:
        some = _some(filter)
        return await _elsewhere(lambda: self._remove(some))

    async def clear(self) -> int:
        return await _elsewhere(lambda: self._remove({}))


async def _elsewhere(function: Callable[[], T]) -> T:
    """Runs a function that may wait for a file, on another thread."""
    return await asyncio.get_running_loop().run_in_executor(None, function)


def _some(filter: CacheFilter) -> CacheFilter:
    if all(value is None for value in filter.values()):
        raise TypeError("remove() needs a keyword; clear() removes all entries")
    return filter


def _filter(
    *,
    key: str | None = None,
    url: str | None = None,
    route: str | None = None,
    discriminator: str | None = None,
    age: float | None = None,
) -> native.CacheFilter:
    made = native.CacheFilter()
    check(native.lib.restway_cache_filter_init, native.ref(made), native.size_of(made))
    made.key = optional_name(key)
    made.url = optional_name(url)
    made.route = optional_name(route)
    made.discriminator = optional_name(discriminator)
    if age is not None:
        if not 0 <= age < 2**63:
            raise ValueError(f"an age is 0 seconds or more, not {age}")
        made.age_seconds_min = -int(-age // 1)
    return made


def _entry(listed: native.CacheEntriesHandle, index: int) -> CacheEntry:
    entry = native.CacheEntry()
    check(native.lib.restway_cache_entry_init, native.ref(entry), native.size_of(entry))
    check(native.lib.restway_cache_entries_read, listed, index, native.ref(entry))
    return CacheEntry(
        key=entry.key.decode(),
        method=entry.method.decode(),
        url=entry.url.decode(),
        route=native.borrowed(entry.route),
        discriminator=native.borrowed(entry.discriminator),
        status=entry.status,
        age=entry.age_seconds,
        lifetime=entry.lifetime_seconds,
        is_stale=bool(entry.is_stale),
        bytes=entry.bytes,
    )

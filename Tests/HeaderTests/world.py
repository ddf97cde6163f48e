"""Makes a handle of every type, including those that exist only inside a callback."""

from __future__ import annotations

import ctypes
import json
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from calling import INT64, LIBRARY, NULL, OK, Memory, do, make

#: Every route of the document leads to a path of the server in `peer.py`.
DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"here": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Note": {
            "identity": "id",
            "attributes": {
                "id": {"type": "int"}, "text": {"type": "string"}, "at": {"type": "date"},
                "any": {}, "tags": {"type": ["string"]},
            },
            "relationships": {"others": {"entity": "Note", "many": True}},
        },
        "Card": {
            "identity": "id",
            "version": {"header": "ETag"},
            "attributes": {"id": {"type": "int"}, "count": {"type": "int"}},
        },
    },
    "auth": {"scheme": "bearer"},
    "batch": {"path": "/batch"},
    "outbox": {"path": "outbox.db"},
    "routes": {
        "notes": {"path": "notes", "response": {"entity": "Note", "hook": "look"}},
        "later": {"method": "POST", "path": "later", "offline": True},
        "note": {"path": "notes/:id", "response": {"entity": "Note"}},
        "status": {"path": "status"},
        "card": {
            "method": ["GET", "PATCH"], "path": "cards/:id", "entity": "Card",
            "request": {"entity": "Card"}, "response": {"entity": "Card"},
        },
        "paged": {"path": "notes", "pages": {"page": "page"}},
    },
}

#: A function that uses the handles that exist at one moment, by their types.
Act = Callable[[dict[str, int]], None]
_UNREACHABLE, _UNKNOWN = 2, 0
_DRAIN = 2
#: restway_event_kind
_CHANGED, _LIFECYCLE, _QUERY_CHANGED = 2, 8, 9
_CACHE_ON = 1
_WAIT_MILLISECONDS = 10_000


def load() -> int:
    text = json.dumps(DOCUMENT).encode()
    return make("restway_api_load", text, len(text))


def own() -> dict[str, int]:
    """Makes the handles that need neither a server nor a file."""
    memory = Memory()
    document = {key: value for key, value in DOCUMENT.items() if key not in ("outbox", "routes")}
    document["routes"] = {"paged": DOCUMENT["routes"]["paged"]}
    text = json.dumps(document).encode()
    handles = {"restway_api": make("restway_api_load", text, len(text))}
    options = memory.struct("restway_client_options", {"cache_flags": _CACHE_ON})
    handles["restway_client"] = make("restway_client_create", handles["restway_api"], options)
    client = handles["restway_client"]
    handles["restway_store"] = LIBRARY.restway_client_store(client)
    store = handles["restway_store"]
    handles["restway_clock"] = make("restway_clock_create")
    handles["restway_interrupt"] = make("restway_interrupt_create")
    handles["restway_request"] = make("restway_request_create", b"GET", b"status")
    handles["restway_resource"] = make("restway_resource_create_bytes", None, 0, None, None)
    handles["restway_scope"] = make("restway_scope_create", None)
    handles["restway_batch"] = make("restway_batch_create", client)
    handles["restway_draft"] = make("restway_draft_create", store, b"Note")
    do("restway_draft_set", handles["restway_draft"], b"id", memory.value(INT64, 1))
    do("restway_draft_add_value", handles["restway_draft"], b"tags", memory.value(NULL, 0))
    handles["restway_object"] = make("restway_draft_insert", handles["restway_draft"])
    handles["restway_values"] = make("restway_object_values", handles["restway_object"], b"tags")
    handles["restway_query"] = make("restway_query_create", store, b"Note")
    handles["restway_text"] = make("restway_object_json", handles["restway_object"], store, 1, 0, 0)
    handles["restway_groups"] = make(
        "restway_store_count_groups", store, handles["restway_query"], b"id")
    handles["restway_pending"] = make("restway_store_pending", store, handles["restway_object"])
    handles["restway_transaction"] = make("restway_transaction_create", store)
    handles["restway_cookies"] = make("restway_client_cookies", client, None)
    handles["restway_cache_entries"] = make("restway_cache_list", client, None, 0)
    handles["restway_outgoing"] = make("restway_client_inspect", client, handles["restway_request"])
    handles["restway_url"] = make("restway_url_split", b"http://127.0.0.1/?a=b")
    handles["restway_active_calls"] = make("restway_client_active_calls", client)
    handles["restway_routing_client"] = make("restway_routing_client_create", client)
    paged = make("restway_request_create_route", None, b"paged")
    handles["restway_pages"] = make("restway_client_pages", client, paged, None)
    handles["restway_paged_list"] = make("restway_client_paged_list", client, paged)
    LIBRARY.restway_request_release(paged)
    return handles


class World:
    """Makes a client of the server at `url`, and the handles that it gives."""

    def __init__(self, url: str, directory: str) -> None:
        self._memory = Memory()
        self._callbacks: list[Any] = []
        self._asking = threading.Lock()
        self.act: Act | None = None
        self.seen: set[str] = set()
        self.handles = {"restway_api": load()}
        api = self.handles["restway_api"]
        do("restway_api_add_hook", api, b"look", self._asked("rows", "answer"), None, None)
        options = self._memory.struct(
            "restway_client_options",
            {
                "base_url": self._memory.text(url), "delivery": _DRAIN,
                "outbox_path": self._memory.text(os.path.join(directory, "outbox.db")),
                "cache_path": self._memory.text(os.path.join(directory, "cache.db")),
            },
        )
        self.client = self.handles["restway_client"] = make("restway_client_create", api, options)
        self._fill()
        self._set_callbacks()

    def _fill(self) -> None:
        handles, client = self.handles, self.client
        handles["restway_store"] = LIBRARY.restway_client_store(client)
        store = handles["restway_store"]
        handles["restway_observer"] = make("restway_client_observe", client, None, None, None, None)
        handles["restway_clock"] = make("restway_clock_create")
        handles["restway_interrupt"] = make("restway_interrupt_create")
        handles["restway_query"] = make("restway_query_create", store, b"Note")
        do("restway_client_observe_query", client, handles["restway_query"], None, None, None, None,
           None)
        handles["restway_draft"] = make("restway_draft_create", store, b"Note")
        draft = handles["restway_draft"]
        do("restway_draft_set", draft, b"id", self._memory.value(INT64, 7))
        do("restway_draft_add_value", draft, b"tags", self._memory.value(NULL, 0))
        handles["restway_object"] = make("restway_draft_insert", draft)
        handles["restway_values"] = make(
            "restway_object_values", handles["restway_object"], b"tags")
        handles["restway_list"] = make("restway_store_all", store, b"Note")
        handles["restway_text"] = make(
            "restway_list_json", handles["restway_list"], 0, 1, store, 1, 0, 0)
        handles["restway_query"] = make("restway_query_create", store, b"Note")
        handles["restway_groups"] = make(
            "restway_store_count_groups", store, handles["restway_query"], b"id")
        handles["restway_pending"] = make(
            "restway_store_pending", store, handles["restway_object"])
        handles["restway_resource"] = make("restway_resource_create_bytes", None, 0, None, None)
        handles["restway_scope"] = make("restway_scope_create", None)
        handles["restway_batch"] = make("restway_batch_create", client)
        handles["restway_request"] = make("restway_request_create_route", None, b"note")
        do(
            "restway_request_set_variable", handles["restway_request"], b"id",
            self._memory.value(INT64, 1),
        )
        handles["restway_transaction"] = make("restway_transaction_create", store)
        handles["restway_cookies"] = make("restway_client_cookies", client, None)
        paged = make("restway_request_create_route", None, b"paged")
        handles["restway_pages"] = make("restway_client_pages", client, paged, None)
        handles["restway_paged_list"] = make("restway_client_paged_list", client, paged)
        LIBRARY.restway_request_release(paged)
        handles["restway_cache_entries"] = make("restway_cache_list", client, None, 0)
        handles["restway_outgoing"] = make(
            "restway_client_inspect", client, handles["restway_request"])
        handles["restway_url"] = make("restway_url_split", b"http://127.0.0.1/?a=b")
        handles["restway_active_calls"] = make("restway_client_active_calls", client)
        handles["restway_routing_client"] = make("restway_routing_client_create", client)
        handles["restway_changes"] = self._payload(_CHANGED)
        handles["restway_query_changes"] = self._payload(_QUERY_CHANGED)
        request = make("restway_request_create_route", None, b"later")
        do("restway_client_set_reachability", client, _UNREACHABLE)
        error = ctypes.c_void_p()
        LIBRARY.restway_client_perform(client, request, _WAIT_MILLISECONDS, None,
                                       ctypes.byref(error))
        handles["restway_error"] = error.value or 0
        handles["restway_outbox_items"] = make("restway_outbox_list", client)
        handles["restway_outbox_item"] = LIBRARY.restway_outbox_items_item(
            handles["restway_outbox_items"], 0)
        handles["restway_conflicts"] = make("restway_outbox_conflicts", client)
        do("restway_client_set_reachability", client, _UNKNOWN)
        self._conflicting = self._failing_in_conflict()
        handles["restway_conflict"] = LIBRARY.restway_error_conflict(self._conflicting)
        handles["restway_call"] = make(
            "restway_client_send", client, handles["restway_request"], None, None, None)
        handles["restway_response"] = make(
            "restway_call_wait", handles["restway_call"], _WAIT_MILLISECONDS)
        observer = make("restway_client_observe_calls", client, None, None, None, None)
        self._perform(make("restway_request_create", b"GET", b"status"))
        handles["restway_lifecycle_event"] = self._payload(_LIFECYCLE)
        LIBRARY.restway_observer_remove(observer)
        LIBRARY.restway_observer_release(observer)

    def _failing_in_conflict(self) -> int:
        """Returns the error of a call whose change does not fit a change at the server."""
        store, error = self.handles["restway_store"], ctypes.c_void_p()
        self._perform(make("restway_request_create", b"GET", b"cards/1"))
        card = make("restway_store_find", store, b"Card", self._memory.value(INT64, 1))
        draft = make("restway_draft_copy", store, card)
        do("restway_draft_set", draft, b"count", self._memory.value(INT64, -1))
        self._perform(make("restway_request_create", b"GET", b"cards/1"))
        request = make("restway_request_create_draft", b"PATCH", draft)
        LIBRARY.restway_client_perform(self.client, request, 0, None, ctypes.byref(error))
        for kind, handle in {"object": card, "draft": draft, "request": request}.items():
            getattr(LIBRARY, f"restway_{kind}_release")(handle)
        return error.value or 0

    def _payload(self, kind: int) -> int:
        """Returns the payload of the first event of a kind."""
        event = (ctypes.c_uint64 * 8)()
        count = ctypes.c_size_t()
        for _ in range(1_000):
            do("restway_client_drain", self.client, ctypes.addressof(event), 1,
               ctypes.addressof(count))
            if count.value and event[0] & 0xFFFFFFFF == kind:
                return int(event[3])
            if count.value:
                LIBRARY.restway_event_release(ctypes.addressof(event))
            # It has happened already; a worker delivers its notice.
            os.sched_yield()
        raise AssertionError("no event came")

    # Callbacks

    def _asked(self, *names: str) -> int:
        """Makes a callback whose parameters after the context are handles of these types."""

        def ask(_context: object, *given: int) -> int:
            new = {f"restway_{name}": handle for name, handle in zip(names, given, strict=True)}
            with self._asking:
                if self.act and not self.seen >= set(new):
                    self.seen |= set(new)
                    self.act(self.handles | new)
            return OK

        kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, *[ctypes.c_void_p] * len(names))
        callback = kind(ask)
        self._callbacks.append(callback)
        return ctypes.cast(callback, ctypes.c_void_p).value or 0

    def _set_callbacks(self) -> None:
        for name, types in {
            "restway_client_set_authorize": ("exchange",),
            "restway_client_set_failure_reader": ("failure",),
            "restway_client_set_refresh": ("refresh",),
        }.items():
            do(name, self.client, self._asked(*types), None, None)
        do("restway_client_add_modifier", self.client, self._asked("pipeline_context"), None, 0,
           None, None, None)
        do("restway_client_set_batch_format", self.client,
           self._encoding(), self._asked("batch_reader", "answer"), None, None)

    def _encoding(self) -> int:
        """Calls `act`, and then writes a body, so that the batch is sent."""
        asked = self._asked("batch_writer", "answer")
        ask = self._callbacks[-1]

        def encode(context: object, writer: int, answer: int) -> int:
            ask(context, writer, answer)
            status = LIBRARY.restway_batch_writer_set_body(writer, b"x", 1, b"text/plain", None)
            return int(status)

        callback = type(ask)(encode)
        self._callbacks.append(callback)
        assert asked
        return ctypes.cast(callback, ctypes.c_void_p).value or 0

    def _perform(self, request: int, milliseconds: int = 0) -> None:
        """Ignores the result, because only the callbacks matter. 0 milliseconds set no limit."""
        LIBRARY.restway_client_perform(self.client, request, milliseconds, None, None)
        LIBRARY.restway_request_release(request)

    def visit(self, act: Act) -> set[str]:
        """Calls `act` with all handles that a program keeps, then inside callbacks with their
        handles as well. Returns the types of all handles.
        """
        act(dict(self.handles))
        self.act = act
        self._perform(make("restway_request_create_route", None, b"notes"))
        self._perform(make("restway_request_create", b"GET", b"missing"))
        batch = make("restway_batch_create", self.client)
        do("restway_batch_add", batch, self.handles["restway_request"], None, None, None, None)
        LIBRARY.restway_batch_send(batch, None, None, None, None)
        LIBRARY.restway_batch_wait(batch, 0, None)
        LIBRARY.restway_batch_release(batch)
        # This comes last: nothing is sent while the refresh is in progress, which never ends.
        self._perform(make("restway_request_create", b"GET", b"secret"), _WAIT_MILLISECONDS)
        with self._asking:
            self.act = None
        return self.seen | set(self.handles)


@contextmanager
def world(url: str) -> Iterator[World]:
    with tempfile.TemporaryDirectory() as directory:
        made = World(url, directory)
        yield made
        LIBRARY.restway_client_close(made.client)

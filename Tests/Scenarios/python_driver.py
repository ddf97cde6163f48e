"""Performs the steps of a scenario with the Python package, as `c/driver.c` does in C."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from typing import Any

import restway

JSON = Any
"""A value that `json.loads` returns."""

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_SECONDS_MAX = 20
"""How long a step waits for notices that never come."""

_SOURCES = {
    restway.ChangeSource.LOCAL: "local",
    restway.ChangeSource.SERVER: "server",
    restway.ChangeSource.TAKEN_BACK: "takenBack",
}
_OPTIONS = {"strict": "strict_mapping", "goneIsDeleted": "gone_is_deleted", "cache": "cache"}


class PythonDriver:
    """A client of the package, and the calls that it has sent."""

    def __init__(self) -> None:
        self._handles = restway.debug_live_handles()
        self._opened: dict[str, JSON] = {}
        self._clock: restway.Clock | None = None
        self._client: restway.Client | None = None
        self._sent: dict[str, restway.Call] = {}
        self._notices: list[JSON] = []
        self._told = threading.Condition()

    def perform(self, step: dict[str, JSON]) -> dict[str, JSON]:
        """Performs a step and returns what came of it."""
        perform: Callable[[dict[str, JSON]], dict[str, JSON]] = getattr(self, f"_{step['do']}")
        return perform(step)

    def close(self) -> None:
        """Ends the client. No handle of the library may be left."""
        self._end()
        self._clock = None
        gc.collect()
        left = restway.debug_live_handles() - self._handles
        # A worker may still free the context of a callback, and with it a handle.
        limit = time.monotonic() + 20
        while left != 0 and time.monotonic() < limit:
            os.sched_yield()
            left = restway.debug_live_handles() - self._handles
        assert left == 0, f"{left} handles are left"

    def _end(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = None
        self._sent = {}

    @property
    def client(self) -> restway.Client:
        assert self._client is not None
        return self._client

    def _open(self, step: dict[str, JSON]) -> dict[str, JSON]:
        self._opened = step
        if step.get("options", {}).get("clock"):
            self._clock = restway.Clock()
        return self._restart(step)

    def _restart(self, step: dict[str, JSON]) -> dict[str, JSON]:
        self._end()
        options, folder = self._opened.get("options", {}), self._opened["folder"]
        chosen: dict[str, Any] = {_OPTIONS[key]: True for key in options if key in _OPTIONS}
        if options.get("outbox"):
            chosen["outbox_path"] = f"{folder}/outbox.db"
        if options.get("storeFile"):
            chosen["store_path"] = f"{folder}/objects.db"
        try:
            api = restway.API.from_json(self._opened["document"])
            self._client = restway.Client(api, clock=self._clock, random_seed=1, **chosen)
        except restway.RestwayError as error:
            return self._failed(error)
        return {"status": int(restway.Status.OK)}

    def _call(self, step: dict[str, JSON]) -> dict[str, JSON]:
        request = self._request(step)
        return self._outcome(lambda: self.client.perform(request))

    def _send(self, step: dict[str, JSON]) -> dict[str, JSON]:
        request = self._request(step)
        try:
            self._sent[step["name"]] = self.client.send(request)
        except restway.RestwayError as error:
            return self._failed(error)
        return {"status": int(restway.Status.OK)}

    def _wait(self, step: dict[str, JSON]) -> dict[str, JSON]:
        return self._outcome(self._sent[step["name"]].wait)

    def _cancel(self, step: dict[str, JSON]) -> dict[str, JSON]:
        self._sent[step["name"]].cancel()
        return self._wait(step)

    def _batch(self, step: dict[str, JSON]) -> dict[str, JSON]:
        batch = self.client.batch()
        calls = [batch.add(self._request(call)) for call in step["calls"]]
        batch.send()
        outcome: dict[str, JSON] = {"status": int(restway.Status.OK)}
        try:
            batch.wait()
        except restway.RestwayError as error:
            outcome = self._failed(error)
        return {**outcome, "results": [self._outcome(call.wait) for call in calls]}

    def _reachability(self, step: dict[str, JSON]) -> dict[str, JSON]:
        self.client.set_reachability(restway.Reachability[step["value"].upper()])
        return {"status": int(restway.Status.OK)}

    def _flush(self, step: dict[str, JSON]) -> dict[str, JSON]:
        ended = threading.Event()
        reports: list[restway.OutboxItems] = []

        def on_flushed(items: restway.OutboxItems) -> None:
            reports.append(items)
            ended.set()

        self.client.outbox.flush(on_flushed, force=True)
        ended.wait()
        error = reports[0].error
        return {"status": int(restway.Status.OK if error is None else error.status)}

    def _outbox(self, step: dict[str, JSON]) -> dict[str, JSON]:
        items = [
            {
                "method": item.method,
                "path": item.path,
                "state": int(item.state),
                "http": 0 if item.response is None else item.response.status,
            }
            for item in self.client.outbox.items()
        ]
        return {"items": items, "needsFlushing": self.client.outbox.needs_flushing}

    def _store(self, step: dict[str, JSON]) -> dict[str, JSON]:
        store = self.client.store
        contents, unsent, unloaded = {}, {}, {}
        for entity in self._opened["document"].get("entities", {}):
            found = list(store.all(entity))
            if found:
                contents[entity] = [_shown(item)[entity] for item in found]
            count = sum(store.is_unsent(item) for item in found)
            if count:
                unsent[entity] = count
            everything = store.query(entity).unloaded(None)
            named = [_shown(item)[entity] for item in everything if not item.is_loaded]
            if named:
                unloaded[entity] = named
        return {"store": contents, "unsent": unsent, "unloaded": unloaded}

    def _advance(self, step: dict[str, JSON]) -> dict[str, JSON]:
        assert self._clock is not None
        self._clock.advance(step["milliseconds"] / 1000)
        return {}

    def _discriminator(self, step: dict[str, JSON]) -> dict[str, JSON]:
        self.client.cache.discriminator = step["value"]
        return {}

    def _pending(self, step: dict[str, JSON]) -> dict[str, JSON]:
        store, wanted = self.client.store, step["object"]
        everything = store.query(wanted["entity"]).pending_deletes("show")
        item = next(item for item in everything if item.identity == wanted["identity"])
        pending, confirmed = store.pending(item), store.confirmed(item)
        assert bool(pending) == (len(pending) > 0 or pending.deletes)
        return {
            "pending": {
                name: {"mine": _plain(value.mine), "base": _plain(value.base)}
                for name, value in pending.items()
            },
            "deletes": pending.deletes,
            "confirmed": None if confirmed is None else _shown(confirmed),
        }

    def _find(self, step: dict[str, JSON]) -> dict[str, JSON]:
        query = self.client.store.query(step["entity"])
        if "pending" in step:
            query = query.pending(step["pending"])
        if "conflicted" in step:
            query = query.conflicted(step["conflicted"])
        if "pendingDeletes" in step:
            query = query.pending_deletes(step["pendingDeletes"])
        return {"found": [item.identity for item in query]}

    def _conflicts(self, step: dict[str, JSON]) -> dict[str, JSON]:
        return {"conflicts": [_conflict(found) for found in self.client.outbox.conflicts()]}

    def _resolve(self, step: dict[str, JSON]) -> dict[str, JSON]:
        for conflict in self.client.outbox.conflicts():
            self._choose(step, conflict)
            conflict.resolve()
        return {}

    def _resolver(self, step: dict[str, JSON]) -> dict[str, JSON]:
        @self.client.resolver(step.get("entity"))
        def decide(conflict: restway.Conflict) -> None:
            self._choose(step, conflict)
            if step.get("fails"):
                raise LookupError("nobody knows")

        return {}

    def _choose(self, step: dict[str, JSON], conflict: restway.Conflict) -> None:
        """Makes the choices that the members of a step describe."""
        values = {name: self._said(value) for name, value in step.get("set", {}).items()}
        conflict.choose(step.get("side"), **values)
        for name, side in step.get("sides", {}).items():
            conflict.choose(side, name)

    def _version(self, step: dict[str, JSON]) -> dict[str, JSON]:
        return {"version": self.client.store.version(self._object(step["object"]))}

    def _drop(self, step: dict[str, JSON]) -> dict[str, JSON]:
        return {"dropped": self.client.outbox.drop_all()}

    def _retry(self, step: dict[str, JSON]) -> dict[str, JSON]:
        for item in self.client.outbox.items():
            if item.state is restway.OutboxState.DEAD:
                self.client.outbox.retry(item)
        return {}

    def _observe(self, step: dict[str, JSON]) -> dict[str, JSON]:
        def on_changes(changes: restway.Changes) -> None:
            notice = [_change(change) for change in changes]
            with self._told:
                self._notices.append(notice)
                self._told.notify_all()

        self.client.observe(on_changes)
        return {}

    def _changes(self, step: dict[str, JSON]) -> dict[str, JSON]:
        with self._told:
            self._told.wait_for(lambda: len(self._notices) >= step["count"], _SECONDS_MAX)
            notices, self._notices = self._notices, []
        return {"changes": notices}

    def _events(self, step: dict[str, JSON]) -> dict[str, JSON]:
        with self.client.events(step["path"]) as events:
            return {"events": sum(len(event.objects) for event in events)}

    def _request(self, step: dict[str, JSON]) -> restway.Request:
        options: dict[str, Any] = {
            "variables": {k: self._said(v) for k, v in step.get("variables", {}).items()},
            "params": step.get("parameters", {}),
            "headers": step.get("headers", {}),
        }
        if "text" in step:
            options["body"] = step["text"].encode()
            options["media_type"] = step["mediaType"]
        if "optimistic" in step:
            options["optimistic"] = step["optimistic"]
        if "lane" in step:
            options["lane"] = step["lane"]
        subject: restway.Object | restway.Draft | None = None
        if "object" in step:
            subject = self._object(step["object"])
        elif "draft" in step:
            subject = self._draft(step["draft"])
        method = step.get("method")
        if "path" in step:
            request = restway.Request.path(step["method"], step["path"], **options)
        elif "route" in step:
            request = restway.Request.route(step["route"], method, **options)
        elif isinstance(subject, restway.Object):
            return restway.Request.object(step["method"], subject, **options)
        else:
            assert subject is not None
            return restway.Request.draft(step["method"], subject, **options)
        return request if subject is None else request.about(subject)

    def _object(self, reference: dict[str, JSON]) -> restway.Object:
        found = self.client.store.find(reference["entity"], reference["identity"])
        assert found is not None, f"the store has no {reference}"
        return found

    def _draft(self, description: dict[str, JSON]) -> restway.Draft:
        of: str | restway.Object = description["entity"]
        if "of" in description:
            of = self._object({"entity": of, "identity": description["of"]})
        values = {name: self._said(value) for name, value in description["set"].items()}
        return self.client.draft(of, **values)

    def _said(self, value: JSON) -> Any:
        if isinstance(value, list):
            return [self._said(element) for element in value]
        if isinstance(value, dict) and value.keys() == {"entity", "identity"}:
            return self._object(value)
        return value

    def _outcome(self, respond: Callable[[], restway.Response]) -> dict[str, JSON]:
        try:
            response = respond()
        except restway.RestwayError as error:
            return self._failed(error)
        return {"status": int(restway.Status.OK), **_told(response)}

    def _failed(self, error: restway.RestwayError) -> dict[str, JSON]:
        answer = {} if error.response is None else _told(error.response)
        return {
            **answer,
            "status": int(error.status),
            "details": [{"path": found.path, "code": found.code} for found in error.details],
            "field": error.field,
            "apiCode": error.api_code,
            "apiMessage": error.api_message,
            "retryable": error.retryable,
            "attempts": len(error.attempts),
            "conflict": None if error.conflict is None else _conflict(error.conflict),
        }


def _conflict(conflict: restway.Conflict) -> dict[str, JSON]:
    """Returns a conflict with its three sides."""
    first, *more = conflict.kind.name.split("_")
    return {
        "kind": first.lower() + "".join(map(str.capitalize, more)),
        conflict.mine.entity: conflict.mine.identity,
        "values": {
            name: {side: _plain(each) for side, each in value._asdict().items()}
            for name, value in conflict.items()
        },
        "theirs": None if conflict.theirs is None else _shown(conflict.theirs),
    }


def _told(response: restway.Response) -> dict[str, JSON]:
    """Returns what a response says."""
    parsed = None
    with suppress(restway.MappingError):
        parsed = response.json()
    return {
        "http": response.status,
        "mapped": response.is_mapped,
        "objects": [_shown(item) for item in response.objects],
        "issues": [issue.key_path for issue in response.issues],
        "counts": [len(found) for found in response.results],
        "headers": {name.lower(): value for name, value in response.headers.items()},
        "json": parsed,
        "text": response.body.decode(),
        "attempts": len(response.attempts),
    }


def _change(change: restway.Change) -> dict[str, JSON]:
    """Returns what an observer is told of one object."""
    told: dict[str, JSON] = {
        "kind": change.kind.name.lower(),
        change.object.entity: change.object.identity,
        "source": _SOURCES[change.source],
        "pendingChanged": change.pending_changed,
    }
    if change.kind is restway.ChangeKind.UPDATED:
        told["changed"] = [*change.attributes, *change.relationships]
    return told


def _plain(value: object) -> JSON:
    """Returns a value of an attribute, or the identities of the objects of a relationship."""
    if isinstance(value, restway.Object):
        return value.identity
    if isinstance(value, restway.Objects):
        return [item.identity for item in value]
    return value


def _shown(item: restway.Object) -> dict[str, JSON]:
    """Returns an object as its entity and its values; a related object is its identity."""
    shown: dict[str, JSON] = {}
    for name, value in item.attributes().items():
        if isinstance(value, datetime):
            value = (value - _EPOCH) // timedelta(microseconds=1)
        shown[name] = value
    for name in item.relationships():
        if item.related_keys(name) is None:
            continue
        found = item[name]
        if isinstance(found, restway.Object):
            shown[name] = found.identity
        else:
            shown[name] = None if found is None else [other.identity for other in found]
    return {item.entity: shown}

"""The names of this package for the names and keywords that programs expect, often from other
packages. Only a mistake loads this module.
"""

from __future__ import annotations

from collections.abc import Mapping

_WAITED_FOR = "`wait()` returns the response"
_SENT = "client.post(draft) and client.patch(draft) send it"
_DRAFTED = "make a draft, and send it: client.patch(client.draft(object, name=...))"
_INSERTED = "draft.insert() puts a draft into the store"

INSTEAD: Mapping[str, Mapping[str, str]] = {
    "ClientBase": {
        "auth": "client.set_credential sets a credential",
        "base_url": "the base URL is an option: Client(api, base_url=...)",
        "open": "a client is open from the start",
        "query": "client.store.query selects objects",
        "request": "client.perform(Request.path(method, path)) sends any method",
        "timeout": "time limits are options of a client and of a request: timeout=...",
        "verify": "`tls` is an option: Client(api, tls=restway.TLS(...))",
    },
    "Call": dict.fromkeys(
        ("body", "headers", "json", "object", "objects", "response", "result", "status", "text"),
        _WAITED_FOR,
    ),
    "Response": {
        "content": "a Response has `body`",
        "data": "`objects` are its objects, `json()` its JSON",
        "elapsed": "`timings.total` is the time in seconds",
        "first": "`object` is the first object",
        "iter_bytes": "client.stream(request) reads an answer piece by piece",
        "iter_content": "client.stream(request) reads an answer piece by piece",
        "iter_lines": "client.events(request, format='lines') reads JSON line by line",
        "ok": "a status that is not a success raises HTTPStatusError",
        "raise_for_status": "a status that is not a success has raised HTTPStatusError",
        "status_code": "a Response has `status`",
        "to_json": "`objects.to_json()` is the JSON of its objects, `text` its body",
        "wait": "the client has waited; client.send gives a Call, which is waited for",
    },
    "Draft": {
        "commit": _SENT,
        "patch": _SENT,
        "post": _SENT,
        "save": _SENT,
        "send": _SENT,
        "submit": _SENT,
    },
    "Object": {
        "copy": "client.draft(object) makes a copy that can be changed",
        "delete": "client.delete(object) deletes it on the server",
        "dict": "`to_dict()` returns a dict",
        "items": "`attributes()` returns a dict",
        "json": "`to_json()` returns JSON",
        "refresh": "client.get(object) asks for it again",
        "reload": "client.get(object) asks for it again",
        "save": _DRAFTED,
        "update": _DRAFTED,
        "values": "`attributes()` returns a dict",
    },
    "Objects": {
        "filter": "client.store.query(entity).filter(...) selects objects",
        "first": "objects[0] is the first one, if there is one",
    },
    "Query": {
        "exclude": "filter('not ...') leaves objects out",
        "filter_by": "where(name=value) compares an attribute",
        "get": "store.find(entity, identity) finds one object",
        "to_json": "all().to_json() is the JSON of the objects",
        "values": "all().values('name') gives attributes as tuples",
    },
    "Store": {
        "add": _INSERTED,
        "filter": "query(entity).filter(...) selects objects",
        "get": "find(entity, identity) finds an object",
        "insert": _INSERTED,
        "save": _INSERTED,
    },
    "StreamedCall": dict.fromkeys(
        ("iter_bytes", "json", "read", "status", "text"),
        "the answer is what `with` gives: with client.stream(request) as answer",
    ),
    "AsyncStreamedCall": dict.fromkeys(
        ("iter_bytes", "json", "read", "status", "text"),
        "the answer is what `async with` gives: async with client.stream(request) as answer",
    ),
}
"""For the name of each class, or of a base: what stands there for an attribute, as the end of a
sentence.
"""

PICKLED: Mapping[str, str] = {
    "ClientBase": "each process makes a client of its own",
    "Draft": "its present values can: draft.snapshot()",
    "Query": "the objects that it finds can: query.all()",
    "Response": "its objects can: response.objects",
}
"""For the name of each class, or of a base: what goes through a pickle in its place."""

_FOLLOW = "follow_redirects is an option of the client"
_TRUST = "tls=restway.TLS(...) of a client says which servers it trusts"
_RETRY = 'client.set_retry(...), or "retry" of the API document, says what is tried again'
_CREDENTIAL = 'client.set_credential(...), or "auth" of the API document, sets a credential'

KEYWORDS: Mapping[str, Mapping[str, str]] = {
    "client": {
        "auth": _CREDENTIAL,
        "cert": _TRUST,
        "credential": _CREDENTIAL,
        "event_hooks": "client.add_modifier and client.add_interceptor take functions",
        "headers": 'client.headers, or "headers" of an environment, go with each request',
        "http2": "network=restway.Network(http_version=...) chooses the version",
        "limits": "connections_max and connections_per_host_max bound the connections",
        "max_retries": _RETRY,
        "retries": _RETRY,
        "retry": _RETRY,
        "token": _CREDENTIAL,
        "verify": _TRUST,
    },
    "request": {
        "allow_redirects": _FOLLOW,
        "cert": _TRUST,
        "cookies": "client.cookies.set(...) sets a cookie",
        "credential": _CREDENTIAL,
        "depth": "it goes with into",
        "follow_redirects": _FOLLOW,
        "proxies": "proxy is an option of the client",
        "proxy": "proxy is an option of the client",
        "retries": _RETRY,
        "retry": _RETRY,
        "stream": "client.stream(request) reads an answer piece by piece",
        "token": _CREDENTIAL,
        "unknown": "it goes with into",
        "verify": _TRUST,
    },
}
"""The keywords of this package for keywords that clients and requests do not have."""

SYNONYMS: Mapping[str, str] = {
    "allow_redirects": "follow_redirects",
    "content": "body",
    "data": "params",
    "max_redirects": "redirects_max",
    "outbox": "outbox_path",
    "payload": "json",
    "plugins": "load_plugins",
    "proxies": "proxy",
    "query": "params",
    "store": "store_path",
    "url": "base_url",
}
"""Keywords of other packages, and the keywords that stand for them here."""

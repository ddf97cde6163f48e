"""The types that a type checker infers for users. Checked by mypy, never run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

import restway

if TYPE_CHECKING:
    from typing_extensions import assert_type


def apis(path: Path) -> None:
    api = restway.API.load(path)
    assert_type(api, restway.API)
    assert_type(restway.API.from_json({"restway": 1}), restway.API)
    assert_type(restway.API.check("{}"), list[restway.Problem])
    assert_type(api.route_property("enterprises", "x-note"), Any)


def clients(api: restway.API) -> None:
    with restway.Client(api, environment="local", timeout=30.0) as client:
        assert_type(client, restway.Client)
        assert_type(client.api, restway.API)
        assert_type(client.get("enterprises", params={"city": "Rome"}), restway.Response)
        assert_type(client.route("enterprise", variables={"itemID": 12}), restway.Response)
        assert_type(client.post("enterprises", params={"name": "Rossi"}), restway.Response)
        call = client.send(restway.Request.path("GET", "enterprises"), on_done)
        assert_type(call, restway.Call)
        assert_type(call.wait(1.5), restway.Response)
        assert_type(call.done, bool)
        assert_type(call.id, int)
        assert_type(client.store, restway.Store)
        assert_type(client.store.find("Enterprise", 12), Optional[restway.Object])
        assert_type(client.store.count("Enterprise"), int)
        client.get(12)  # type: ignore[call-overload]
        client.get("enterprises", body=b"")  # type: ignore[call-overload]
        client.post("enterprises", json={}, lane="new", idempotency_key=True, auth="none")
        client.post("enterprises", lane=7)  # type: ignore[call-overload]
        restway.Client(api, timeout="30")  # type: ignore[arg-type]


def routed(client: restway.Client, api: restway.API) -> None:
    routing = restway.RoutingClient({"enterprises": client}, default=client)
    assert_type(routing.route("enterprises"), restway.Response)
    assert_type(routing.find(restway.Request.route("enterprises")), restway.Client)
    restway.AsyncRoutingClient({}, default=client)  # type: ignore[arg-type]


def kept(client: restway.Client, request: restway.Request) -> None:
    request.update(cache="only", cache_ttl=60)
    request.update(cache="never")  # type: ignore[arg-type]
    assert_type(client.perform(request).cache, Optional[restway.CacheNote])
    assert_type(client.cache.find("enterprises"), Optional[restway.CacheNote])
    assert_type(client.cache.statistics.hits, int)
    assert_type(client.cache.entries(10, route="enterprises"), list[restway.CacheEntry])
    assert_type(client.cache.remove(age=60.0), int)
    client.cache.remove(name="enterprises")  # type: ignore[call-arg]
    client.cache.discriminator = "user 7"


def questions(client: restway.Client, request: restway.Request) -> None:
    assert_type(client.curl_command(request, reveal=True), str)
    client.add_modifier(lambda context: context.request.update(headers={"X-Signed": "yes"}))
    client.add_interceptor(lambda context: context.send_again(), routes=["things"]).remove()
    client.add_modifier("refuse")  # type: ignore[arg-type]
    client.set_auth(refresh=lambda: restway.Credential(token="t", expires_in=60.0))
    client.set_auth(authorize=lambda exchange: exchange.set_header("X-Signed", "yes"))
    client.set_auth(should_replay=lambda error: error.api_code == "4", persist=None)
    client.set_auth(refresh=lambda: 7)  # type: ignore[arg-type,return-value]
    client.set_credential("token")
    client.set_credential(7)  # type: ignore[arg-type]
    client.set_retry({"attempts": 3})
    request.update(auth="none", idempotency_key=True)
    request.update(auth="never")  # type: ignore[arg-type]
    request.watch(lambda call, progress: print(call.id, progress.fraction), interval=1)
    request.watch(lambda progress: None)  # type: ignore[arg-type,misc]


def processed(api: restway.API) -> None:
    with restway.Client(api, delivery="process", ca_file="ca.pem") as client:
        assert_type(client.process(1.5), int)
        assert_type(client.fileno(), int)
    restway.Client(api, delivery="drain")  # type: ignore[arg-type]


async def awaited(api: restway.API, request: restway.Request) -> None:
    async with restway.AsyncClient(api, environment="local", timeout=30.0) as client:
        assert_type(client, restway.AsyncClient)
        assert_type(await client.get("enterprises"), restway.Response)
        assert_type(await client.route("enterprise", variables={"itemID": 12}), restway.Response)
        several = await asyncio.gather(client.get("enterprises/1"), client.head("enterprises/2"))
        assert_type(several, tuple[restway.Response, restway.Response])
        assert_type(await client.perform(request), restway.Response)
        assert_type((await client.cache.statistics()).hits, int)
        assert_type(await client.send(request), restway.Response)
        assert_type(client.store, restway.Store)


def on_done(call: restway.Call) -> None:
    assert_type(call.wait(), restway.Response)


@dataclass
class Thing:
    name: str


def performed_into(client: restway.Client, request: restway.Request) -> None:
    assert_type(client.perform(request, into=list[Thing], depth=1), list[Thing])
    assert_type(client.perform(request, timeout=3, into=Thing), Thing)
    assert_type(client.map("Thing", b"[]", key_path="a", into=list[Thing]), list[Thing])
    assert_type(client.map("Thing", b"[]", commit=False), restway.Response)
    assert_type(client.pages("things", prefetch=True, into=Thing), restway.PagesInto[Thing])
    assert_type(client.pages("things", prefetch=True), restway.Pages)
    assert_type(next(iter(client.scope().pages("things", into=Thing))), Thing)
    client.pages("things", depth=1)  # type: ignore[call-overload]
    client.perform(request, depth=1)  # type: ignore[call-overload]
    client.map("Thing", b"[]", into=Thing, keypath="a")  # type: ignore[call-overload]


async def performed_awaited(client: restway.AsyncClient, request: restway.Request) -> None:
    assert_type(await client.perform(request, into=list[Thing]), list[Thing])
    assert_type(await client.map("Thing", b"[]", into=Thing), Thing)
    async for thing in client.pages("things", into=Thing):
        assert_type(thing, Thing)


def requests(some: restway.Object) -> None:
    assert_type(restway.Request.path("GET", "enterprises"), restway.Request)
    assert_type(restway.Request.route("enterprises"), restway.Request)
    assert_type(restway.Request.object("GET", some), restway.Request)
    restway.Request.object("GET", "enterprises")  # type: ignore[arg-type]


def responses(response: restway.Response) -> None:
    assert_type(response.status, int)
    assert_type(response.headers, restway.Headers)
    assert_type(response.headers["ETag"], str)
    assert_type(response.body, bytes)
    assert_type(response.text, str)
    assert_type(response.json(), Any)
    assert_type(response.objects, restway.Objects)
    assert_type(response.objects[0], restway.Object)
    assert_type(response.objects[1:], restway.Objects)
    assert_type(response.object, Optional[restway.Object])
    assert_type(response.results, list[restway.Objects])
    assert_type(response.timings, restway.Timings)
    assert_type(response.timings.total, Optional[float])
    assert_type(response.issues, list[restway.MappingIssue])
    for item in response.objects:
        assert_type(item, restway.Object)


def objects(item: restway.Object) -> None:
    assert_type(item.entity, str)
    assert_type(item.identity, Union[int, str, tuple[Union[int, str], ...], None])
    assert_type(item.store_key, int)
    assert_type(item.name, Any)
    assert_type(item["name"], Any)
    assert_type(item.attributes(), dict[str, Any])
    assert_type(item.keys(), list[str])


def failures(error: restway.HTTPStatusError) -> None:
    assert_type(error.status, int)
    assert_type(error.http_status, int)
    assert_type(error.retryable, bool)
    assert_type(error.api_code, Optional[str])
    assert_type(error.details, list[restway.Problem])
    assert_type(error.response, Optional[restway.Response])


def logs() -> None:
    restway.flush_log()
    assert_type(restway.version(), str)
    assert_type(restway.debug_live_handles(), int)
    assert_type(restway.debug_handle_kinds(), dict[str, int])


def relationships(some: restway.Object, objects: restway.Objects) -> None:
    assert_type(some.related("members"), restway.Objects)
    assert_type(some.related_keys("members"), Optional[list[int]])
    assert_type(some.relationships(), list[str])
    assert_type(objects.values("name"), Iterator[tuple[Any, ...]])


def whole(item: restway.Object, response: restway.Response, query: restway.Query) -> None:
    assert_type(item.to_dict(2), dict[str, Any])
    assert_type(item.to_json(), str)
    assert_type(item.to_value(), restway.ObjectValue)
    assert_type(response.to_dicts(), list[dict[str, Any]])
    assert_type(query.to_dicts(0), list[dict[str, Any]])
    assert_type(response.objects.to_values(), list[restway.ObjectValue])
    assert_type(query.columns(1), restway.Columns)
    item.to_dict("deep")  # type: ignore[arg-type]


def stores(client: restway.Client, store: restway.Store, some: restway.Object) -> None:
    query = store.query("Team").where("id", ">=", 1).where(name="x").order_by("-name").limit(5)
    assert_type(query, restway.Query)
    assert_type(query.filter("id in ?", [1, 2]), restway.Query)
    assert_type(query[1:3], restway.Query)
    assert_type(query[0], restway.Object)
    assert_type(len(query), int)
    assert_type(query.counts(by="city"), dict[Any, int])
    assert_type(client.observe_query(print, query), restway.QueryObserver)
    with store.transaction() as transaction:
        assert_type(transaction, restway.Transaction)
        assert_type(transaction.changes, Optional[restway.Changes])
    assert_type(query.all(), restway.Objects)
    assert_type(query.first(), Optional[restway.Object])
    assert_type(query.count(), int)
    assert_type(store.all("Team"), restway.Objects)
    assert_type(store.delete(some), bool)
    assert_type(store.delete_identity("Team", 1), bool)
    assert_type(store.delete_all("Team"), int)
    assert_type(store.clear(), int)
    assert_type(store.is_unsent(some), bool)
    assert_type(store.statistics(), restway.Statistics)
    query.where("id", "~", 1)  # type: ignore[arg-type]


def observers(client: restway.Client, some: restway.Object) -> None:
    assert_type(client.observe(on_change), restway.Observer)
    with client.observe(on_change, "Team") as observer:
        assert_type(observer, restway.Observer)
        observer.remove()
    client.observe(on_change, some)
    client.observe(on_change, 5)  # type: ignore[arg-type]


def waiting(store: restway.Store, item: restway.Object) -> None:
    pending = store.pending(item)
    assert_type(pending, restway.Pending)
    assert_type(pending["name"], restway.PendingValue)
    assert_type(store.confirmed(item), Optional[restway.Object])
    assert_type(store.query("Enterprise").pending().pending_deletes("show"), restway.Query)
    store.query("Enterprise").pending_deletes("never")  # type: ignore[arg-type]


def conflicts(client: restway.Client, error: restway.RestwayError) -> None:
    for conflict in client.outbox.conflicts():
        assert_type(conflict, restway.Conflict)
        assert_type(conflict["name"], restway.ConflictValue)
        assert_type(conflict.kind, restway.ConflictKind)
        assert_type(conflict.mine, restway.Object)
        assert_type(conflict.theirs, Optional[restway.Object])
        conflict.choose("theirs", "name", "rating")
        conflict.resolve("mine", name="Both")
        conflict.choose("ours")  # type: ignore[arg-type]
    assert_type(error.conflict, Optional[restway.Conflict])
    assert_type(client.store.query("Enterprise").conflicted(), restway.Query)

    @client.resolver("Enterprise")
    def decide(conflict: restway.Conflict) -> None:
        conflict.choose("theirs")

    client.set_resolver(decide)


def on_change(changes: restway.Changes) -> None:
    for change in changes:
        assert_type(change, restway.Change)
        assert_type(change.kind, restway.ChangeKind)
        assert_type(change.source, restway.ChangeSource)
        assert_type(change.pending_changed, bool)
        assert_type(change.object, restway.Object)
        assert_type(change.before, Optional[restway.Object])
        assert_type(change.attributes, tuple[str, ...])


async def gathered(client: restway.AsyncClient) -> list[Any]:
    return await asyncio.gather(*(client.get(f"enterprises/{number}") for number in range(2)))


@dataclass
class Company:
    name: str


def read_into(client: restway.Client, scope: restway.Scope, response: restway.Response) -> None:
    assert_type(client.get("enterprises", into=list[Company]), list[Company])
    assert_type(client.get("enterprises/3", into=Company, depth=1, timeout=2.0), Company)
    assert_type(client.route("enterprise", variables={"itemID": 3}, into=Company), Company)
    assert_type(client.post("enterprises", json={}, into=Company, unknown="rest"), Company)
    assert_type(scope.route("enterprise", into=Company), Company)
    assert_type(response.into(list[Company]), list[Company])
    assert_type(response.objects.into(Company), Company)
    print(client.get("enterprises", into=Company).nmae)  # type: ignore[attr-defined]
    client.get("enterprises", into=Company, deep=1)  # type: ignore[call-overload]
    client.get("enterprises", depth=1)  # type: ignore[call-overload]
    client.delete("enterprises/3", into=Company)  # type: ignore[call-arg]
    client.batch().get("enterprises", into=Company)  # type: ignore[call-arg]


async def awaited_into(client: restway.AsyncClient, scope: restway.AsyncScope) -> None:
    assert_type(await client.get("enterprises", into=list[Company]), list[Company])
    assert_type(await client.route("enterprises", into=Company), Company)
    assert_type(await scope.route("enterprise", into=Company), Company)
    gathered = await asyncio.gather(client.get("a", into=Company), client.get("b"))
    assert_type(gathered, tuple[Company, restway.Response])


def given(client: restway.Client, company: Company) -> None:
    client.post("enterprises", json=company, nulls="omit")
    client.post("enterprises", body=company)
    client.get("enterprises", params=company)
    client.route("enterprise", variables=company)
    client.get("enterprises", params=5)  # type: ignore[call-overload]
    client.route("enterprise", variables=5)  # type: ignore[call-overload]
    client.post("enterprises", json=company, nulls="drop")  # type: ignore[call-overload]

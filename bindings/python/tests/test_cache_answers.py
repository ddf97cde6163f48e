"""Whose answer the cache gives: operations and media types with one URL, answers behind redirects,
and requests by path, which have the rules of the route whose path they have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import restway
from restway import CacheState, Reachability

from .peer import Peer


@pytest.fixture(params=["memory", "file"])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return True if request.param == "memory" else tmp_path / "cache.db"


@contextmanager
def client_of(peer: Peer, routes: dict[str, Any], cache: Any) -> Iterator[restway.Client]:
    api = restway.API.from_json({"restway": 1, "routes": routes})
    with restway.Client(api, base_url=peer.url, timeout=30, cache=cache) as client:
        yield client


def play(peer: Peer, answer: Callable[[str, dict[str, str]], None]) -> None:
    """Lets `answer` choose the answer to each request, from its target and its header fields."""

    def heard() -> None:
        lines = peer.requests[-1].partition(b"\r\n\r\n")[0].decode().split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in lines[1:])
        answer(lines[0].split(" ")[1], fields)

    peer.heard = heard


def states(*responses: restway.Response) -> list[CacheState | None]:
    return [note.state if (note := response.cache) else None for response in responses]


def operation(name: str, **more: Any) -> dict[str, Any]:
    return {
        "method": "POST", "path": "", "cacheTTL": 60, "cache": {"unsafe": True}, "parse": "text",
        "headers": {"X-Amz-Target": name}, **more,
    }


def test_an_unsafe_answer_belongs_to_its_operation(peer: Peer, cache: Any) -> None:
    play(peer, lambda _, fields: peer.respond(fields["x-amz-target"].encode(), "text/plain"))
    routes = {"one": operation("one"), "two": operation("two"), "also": operation("one")}
    with client_of(peer, routes, cache) as client:
        assert client.route("one").value == "one"
        assert client.route("two").value == "two"
        # The route counts, because it says what an answer means.
        assert client.route("also").value == "one"
        assert client.route("one", headers={"X-Amz-Target": "three"}).value == "three"
        assert len(peer.requests) == 4
        again = [client.route(name) for name in ("one", "two", "also")]
        assert [each.value for each in again] == ["one", "two", "one"]
        assert states(*again) == [CacheState.HIT] * 3 and len(peer.requests) == 4


def test_an_unsafe_answer_belongs_to_the_media_type_of_its_body(peer: Peer, cache: Any) -> None:
    play(peer, lambda _, fields: peer.respond(fields["content-type"].encode(), "text/plain"))
    with client_of(peer, {"go": operation("go")}, cache) as client:
        for media_type in ("application/json", "application/ld+json") * 2:
            got = client.route("go", body=b"{}", media_type=media_type)
            assert got.value == media_type
        assert len(peer.requests) == 2


def test_an_idempotency_key_does_not_tell_unsafe_requests_apart(peer: Peer, cache: Any) -> None:
    play(peer, lambda _, fields: peer.respond(fields["idempotency-key"].encode(), "text/plain"))
    retry = {"attempts": 2, "idempotencyKey": True}
    with client_of(peer, {"go": operation("go", retry=retry)}, cache) as client:
        assert client.route("go").value == client.route("go").value
        assert len(peer.requests) == 1


def test_routes_with_other_media_types_have_answers_of_their_own(peer: Peer, cache: Any) -> None:
    play(peer, lambda _, fields: peer.respond(b"{}", fields["accept"]))
    routes = {
        name: {"path": "manifest", "accept": f"application/{name}+json", "cacheTTL": 60}
        for name in ("image", "index")
    }
    with client_of(peer, routes, cache) as client:
        for name in ("image", "index", "image", "index"):
            assert client.route(name).headers["Content-Type"] == f"application/{name}+json"
        assert len(peer.requests) == 2
        client.cache.remove(url=f"{peer.url}/manifest")
        client.route("image")
        assert len(peer.requests) == 3


def test_an_answer_of_a_refused_type_is_not_kept(peer: Peer, cache: Any) -> None:
    routes = {"report": {"path": "report", "accept": "text/csv", "parse": "text", "cacheTTL": 60}}
    with client_of(peer, routes, cache) as client:
        peer.respond(b"<p>Sign in</p>", "text/html")
        refused = "expected text/csv, the server sent text/html: <p>Sign in"
        with pytest.raises(restway.MappingError, match=refused):
            client.route("report")
        peer.respond(b"a,b", "text/csv")
        assert client.route("report").value == "a,b"


def redirecting(
    peer: Peer, far: Peer, status: int = 307, fields: dict[str, str] | None = None
) -> None:
    """Redirects to an address that is good for one request, as stores of blobs do."""
    play(
        peer,
        lambda *_: peer.respond(
            b"", status=status,
            headers={
                "Location": f"{far.url}/blob?signature={len(peer.requests)}", **(fields or {}),
            },
        ),
    )


@pytest.fixture
def far() -> Iterator[Peer]:
    with Peer() as other:
        other.respond(b'"far"')
        yield other


def test_an_answer_behind_a_redirect_is_found_by_the_first_url(
    peer: Peer, far: Peer, cache: Any
) -> None:
    redirecting(peer, far)
    with client_of(peer, {"blob": {"path": "blob", "cacheTTL": 60}}, cache) as client:
        got = states(*(client.route("blob") for _ in range(2)), client.route("blob", cache="only"))
        assert got == [CacheState.STORED, CacheState.HIT, CacheState.HIT]
        assert (len(peer.requests), len(far.requests)) == (1, 1)
        client.route("blob", cache="reload")
        assert client.route("blob").url == f"{far.url}/blob?signature=2"
        # One entry, and not one for each signed URL.
        assert [entry.url for entry in client.cache.entries()] == [f"{peer.url}/blob"]
        assert client.cache.remove(url=f"{peer.url}/blob") == 1


def test_an_answer_behind_a_redirect_is_read_offline(peer: Peer, far: Peer, cache: Any) -> None:
    redirecting(peer, far)
    with client_of(peer, {"blob": {"path": "blob", "offline": True}}, cache) as client:
        assert client.route("blob").json() == "far"
        # The redirect may lead elsewhere at any time, so the server is asked while it can be.
        assert states(client.route("blob")) == [CacheState.STORED]
        client.set_reachability(Reachability.UNREACHABLE)
        kept = client.route("blob")
        assert kept.json() == "far" and states(kept) == [CacheState.STALE]
        assert (len(peer.requests), len(far.requests)) == (2, 2)
        client.set_reachability(Reachability.UNKNOWN)
        peer.heard = lambda: None
        peer.answer = b""
        assert states(client.route("blob")) == [CacheState.STALE]


def test_an_answer_behind_a_redirect_varies_as_the_redirect_does(
    peer: Peer, far: Peer, cache: Any
) -> None:
    redirecting(peer, far, fields={"Vary": "Accept-Language"})
    with client_of(peer, {"blob": {"path": "blob", "cacheTTL": 60}}, cache) as client:
        for language in ("de", "en", "de"):
            client.route("blob", headers={"Accept-Language": language})
        assert len(far.requests) == 2


def test_an_answer_is_validated_where_the_redirect_leads_to_the_same_url(
    peer: Peer, far: Peer, cache: Any
) -> None:
    peer.respond(b"", status=302, headers={"Location": f"{far.url}/v1"})
    far.respond(b'"far"', headers={"ETag": '"1"'})
    with client_of(peer, {}, cache) as client:
        client.get("latest")
        far.respond(b"", status=304, headers={"ETag": '"1"'})
        again = client.get("latest")
        assert again.json() == "far" and states(again) == [CacheState.VALIDATED]
        assert b'\r\nIf-None-Match: "1"\r\n' in far.requests[-1]
        assert b"If-None-Match" not in peer.requests[-1]
        # An answer elsewhere may have the same tag by chance.
        peer.respond(b"", status=302, headers={"Location": f"{far.url}/v2"})
        far.respond(b'"newer"', headers={"ETag": '"1"'})
        assert client.get("latest").json() == "newer"
        assert b"If-None-Match" not in far.requests[-1]


def test_a_redirect_that_must_not_be_kept_hides_what_is_behind_it(
    peer: Peer, far: Peer, cache: Any
) -> None:
    redirecting(peer, far, fields={"Cache-Control": "no-store"})
    with client_of(peer, {"blob": {"path": "blob", "cacheTTL": 60}}, cache) as client:
        client.route("blob")
        assert states(client.route("blob", cache="only")) == [CacheState.MISSING]


def test_a_get_by_path_has_the_rules_of_its_route(peer: Peer, cache: Any) -> None:
    routes = {
        "thing": {
            "path": "things/:id", "cacheTTL": 60, "invalidatesCachedRouteNames": ["listed"],
        },
        "listed": {"path": "listed", "cacheTTL": 60},
        "kept": {"path": "kept/:id", "offline": True},
        "sure": {"path": "sure/:id", "cache": {"staleIfError": 600}},
        "secret": {"path": "things/secret", "cache": {"bypass": True}},
        "search": operation("search", path="search"),
        "change": {"method": "PUT", "path": "things", "invalidatesCachedRouteNames": ["thing"]},
    }
    peer.respond(b"{}")
    with client_of(peer, routes, cache) as client:
        by_route = client.route("thing", variables={"id": 1})
        got = states(by_route, client.get("things/1"), client.get("things/1"))
        assert got == [CacheState.STORED, CacheState.HIT, CacheState.HIT]
        # The most specific path counts.
        assert states(client.get("things/secret")) == [None]
        # A read by path makes nothing invalid.
        assert states(client.get("listed"), client.get("things/2"), client.get("listed")) == [
            CacheState.STORED, CacheState.STORED, CacheState.HIT,
        ]
        client.get("kept/1")
        client.get("sure/1")
        # Nothing says that this is the operation of the route.
        for _ in range(2):
            assert states(client.post("search")) != [CacheState.HIT]
        client.route("change")
        assert states(client.get("things/1")) == [CacheState.STORED]
        peer.respond(b"", status=503)
        assert states(client.get("sure/1")) == [CacheState.STALE]
        client.set_reachability(Reachability.UNREACHABLE)
        assert states(client.get("kept/1")) == [CacheState.STALE]

"""Clients: their options, their errors, and failures that they survive."""

from __future__ import annotations

import gc
import math
import resource
import threading
from typing import Any

import pytest

import restway

from .conftest import DOCUMENT, MakeClient
from .peer import Peer, unused_port
from .test_object import THINGS


def test_an_unknown_environment_is_named() -> None:
    with pytest.raises(restway.UnknownEnvironmentError, match="nowhere"):
        restway.Client(restway.API.from_json(THINGS), "nowhere")


@pytest.mark.parametrize("url", ["not a url", "http://", "ftp://x", "http://x:99999"])
def test_a_base_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises((restway.InvalidURLError, restway.UsageError)):
        restway.Client(restway.API.empty(), base_url=url)


@pytest.mark.parametrize(
    "options",
    [
        {"timeout": 0},
        {"timeout": -3},
        {"connect_timeout": math.nan},
        {"first_byte_timeout": -1},
        {"body_bytes_max": 0},
        {"objects_max": -1},
        {"connections_max": 2**31},
        {"base_url": "a\0b"},
    ],
    ids=repr,
)
def test_options_out_of_range_are_value_errors(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        restway.Client(restway.API.empty(), **options)


def test_a_nesting_depth_out_of_range_is_a_usage_error() -> None:
    with pytest.raises(restway.UsageError):
        restway.Client(restway.API.empty(), base_url="http://x", nesting_depth_max=2049)


def test_requests_go_through_the_proxy_that_the_environment_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Peer() as proxy:
        proxy.respond(b"[]")
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.setenv("http_proxy", proxy.url)
        base = f"http://127.0.0.1:{unused_port()}"
        with restway.Client(restway.API.empty(), base_url=base) as client:
            assert client.get("things").status == 200
    assert proxy.requests[0].startswith(f"GET {base}/things HTTP/1.1\r\n".encode())


def test_a_port_that_nobody_listens_on_is_a_connect_error() -> None:
    url = f"http://127.0.0.1:{unused_port()}"
    with restway.Client(restway.API.empty(), base_url=url) as client:
        with pytest.raises(restway.ConnectError) as caught:
            client.get("x")
    assert isinstance(caught.value, restway.TransportError)
    assert caught.value.retryable and caught.value.transport_code != 0
    assert caught.value.domain == restway.Domain.TRANSPORT
    assert caught.value.response is None


def test_a_host_that_does_not_resolve_is_a_resolve_error() -> None:
    # A label with one octet too many (RFC 1035, section 2.3.4): the resolver sends no query.
    with restway.Client(restway.API.empty(), base_url=f"http://{'a' * 64}") as client:
        with pytest.raises(restway.ResolveError):
            client.get("x")


def test_unknown_routes_and_missing_variables_are_told_before_sending(
    client: restway.Client,
) -> None:
    with pytest.raises(restway.UnknownRouteError, match="nobody"):
        client.route("nobody")
    with pytest.raises(restway.MissingVariableError) as caught:
        client.route("enterprise")
    assert caught.value.field == "itemID"
    with pytest.raises(restway.MissingVariableError):
        client.route("enterprise", variables={"itemID": None})
    with pytest.raises(restway.MethodNotAllowedError):
        client.route("enterprises", "DELETE")
    person = client.get("people/1").object
    assert person is not None
    with pytest.raises(restway.UnknownRouteError):
        client.delete(person)


def test_a_failed_status_carries_the_answer_and_the_apis_own_words(client: restway.Client) -> None:
    with pytest.raises(restway.HTTPStatusError) as caught:
        client.get("enterprises/99999")
    error = caught.value
    assert (error.status, error.http_status) == (restway.Status.HTTP, 404)
    assert (error.api_code, error.domain) == ("40401", error.domain)
    assert error.api_message is not None and "99999" in error.api_message
    assert error.response is not None
    assert error.response.status == 404
    assert error.response.json()["error"]["error_code"] == 40401
    assert not error.retryable


@pytest.mark.parametrize("code", [400, 401, 403, 409, 418, 500, 501, 503])
def test_every_failed_status_is_an_http_status_error(client: restway.Client, code: int) -> None:
    with pytest.raises(restway.HTTPStatusError) as caught:
        client.get(f"bad/status/{code}")
    assert caught.value.http_status == code
    assert caught.value.api_code == f"{code}99"


def test_html_where_json_is_mapped_is_a_mapping_error(peer: Peer) -> None:
    with restway.Client(restway.API.from_json(THINGS), base_url=peer.url) as client:
        peer.respond(b"<html>portal</html>", "text/html")
        with pytest.raises(restway.MappingError) as caught:
            client.get("things")
    assert caught.value.http_status == 200
    assert caught.value.response is not None and caught.value.response.text.startswith("<html>")


def test_html_that_nobody_maps_is_an_answer_like_any_other(client: restway.Client) -> None:
    response = client.get("bad/html")
    assert response.status == 200 and not response.is_mapped
    assert response.text.startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("path", ["bad/half", "bad/truncated-gzip"])
def test_half_a_body_is_a_transport_error(client: restway.Client, path: str) -> None:
    with pytest.raises((restway.ConnectionLostError, restway.ProtocolError)):
        client.get(path, headers={"Accept-Encoding": "gzip"})


def test_a_peer_that_speaks_no_http_is_a_transport_error(peer: Peer) -> None:
    peer.answer = b"SSH-2.0-OpenSSH_9.2p1\r\n"
    with restway.Client(restway.API.empty(), base_url=peer.url) as client:
        with pytest.raises(restway.TransportError):
            client.get("x")


def test_a_body_beyond_the_bound_is_too_large(make_client: MakeClient) -> None:
    with make_client(body_bytes_max=10_000) as client:
        assert len(client.get("bad/big", params={"bytes": 10_000}).body) == 10_000
        with pytest.raises(restway.TooLargeError):
            client.get("bad/big", params={"bytes": 10_001})


def test_nesting_a_hundred_thousand_deep_is_a_mapping_error(peer: Peer) -> None:
    depth = 100_000
    deep = b'{"tree":' * depth + b"1" + b"}" * depth
    with restway.Client(restway.API.from_json(THINGS), base_url=peer.url) as client:
        for body in (deep, b"[" * depth + b"]" * depth, b"[" * depth):
            peer.respond(body)
            with pytest.raises(restway.MappingError):
                client.get("things")


def test_deep_json_that_nobody_maps_is_refused_by_json(client: restway.Client) -> None:
    response = client.get("bad/deep", params={"depth": 100_000})
    with pytest.raises(restway.MappingError):
        response.json()


@pytest.mark.parametrize(
    "body",
    [b'{"id": 1, \xff: 1}', b'{"id": 1', b"nul", b"\x00", b"\xff\xfe"],
    ids=repr,
)
def test_a_body_that_is_no_json_is_a_mapping_error(peer: Peer, body: bytes) -> None:
    peer.respond(body)
    with restway.Client(restway.API.from_json(THINGS), base_url=peer.url) as client:
        with pytest.raises(restway.MappingError) as caught:
            client.get("things")
    assert caught.value.domain == restway.Domain.MAPPING
    assert caught.value.response is not None and caught.value.response.body == body


@pytest.mark.parametrize("body", [b"", b"7", b'"x"', b"true", b"[7, [], null, {}]"], ids=repr)
def test_a_body_of_any_shape_makes_no_phantom_objects(peer: Peer, body: bytes) -> None:
    peer.respond(body)
    with restway.Client(restway.API.from_json(THINGS), base_url=peer.url) as client:
        response = client.get("things")
        assert len(response.objects) == 0
        assert client.store.count() == 0


def test_strict_mapping_makes_issues_errors_and_stores_nothing(peer: Peer) -> None:
    peer.respond(b'[{"id": 1}, {"id": 2, "at": "never"}, {"id": 3, "on": []}]')
    api = restway.API.from_json(THINGS)
    with restway.Client(api, base_url=peer.url, strict_mapping=True) as client:
        with pytest.raises(restway.MappingError) as caught:
            client.get("things")
        assert [problem.path for problem in caught.value.details] == ["[1].at", "[2].on"]
        assert client.store.count() == 0


def test_redirects_are_bounded_and_can_be_switched_off(make_client: MakeClient) -> None:
    with make_client(redirects_max=2) as client:
        assert client.get("redirect/2").status == 200
        with pytest.raises(restway.TooManyRedirectsError):
            client.get("redirect/3")
    with make_client(follow_redirects=False) as client:
        with pytest.raises(restway.HTTPStatusError) as caught:
            client.get("redirect/1")
        assert caught.value.http_status == 302
    with make_client(redirects_max=0) as client:
        with pytest.raises(restway.RestwayError):
            client.get("redirect/1")


def test_cookies_are_kept_unless_switched_off(make_client: MakeClient) -> None:
    for cookies, expected in ((True, {"a": "1"}), (False, {})):
        with make_client(cookies=cookies) as client:
            client.get("cookies/set", params={"a": "1"})
            assert client.get("cookies").json()["cookies"] == expected


def test_the_user_agent_is_ours_unless_given(make_client: MakeClient) -> None:
    with make_client() as client:
        agent = client.get("echo").json()["headers"]["User-Agent"]
        assert agent == f"restway/{restway.version()}"
    with make_client(user_agent="kiosk/2") as client:
        assert client.get("echo").json()["headers"]["User-Agent"] == "kiosk/2"


def test_time_outs_end_the_exchange(make_client: MakeClient) -> None:
    with make_client(timeout=0.1) as client:
        with pytest.raises(restway.TimedOutError):
            client.get("bad/slow", params={"ms": 20_000})
    with make_client() as client:
        with pytest.raises(TimeoutError):
            client.get("bad/slow", params={"ms": 20_000}, timeout=0.1)
        with pytest.raises(restway.TimedOutError):
            client.perform(
                restway.Request.path("GET", "bad/slow", params={"ms": 20_000}), timeout=0.1
            )
        assert client.get("status", timeout=math.inf).status == 200


def test_a_closed_client_refuses_and_closing_twice_is_fine(make_client: MakeClient) -> None:
    with make_client() as client:
        assert client.get("status").status == 200
    client.close()
    with pytest.raises(restway.ClosedError):
        client.get("status")
    with pytest.raises(restway.ClosedError):
        client.send(restway.Request.path("GET", "status"), lambda call: None)


def test_blocking_calls_let_other_threads_run(client: restway.Client) -> None:
    statuses: list[int] = []

    def slow() -> None:
        statuses.append(client.get("bad/slow", params={"ms": 300}).status)

    threads = [threading.Thread(target=slow) for _ in range(8)]
    for thread in threads:
        thread.start()
    assert statuses == []  # the main thread is still running
    for thread in threads:
        thread.join()
    assert statuses == [200] * 8


def test_one_client_serves_many_threads(client: restway.Client) -> None:
    wrong: list[object] = []

    def work(number: int) -> None:
        for identity in range(number * 10 + 20, number * 10 + 30):
            found = client.get(f"enterprises/{identity}").object
            if found is None or found.identity != identity:
                wrong.append(found)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert client.store.count("Enterprise") == 80


def test_everything_is_gone_when_python_is_done_with_it(make_client: MakeClient) -> None:
    client = make_client()
    objects = list(client.get("enterprises").objects)
    assert restway.debug_live_handles() > len(objects) > 250
    kinds = restway.debug_handle_kinds()
    assert kinds["client"] == 1 and kinds["object"] == len(objects)
    assert sum(kinds.values()) == restway.debug_live_handles()
    del client, objects
    gc.collect()
    assert restway.debug_live_handles() == 0
    assert restway.debug_handle_kinds() == {}


def test_a_subclass_may_change_the_requests_that_it_is_given(demo_url: str) -> None:
    class Paging(restway.Client):
        page_count = 0

        def perform(  # type: ignore[override]  # it takes no into
            self, request: restway.Request, *, timeout: float | None = None
        ) -> restway.Response:
            self.page_count += 1
            request.update(params={f"p{self.page_count}": 1, "per_page": self.page_count})
            return super().perform(request, timeout=timeout)

    with Paging(restway.API.load(DOCUMENT), base_url=demo_url) as client:
        for count in (1, 2):
            response = client.get("enterprises")
            assert len(response.objects) == count
            assert f"p{count}=1" in response.url
        assert "p1=1" not in response.url


def test_a_thread_that_waits_for_an_answer_sleeps(make_client: MakeClient) -> None:
    """A waiting call uses no CPU, however soon the answers come."""

    def sleeps() -> int:
        return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw

    with make_client() as client:
        for _ in range(10):  # The first requests also wait until threads have started.
            client.get("bad/slow", params={"ms": 5})
        before = sleeps()
        for _ in range(40):
            client.get("bad/slow", params={"ms": 5})
        assert sleeps() - before > 20

"""httpbin as a server: methods, headers, codings, redirects, cookies, statuses, chunks, Unicode."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pytest
import restway
from conftest import MakeClient
from fault import TIMEOUT_SECONDS
from httpbin_peer import httpbin
from restway import Request, Response


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with httpbin(tmp_path_factory.mktemp("httpbin")) as url:
        yield url


@pytest.fixture
def client(server: str, make_client: MakeClient) -> restway.Client:
    return make_client(server, timeout=20.0)


def read(response: Response) -> Any:
    with response:
        return response.json()


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_body_arrives_with_its_method_and_type(method: str, client: restway.Client) -> None:
    request = Request.path(method, "anything", json={"name": "Zoë", "list": [1, None, 2.5]})
    seen = read(client.perform(request))
    assert seen["method"] == method
    assert seen["json"] == {"name": "Zoë", "list": [1, None, 2.5]}
    assert seen["headers"]["Content-Type"] == "application/json"


def test_parameters_arrive_in_the_query_or_in_the_body(client: restway.Client) -> None:
    params = {"q": "a b&c=d", "unicode": "日本", "list": ["x", "y"], "none": None}
    assert read(client.get("get", params=params))["args"] == {
        "q": "a b&c=d", "unicode": "日本", "list": ["x", "y"],
    }  # fmt: skip
    assert read(client.post("post", params=params))["json"] == params


def test_headers_arrive_and_come_back(client: restway.Client) -> None:
    seen = read(client.get("headers", headers={"X-Token": "one two", "Accept": None}))
    assert seen["headers"]["X-Token"] == "one two"
    assert "Accept" not in seen["headers"]
    assert seen["headers"]["User-Agent"].startswith("restway/")
    with client.get("response-headers", params={"X-Back": ["1", "2"]}) as response:
        assert response.headers["x-back"] == "1, 2"


@pytest.mark.parametrize(
    ("path", "coding", "mark"),
    [("gzip", "gzip", "gzipped"), ("deflate", "deflate", "deflated"), ("brotli", "br", "brotli")],
)
def test_codings_are_undone(path: str, coding: str, mark: str, client: restway.Client) -> None:
    with client.get(path) as response:
        assert response.headers["Content-Encoding"] == coding
        body = response.json()
    assert isinstance(body, dict)
    assert body[mark] is True


@pytest.mark.parametrize("path", ["relative-redirect/3", "absolute-redirect/3", "redirect/10"])
def test_redirects_are_followed(path: str, client: restway.Client, server: str) -> None:
    with client.get(path) as response:
        assert response.url == f"{server}/get"


def test_one_redirect_more_than_allowed_is_an_error(client: restway.Client) -> None:
    with pytest.raises(restway.TooManyRedirectsError, match="/redirect/11"):
        client.get("redirect/11")
    assert read(client.get("get"))["args"] == {}


@pytest.mark.parametrize(("status", "method"), [(302, "GET"), (303, "GET"), (307, "POST")])
def test_a_redirect_keeps_or_drops_the_method(
    status: int, method: str, client: restway.Client
) -> None:
    query = {"url": "/anything", "status_code": status}
    body = Request.path("POST", "redirect-to", params=query, body=b"kept?", media_type="text/plain")
    seen = read(client.perform(body))
    assert seen["method"] == method
    assert seen["data"] == ("kept?" if method == "POST" else "")


def test_redirects_can_be_left_alone(server: str, make_client: MakeClient) -> None:
    client = make_client(server, follow_redirects=False)
    with pytest.raises(restway.HTTPStatusError) as caught:
        client.get("redirect/1")
    assert caught.value.http_status == 302
    assert caught.value.response is not None
    assert caught.value.response.headers["Location"] == "/get"


def test_cookies_are_kept_for_one_client_alone(
    client: restway.Client, server: str, make_client: MakeClient
) -> None:
    # A redirect sets the cookie, and the next request must send it.
    assert read(client.get("cookies/set/flavour/vanilla"))["cookies"] == {"flavour": "vanilla"}
    assert read(client.get("cookies"))["cookies"] == {"flavour": "vanilla"}
    assert read(make_client(server).get("cookies"))["cookies"] == {}
    assert read(client.get("cookies/delete", params={"flavour": ""}))["cookies"] == {}


def test_cookies_can_be_switched_off(server: str, make_client: MakeClient) -> None:
    client = make_client(server, cookies=False)
    assert read(client.get("cookies/set/flavour/vanilla"))["cookies"] == {}


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_a_success_is_an_answer(status: int, client: restway.Client) -> None:
    with client.get(f"status/{status}") as response:
        assert response.status == status


@pytest.mark.parametrize(
    ("status", "retryable"),
    [(400, False), (401, False), (404, False), (418, False), (429, True), (500, True), (503, True)],
)
def test_any_other_status_is_an_error(
    status: int, retryable: bool, client: restway.Client
) -> None:
    with pytest.raises(restway.HTTPStatusError, match=f"answered {status}") as caught:
        client.get(f"status/{status}")
    assert caught.value.http_status == status
    assert caught.value.response is not None
    assert caught.value.response.status == status
    assert caught.value.retryable == retryable
    assert read(client.get("get"))["args"] == {}


def test_a_delay_longer_than_the_timeout_times_out(client: restway.Client) -> None:
    with pytest.raises(restway.TimedOutError, match="/delay/2"):
        client.get("delay/2", timeout=TIMEOUT_SECONDS)
    assert read(client.get("get"))["args"] == {}


def test_a_delay_within_the_timeout_is_waited_for(client: restway.Client) -> None:
    assert read(client.get("delay/0.2", timeout=10.0))["args"] == {}


def test_a_stream_in_chunks_arrives_whole(client: restway.Client) -> None:
    with client.get("stream/50") as response:
        assert response.headers["Transfer-Encoding"] == "chunked"
        lines = [json.loads(line) for line in response.text.splitlines()]
    assert [line["id"] for line in lines] == list(range(50))
    with client.get("stream-bytes/100000", params={"seed": 1, "chunk_size": 999}) as response:
        assert len(response.body) == 100_000


def test_unicode_survives_in_text_and_in_paths(client: restway.Client) -> None:
    with client.get("encoding/utf8") as response:
        assert "∮ E⋅da = Q" in response.text
        assert "Зарегистрируйтесь" in response.text
    seen = read(client.get("anything/:name", variables={"name": "Ærø/ø ü"}))
    assert unquote(seen["url"]).endswith("/anything/Ærø/ø ü")


def test_an_etag_is_answered_with_not_modified(client: restway.Client) -> None:
    with client.get("etag/abc", headers={"If-None-Match": '"abc"'}) as response:
        assert response.status == 304
    with pytest.raises(restway.HTTPStatusError) as failed:
        client.get("etag/abc", headers={"If-Match": '"other"'})
    assert failed.value.http_status == 412


def test_calls_side_by_side_get_their_own_answers(client: restway.Client) -> None:
    calls = [client.send(Request.path("GET", "get", params={"n": n})) for n in range(60)]
    assert [read(call.wait())["args"] for call in calls] == [{"n": str(n)} for n in range(60)]

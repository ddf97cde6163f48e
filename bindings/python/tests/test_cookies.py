"""Cookies: in memory and in a file, listed, set and cleared."""

from __future__ import annotations

from pathlib import Path

import pytest

import restway


def make(demo_url: str, path: Path | None = None) -> restway.Client:
    api = restway.API.from_json({"restway": 1})
    network = restway.Network(cookie_file=path)
    return restway.Client(api, base_url=demo_url, network=network)


def received(client: restway.Client) -> object:
    """Returns the cookies that the demo API gets."""
    return client.get("cookies").json()["cookies"]


def test_cookies_of_answers_are_listed_and_cleared(demo_url: str) -> None:
    with make(demo_url) as client:
        client.get("cookies/set", params={"flavour": "vanilla", "size": "big"})
        (cookie,) = (each for each in client.cookies.list(demo_url) if each.name == "size")
        assert cookie == restway.Cookie(
            "size", "big", "127.0.0.1", cookie.path, None, False, False, False
        )
        assert client.cookies.list("https://example.com") == []
        assert client.cookies.clear(demo_url, "size") == 1
        assert received(client) == {"flavour": "vanilla"}
        assert client.cookies.clear() == 1
        assert received(client) == {}


def test_cookies_of_the_program_are_sent(demo_url: str) -> None:
    with make(demo_url) as client:
        client.cookies.set("flavour", "vanilla")
        client.cookies.set("size", "big", url="https://example.com/v2", secure=True)
        client.cookies.set(
            "all", "1", domain="example.com", expires=4102444800, subdomains=True, http_only=True
        )
        assert received(client) == {"flavour": "vanilla"}
        assert [each.name for each in client.cookies.list("http://a.example.com/")] == ["all"]
        names = sorted(each.name for each in client.cookies.list("https://example.com/"))
        assert names == ["all", "size"]


def test_a_value_stays_out_of_texts(demo_url: str) -> None:
    with make(demo_url) as client:
        client.cookies.set("session", "hunter2")
        assert "hunter2" not in repr(client.cookies.list())
        for wrong in ("hunter2\r\n", "hunter2;"):
            with pytest.raises(restway.UsageError, match="value") as caught:
                client.cookies.set("session", wrong)
            assert "hunter2" not in str(caught.value)
        with pytest.raises(ValueError, match="NUL") as refused:
            client.cookies.set("session", "hunter2\0")
        assert "hunter2" not in str(refused.value)


def test_a_cookie_and_a_file_of_cookies_have_bounds(demo_url: str, tmp_path: Path) -> None:
    with make(demo_url) as client:
        client.cookies.set("flavour", "x" * 4_089)
        assert received(client) == {"flavour": "x" * 4_089}
        with pytest.raises(restway.UsageError, match="4096 bytes"):
            client.cookies.set("flavour", "x" * 4_090)
        assert received(client) == {"flavour": "x" * 4_089}
    path = tmp_path / "cookies.txt"
    for lines, message in (
        (["x" * 8_200], "the cookie of line 2 has more than 4096 bytes"),
        (["x"] * 3_001, "it has more than 3000 cookies"),
    ):
        rows = [f"127.0.0.1\tFALSE\t/\tFALSE\t0\tn{n}\t{each}" for n, each in enumerate(lines)]
        path.write_text("\n".join(["# Netscape HTTP Cookie File", *rows]) + "\n")
        with pytest.raises(restway.ConfigError, match=message):
            make(demo_url, path)


def test_a_path_that_ends_with_a_slash_is_not_the_path_without_it(demo_url: str) -> None:
    with make(demo_url) as client:
        client.cookies.set("folder", "1", path="/v2/cookies/")
        client.cookies.set("file", "2", path="/v2/cookies")
        assert received(client) == {"file": "2"}
        assert [each.name for each in client.cookies.list(f"{demo_url}/cookies")] == ["file"]
        names = {each.name for each in client.cookies.list(f"{demo_url}/cookies/set")}
        assert names == {"folder", "file"}
        client.get("cookies/set", params={"flavour": "vanilla"})
        assert received(client) == {"file": "2", "flavour": "vanilla"}


def test_a_client_without_cookies(demo_url: str) -> None:
    api = restway.API.from_json({"restway": 1})
    with (
        restway.Client(api, base_url=demo_url, cookies=False) as client,
        pytest.raises(restway.UsageError, match="keeps no cookies"),
    ):
        client.cookies.list()


def test_a_file_keeps_cookies_for_the_next_client(demo_url: str, tmp_path: Path) -> None:
    path = tmp_path / "cookies.txt"
    with make(demo_url, path) as client:
        client.get("cookies/set", params={"flavour": "vanilla"})
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["cookies.txt"]
    with make(demo_url, path) as client:
        assert received(client) == {"flavour": "vanilla"}
        client.cookies.clear()
    with make(demo_url, path) as client:
        assert received(client) == {}


def test_the_document_may_name_the_file(demo_url: str, tmp_path: Path) -> None:
    document = tmp_path / "api.json"
    document.write_text(
        f'{{"restway": 1, "environments": {{"here": {{"baseURL": "{demo_url}",'
        ' "cookieFile": "jar.txt"}}}'
    )
    with restway.Client(restway.API.load(document)) as client:
        client.cookies.set("flavour", "vanilla")
    assert "\tvanilla\n" in (tmp_path / "jar.txt").read_text()


def test_a_file_that_cannot_be_used(demo_url: str, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("hunter2")
    for path in (tmp_path, tmp_path / "none" / "cookies.txt", text):
        with pytest.raises(restway.ConfigError, match=str(path)) as caught:
            make(demo_url, path)
        assert "hunter2" not in str(caught.value)
    assert text.read_text() == "hunter2"


def test_python_reads_the_file(demo_url: str, tmp_path: Path) -> None:
    from http.cookiejar import MozillaCookieJar

    path = tmp_path / "cookies.txt"
    with make(demo_url, path) as client:
        client.cookies.set("flavour", "vanilla", domain="example.com", expires=4102444800)
    jar = MozillaCookieJar(str(path))
    jar.load()
    (cookie,) = jar
    assert (cookie.name, cookie.value, cookie.domain) == ("flavour", "vanilla", "example.com")
    jar.save()
    with make(demo_url, path) as client:
        assert [each.value for each in client.cookies.list()] == ["vanilla"]

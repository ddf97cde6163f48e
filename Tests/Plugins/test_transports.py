"""Transports of plugins: their functions, and the results if they violate their contract."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "python"))

import restway  # noqa: E402

SOURCES = [Path(__file__).with_name(name) for name in ("transport.c", "bad_transport.c")]
Lines = Callable[[], list[str]]

DOCUMENT = {
    "restway": 1,
    "environments": {"here": {"baseURL": "http://nowhere.invalid/v1"}},
    "entities": {
        "Thing": {
            "identity": "id",
            "attributes": {
                "id": {"type": "int"}, "method": "method", "url": "url", "sent": "sent", "by": "by",
                "authorization": "authorization", "total": "total", "priority": "priority",
                "digest": "digest",
            },
        }
    },
    "responses": [
        {"entity": "Thing"},
        *({"entity": "Thing", "method": method} for method in ("POST", "PUT", "DELETE")),
    ],
}


def build(directory: Path, *defines: str, name: str = "transport") -> Path:
    path = directory / f"{name}.so"
    subprocess.run(
        ["cc", "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-pedantic", "-Werror",
         "-O1", "-g", "-fPIC", "-shared", "-pthread", f"-I{ROOT / 'Include'}",
         *(f"-D{define}" for define in defines), *map(str, SOURCES), "-o", str(path)],
        check=True,
    )
    return path


@pytest.fixture(name="plugin", scope="module", autouse=True)
def _plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = build(tmp_path_factory.mktemp("transport"))
    restway.load_plugin(path)
    return path


@pytest.fixture(name="lines")
def _lines(caplog: pytest.LogCaptureFixture) -> Lines:
    def lines() -> list[str]:
        restway.flush_log()
        return caplog.messages

    return lines


def client(does: str, document: dict[str, Any] | None = None, **more: Any) -> restway.Client:
    api = restway.API.from_json({**DOCUMENT, **(document or {})})
    return restway.Client(
        api, transport="test", transport_options={"does": does}, **{"timeout": 30, **more})


def test_a_transport_answers() -> None:
    with client("answers") as c:
        response = c.get("things/7", params={"a": "b"})
        thing = response.objects[0].attributes()
    assert response.status == 200
    assert response.headers["content-type"] == "application/json"
    assert response.headers["X-Empty"] == ""
    assert thing["method"] == "GET"
    assert thing["url"] == "http://nowhere.invalid/v1/things/7?a=b"
    assert thing["sent"] == 0
    assert 0 < thing["total"] <= 30_000, "the rest of the time limit"


@pytest.mark.parametrize("does", ["answers", "threads", "pieces"])
@pytest.mark.parametrize("size", [1, 6, 7, 8, 100_000])
def test_the_body_of_a_request_is_pulled(does: str, size: int) -> None:
    with client(does) as c:
        request = restway.Request.path("POST", "things", body=b"x" * size)
        thing = c.perform(request).objects[0].attributes()
    assert thing["sent"] == size
    assert thing["by"] == does


def test_asyncio_works_over_it() -> None:
    async def run() -> list[Any]:
        api = restway.API.from_json(DOCUMENT)
        options = {"does": "threads"}
        async with restway.AsyncClient(api, transport="test", transport_options=options) as c:
            return await asyncio.gather(*(c.get(f"things/{n}") for n in range(200)))

    assert {response.status for response in asyncio.run(run())} == {200}


def test_processed_notices_work_over_it() -> None:
    with client("threads", delivery="process") as c:
        done: list[int] = []
        for number in range(20):
            request = restway.Request.path("GET", f"things/{number}")
            c.send(request, lambda call: done.append(call.wait().status))
        while len(done) < 20:
            c.process(10)
    assert done == [200] * 20


def test_authentication_and_redirects_work_over_it() -> None:
    with client("answers", {"auth": {"scheme": "bearer"}}) as c:
        c.set_credential(restway.Credential(token="t0ken"))
        assert c.get("things/7").objects[0].attributes()["authorization"] == "Bearer t0ken"
        response = c.get("things/redirect")
    assert response.objects[0].attributes()["url"] == "http://nowhere.invalid/v1/elsewhere?a=1"
    assert response.url == "http://nowhere.invalid/v1/elsewhere?a=1"


def test_priorities_and_trailers_go_through_it() -> None:
    with client("answers") as c:
        request = restway.Request.path("GET", "things/7", priority=5)
        response = c.perform(request)
        assert response.objects[0].attributes()["priority"] == 5
        request.update(priority=-(2**31))
        assert c.perform(request).objects[0].attributes()["priority"] == -(2**31)
        with pytest.raises(OverflowError):
            request.update(priority=2**31)
    assert response.trailers.lines == (("X-Trailer", "behind"),)
    assert response.trailers["x-trailer"] == "behind"
    assert "X-Trailer" not in response.headers


DIGEST = {"auth": {"scheme": "digest", "user": "demo"}}


def test_a_transport_is_given_what_answers_a_digest_challenge() -> None:
    with client("answers", DIGEST) as c:
        c.set_credential(restway.Credential(password="open sesame"))
        answer = c.get("things/7").objects[0].attributes()
        assert (answer["digest"], answer["authorization"]) == ("demo open sesame", "")
        # An exchange that it never completes fails the call, once.
        with pytest.raises(restway.HTTPStatusError, match="401") as caught:
            c.get("challenge")
    assert len(caught.value.attempts) == 1
    assert "sesame" not in str(caught.value)


def test_failures_are_retried_over_it() -> None:
    document = {"retry": {"attempts": 3, "baseMilliseconds": 1, "capMilliseconds": 1}}
    with client("refuses", document) as c, pytest.raises(restway.ConnectError) as caught:
        c.get("things/7")
    assert 'plugin "test-transport": transport "test": nobody is there' in str(caught.value)
    assert len(caught.value.attempts) == 3


def test_an_answer_of_another_status_is_an_error_like_any_other() -> None:
    with client("answers") as c, pytest.raises(restway.HTTPStatusError) as caught:
        c.get("status/404")
    assert caught.value.http_status == 404


def test_progress_is_told() -> None:
    with client("pieces") as c:
        told: list[int] = []
        request = restway.Request.path("GET", "things/7")
        request.watch(lambda call, progress: told.append(progress.download_done), interval=0.001)
        ended = threading.Event()
        call = c.send(request, lambda call: ended.set())
        assert ended.wait(30)
        assert told[-1] == len(call.wait().body)


# MARK: The choice of the transport


def test_a_document_and_a_route_choose() -> None:
    document = {
        "transport": {"name": "test", "options": {"does": "threads"}},
        "routes": {
            "own": {"path": "own", "transport": {"name": "test", "options": {"does": "answers"}}},
            "net": {"path": "net", "transport": "libcurl"},
            "all": {"path": "all"},
        },
    }
    api = restway.API.from_json({**DOCUMENT, **document})
    with restway.Client(api, timeout=10) as c:
        by = {name: c.route(name).objects[0].attributes()["by"] for name in ("own", "all")}
        with pytest.raises(restway.TransportError):
            c.route("net")
    assert by == {"own": "answers", "all": "threads"}


UNKNOWN: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "document": (
        {"transport": "pigeon"}, {}, '$.transport: no transport is called "pigeon" (there are: '),
    "route": (
        {"routes": {"a": {"path": "a", "transport": "owl"}}}, {},
        '$.routes.a.transport: no transport is called "owl"'),
    "client": ({}, {"transport": "crow"}, 'options.transport: no transport is called "crow"'),
    "options of a route": (
        {"routes": {"a": {"path": "a", "transport": {"name": "test", "options": {"x": 1}}}}}, {},
        '$.routes.a.transport: plugin "test-transport": transport "test": does not open: '
        'unknown key in {"x"'),
    "nothing opened": (
        {}, {"transport": "test", "transport_options": {"does": "opens nothing"}},
        "does not open: open returned no transport"),
    "options for libcurl": (
        {}, {"transport_options": {"a": 1}}, "options.transport: libcurl takes no options"),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_what_cannot_be_chosen_is_named(case: str) -> None:
    document, options, message = UNKNOWN[case]
    api = restway.API.from_json({**DOCUMENT, **document})
    with pytest.raises(restway.PluginError) as caught:
        restway.Client(api, **options)
    assert message in str(caught.value)


# MARK: Breaches of the contract


BROKEN = {
    "body before head": "calls exchange_body before exchange_head",
    "head twice": "calls exchange_head twice",
    "trailers before head": "calls exchange_trailers before exchange_head",
    "trailers twice": "calls exchange_trailers after exchange_trailers",
    "body after trailers": "calls exchange_body after exchange_trailers",
    "interim head": "gives a head with status 103",
    "no head at all": "calls exchange_head without a head",
    "odd header": "gives a head with a line that is no header",
    "odd value": "gives a head with a line that is no header",
    "null headers": "gives a head with a line that is no header",
    "no end": "calls exchange_completed without an end",
    "says nothing": "calls exchange_completed without exchange_head",
    "fails": "the wire is cut",
    "unknown result": "it gave no reason (4711)",
}
#: These are failures, not violations of the contract: the log does not mention them.
FAILURES = {"fails", "unknown result"}


@pytest.mark.parametrize("does", BROKEN)
def test_a_breach_fails_its_call_and_names_the_plugin(does: str, lines: Lines) -> None:
    told: list[str] = []
    with client(does) as c:
        for _ in range(3):
            with pytest.raises(restway.PluginError) as caught:
                c.get("things/7")
            told.append(str(caught.value))
    wanted = f'plugin "test-transport": transport "test": {BROKEN[does]}'
    assert all(wanted in text for text in told)
    count = len([line for line in lines() if line.startswith(wanted)])
    assert count == (0 if does in FAILURES else 3)


LATE = {
    "twice": ["exchange_completed"],
    "late": ["exchange_head", "exchange_body", "exchange_progress"],
}


@pytest.mark.parametrize("does", LATE)
def test_what_comes_after_the_end_does_nothing_but_a_line(does: str, lines: Lines) -> None:
    with client(does) as c:
        assert [c.get("things/7").status for _ in range(3)] == [200] * 3
    for function in LATE[does]:
        start = f'plugin "test-transport": transport "test": calls {function} for exchange'
        assert len([line for line in lines() if line.startswith(start)]) == 3


def test_the_watchdog_ends_what_never_completes(lines: Lines) -> None:
    clock = restway.Clock()
    with client("never", clock=clock, timeout=2) as c:
        call = c.send(restway.Request.path("GET", "things/7"))
        clock.advance(6.9)
        assert not call.done
        clock.advance(0.2)
        with pytest.raises(restway.TimedOutError) as caught:
            call.wait()
        message = 'transport "test": did not complete an exchange that may take 2000 ms'
        assert message in str(caught.value)
        clock.advance(5.1)
        _wait_for(lines, "never completed exchange")
    assert any(message in line for line in lines())


def _wait_for(lines: Lines, text: str) -> None:
    ended = threading.Event()
    for _ in range(1_000):
        if any(text in line for line in lines()):
            return
        ended.wait(0.01)
    raise AssertionError(f"{text!r} is not in the log: {lines()}")


def test_what_never_completes_after_a_cancel_is_given_up(lines: Lines) -> None:
    clock = restway.Clock()
    with client("never", clock=clock) as c:
        call = c.send(restway.Request.path("GET", "things/7"))
        call.cancel()
        with pytest.raises(restway.CancelledError):
            call.wait()
        clock.advance(5.1)
        _wait_for(lines, "never completed exchange")


def test_calls_after_close_are_harmless(lines: Lines) -> None:
    for _ in range(3):
        with client("calls after close") as c:
            call = c.send(restway.Request.path("GET", "things/7"))
        with pytest.raises(restway.ClosedError):
            call.wait()
    assert not any("never completed" in line for line in lines())


@pytest.mark.parametrize("does", ["waits", "never"])
def test_a_close_completes_what_waits(does: str) -> None:
    c = client(does)
    calls = [c.send(restway.Request.path("GET", f"things/{n}")) for n in range(50)]
    c.close()
    for call in calls:
        with pytest.raises(restway.ClosedError):
            call.wait()


def test_a_cancel_reaches_the_transport_at_every_point() -> None:
    with client("waits") as c:
        for _ in range(50):
            call = c.send(restway.Request.path("GET", "things/7"))
            call.cancel()
            with pytest.raises(restway.CancelledError):
                call.wait()
    with client("pieces") as c:
        ends = [0, 0]
        for _ in range(300):
            call = c.send(restway.Request.path("GET", "things/7"))
            call.cancel()
            try:
                call.wait()
                ends[0] += 1
            except restway.CancelledError:
                ends[1] += 1
    assert sum(ends) == 300


@pytest.mark.parametrize("does", ["answers", "threads", "pieces"])
def test_thousands_from_several_threads_complete_once(does: str) -> None:
    completed: list[Any] = []
    with client(does) as c:
        def run() -> None:
            for number in range(500):
                call = c.send(
                    restway.Request.path("GET", f"things/{number}"),
                    lambda call: completed.append(call))
                if number % 5 == 0:
                    call.cancel()

        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for _ in range(2_000):
            if len(completed) == 2_000:
                break
            threading.Event().wait(0.01)
    assert len(completed) == 2_000
    assert len({id(call) for call in completed}) == 2_000


def test_two_plugins_with_one_transport_are_named(tmp_path: Path, plugin: Path) -> None:
    other = build(tmp_path, 'OTHER_NAME="second"', name="second")
    program = """
import sys, json, restway
for path in sys.argv[2:]:
    restway.load_plugin(path)
try:
    restway.Client(restway.API.from_json(sys.argv[1]), transport="test")
except restway.PluginError as error:
    print(error)
"""
    ended = subprocess.run(
        [sys.executable, "-c", program, json.dumps(DOCUMENT), str(plugin), str(other)],
        capture_output=True, text=True, check=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python")},
    )
    assert 'plugins "test-transport" and "second" both have a transport "test"' in ended.stdout


def test_cookies_belong_to_the_built_in_transport(tmp_path: Path) -> None:
    api = restway.API.from_json(DOCUMENT)
    network = restway.Network(cookie_file=tmp_path / "cookies.txt")
    with pytest.raises(restway.ConfigError, match=r"cookie_file.*plugin"):
        restway.Client(api, transport="test", network=network)
    with (
        restway.Client(api, transport="test") as client,
        pytest.raises(restway.UsageError, match="plugin"),
    ):
        client.cookies.list()

"""Modifiers, curl commands, timings, and numbers of calls."""

from __future__ import annotations

import dataclasses
import gc
import os
import shlex
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import restway
from restway._ffi import callbacks as _callbacks

from .conftest import MakeClient

SECONDS_MAX = 30.0


def echo(client: restway.Client, method: str = "GET", **options: Any) -> Any:
    return client.perform(restway.Request.path(method, "echo", **options)).json()


def test_a_modifier_changes_what_goes_out(client: restway.Client) -> None:
    def modify(context: restway.PipelineContext) -> None:
        context.request.update(headers={"X-Signed": "yes"}, params={"page": 2}, timeout=20)

    stage = client.add_modifier(modify)
    got = echo(client, params={"page": 1})
    assert got["headers"]["X-Signed"] == "yes" and got["query"] == {"page": "2"}
    stage.remove()
    stage = client.add_modifier(
        lambda context: context.request.update(body="raw", media_type="text/x")
    )
    got = echo(client, "POST")
    assert got["body"] == "raw" and got["headers"]["Content-Type"] == "text/x"
    stage.remove()
    stage = client.add_modifier(lambda context: context.request.update(variables={"itemID": 7}))
    found = client.route("enterprise", variables={"itemID": 1}).object
    assert found is not None and found.identity == 7
    stage.remove()
    assert "X-Signed" not in echo(client)["headers"]


def test_a_modifier_gets_a_copy_of_the_request(client: restway.Client) -> None:
    request = restway.Request.path("GET", "echo")
    stage = client.add_modifier(lambda context: context.request.update(headers={"X-Once": "1"}))
    assert client.perform(request).json()["headers"]["X-Once"] == "1"
    stage.remove()
    assert "X-Once" not in client.perform(request).json()["headers"]


def test_what_a_modifier_raises_fails_its_own_call(client: restway.Client) -> None:
    numbers = iter(range(100))

    def refuse(context: restway.PipelineContext) -> None:
        number = next(numbers)
        if number % 2:
            raise ValueError(f"number {number}")
        raise restway.TimedOutError(f"number {number}", status=restway.Status.TIMEOUT)

    client.add_modifier(refuse)
    calls = [client.send(restway.Request.path("GET", "echo")) for _ in range(40)]
    seen = set()
    for call in calls:
        with pytest.raises((restway.CancelledError, restway.TimedOutError)) as caught:
            call.wait()
        cause = caught.value.__cause__
        assert isinstance(cause, (ValueError, restway.TimedOutError))
        assert isinstance(caught.value, restway.CancelledError) == isinstance(cause, ValueError)
        assert str(caught.value).endswith(f"{type(cause).__name__}: {cause}")
        seen.add(str(cause))
        with pytest.raises(restway.RestwayError) as again:
            call.wait()
        assert again.value.__cause__ is cause
        del caught, again, cause
    assert len(seen) == 40
    with pytest.raises(restway.RestwayError, match="number 4"):
        client.get("echo")


def test_what_a_modifier_raises_reaches_the_callback(client: restway.Client) -> None:
    seen: list[str] = []
    happened = threading.Event()

    def refuse(context: restway.PipelineContext) -> None:
        raise ValueError("not now")

    def on_done(call: restway.Call) -> None:
        try:
            call.wait()
        except restway.CancelledError as error:
            seen.append(repr(error.__cause__))
        happened.set()

    client.add_modifier(refuse)
    client.send(restway.Request.path("GET", "echo"), on_done)
    assert happened.wait(SECONDS_MAX)
    assert seen == ["ValueError('not now')"]


def test_a_modifier_is_asked_once_for_each_call(client: restway.Client) -> None:
    asked: list[restway.PipelineContext] = []
    client.add_modifier(asked.append)
    assert client.get("redirect/2").status == 200
    calls = [client.send(restway.Request.path("GET", "status")) for _ in range(20)]
    assert {call.wait().status for call in calls} == {200}
    assert len(asked) == 21


def test_blocking_inside_a_modifier_raises(client: restway.Client) -> None:
    raised: list[type[BaseException]] = []

    def modify(context: restway.PipelineContext) -> None:
        try:
            client.get("status")
        except restway.WouldBlockError as error:
            raised.append(type(error))

    client.add_modifier(modify)
    assert client.get("status").status == 200
    assert raised == [restway.WouldBlockError]


def test_what_is_no_modifier_is_refused(client: restway.Client) -> None:
    async def modify(context: restway.PipelineContext) -> None: ...

    for wrong in (3, modify):
        with pytest.raises(TypeError):
            client.add_modifier(wrong)  # type: ignore[arg-type]


def test_a_client_and_its_modifier_may_know_each_other(make_client: MakeClient) -> None:
    def ask() -> None:
        client = make_client()
        client.add_modifier(
            lambda context: context.request.update(headers={"X-Me": repr(client)})
        )
        assert client.get("status").status == 200

    ask()
    end = time.monotonic() + SECONDS_MAX
    while len(_callbacks.questions) != 0 and time.monotonic() < end:
        gc.collect()  # a worker may still run the modifier, whose frame has the client
        os.sched_yield()
    assert len(_callbacks.questions) == 0
    assert restway.debug_live_handles() == 0


def test_a_closed_client_refuses_with_a_modifier_too(make_client: MakeClient) -> None:
    with make_client() as client:
        client.add_modifier(lambda context: None)
    with pytest.raises(restway.ClosedError):
        client.get("status")
    assert len(_callbacks.questions) == 0


def test_a_curl_command_reproduces_the_exchange(client: restway.Client) -> None:
    request = restway.Request.path(
        "POST", "echo", params={"it's": "città"}, headers={"Authorization": "Bearer s3cret"}
    )
    command = client.curl_command(request)
    assert command.startswith("curl ") and "s3cret" not in command and "[redacted]" in command
    revealed = client.curl_command(request, reveal=True)
    words = shlex.split(revealed)
    assert words[0] == "curl" and any("Bearer s3cret" in word for word in words)
    long = restway.Request.path("POST", "echo", body="x" * 10_000, media_type="text/plain")
    assert "x" * 10_000 in client.curl_command(long)
    with pytest.raises(restway.UnknownRouteError):
        client.curl_command(restway.Request.route("nobody"))


def test_a_curl_command_keeps_secrets_of_bodies_back(client: restway.Client) -> None:
    json_body = restway.Request.path("POST", "echo", json={"a": [{"password": "hush"}], "b": 1})
    form = restway.Request.path(
        "POST",
        "echo",
        body="user=ann&client_secret=hush",
        media_type="application/x-www-form-urlencoded",
    )
    assert '{"a":[{"password":"[redacted]"}],"b":1}' in client.curl_command(json_body)
    assert "'user=ann&client_secret=[redacted]'" in client.curl_command(form)
    for request in (json_body, form):
        assert "hush" not in client.curl_command(request)
        assert "hush" in client.curl_command(request, reveal=True)


def test_a_documents_redact_list_keeps_its_names_out_of_curl_commands() -> None:
    api = restway.API.from_json({"restway": 1, "redact": ["X-Pass", "pin"]})
    with restway.Client(api, base_url="http://127.0.0.1:1") as client:
        request = restway.Request.path(
            "GET", "x", headers={"X-Pass": "s3cret"}, params={"pin": "s3cret", "open": "yes"}
        )
        command = client.curl_command(request)
        assert "s3cret" not in command and "yes" in command


def test_timings_are_seconds_of_each_phase(client: restway.Client) -> None:
    timings = client.get("enterprises").timings
    for field in dataclasses.fields(timings):
        seconds = getattr(timings, field.name)
        assert seconds is None or 0 <= seconds < SECONDS_MAX
    assert timings.total is not None and timings.exchange is not None
    assert timings.total >= timings.exchange > 0
    assert client.get("bad/slow", params={"ms": 50}).timings.total >= 0.05  # type: ignore[operator]
    with pytest.raises(dataclasses.FrozenInstanceError):
        timings.total = 1.0  # type: ignore[misc]


def test_calls_have_numbers_of_their_own(client: restway.Client) -> None:
    calls = [client.send(restway.Request.path("GET", "status")) for _ in range(5)]
    numbers = [call.id for call in calls]
    assert len(set(numbers)) == 5 and min(numbers) > 0 and numbers == sorted(numbers)


def test_a_file_of_certificates_is_checked_when_the_client_is_made(
    make_client: MakeClient, tmp_path: Path
) -> None:
    with pytest.raises(restway.ConfigError, match=r"none\.pem.*No such file"):
        make_client(ca_file=tmp_path / "none.pem")


@pytest.mark.parametrize("reveal", [False, True])
def test_a_curl_command_is_one_that_a_shell_reads(client: restway.Client, reveal: bool) -> None:
    request = restway.Request.path("GET", "echo", params={"q": "a'b $HOME `x`"})
    command = client.curl_command(request, reveal)
    subprocess.run(["sh", "-n", "-c", command], check=True)


def test_a_curl_command_shows_how_the_client_connects() -> None:
    api = restway.API.from_json({"restway": 1})
    proxy = restway.Proxy("http://127.0.0.1:3128", "hidden", "hidden", ["localhost"])
    with restway.Client(
        api,
        base_url="https://api.example.com",
        tls=restway.TLS(minimum_version="1.3"),
        proxy=proxy,
        network=restway.Network(ip_version=4, http_version="1.1"),
    ) as client:
        command = client.curl_command(restway.Request.path("GET", "status"), reveal=True)
    assert "--tlsv1.3 --proxy 'http://127.0.0.1:3128' --noproxy 'localhost'" in command
    assert "--ipv4 --http1.1" in command
    assert "hidden" not in command

"""The replay transport: what it records, what it leaves out, and what it plays back."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from replaying import ANSWERS, Open, Server, exchanges, restway, told


def test_what_is_recorded_is_played_back(
    server: Server, cassette: Path, open_client: Open
) -> None:
    requests: list[tuple[str, str, dict[str, Any]]] = [
        ("GET", path.lstrip("/"), {}) for path in ANSWERS if "token" not in path]
    requests += [
        ("POST", "a", {"json": {"b": 1, "a": [None, True, 0.1]}}), ("PUT", "a", {"body": "text"}),
        ("POST", "a", {"body": bytes(range(200, 256))}), ("HEAD", "things", {}),
        ("GET", "a?x=1", {}), ("GET", "a?x=2", {}),
    ]
    with open_client("record") as client:
        first = [told(client, method, path, **more) for method, path, more in requests]
    seen = len(server.seen)
    assert seen == len(requests) + 2, "two were redirected"
    with open_client() as client:
        second = [told(client, method, path, **more) for method, path, more in requests]
    assert len(server.seen) == seen, "nothing went out"
    for one, two in zip(first, second, strict=True):
        if one[1] == "application/json" and one[2]:
            assert json.loads(one[2]) == json.loads(two[2])
            assert one[:2] == two[:2]
        else:
            assert one == two


def test_bodies_are_readable(cassette: Path, open_client: Open) -> None:
    with open_client("record") as client:
        for path in ("things", "text", "binary", "latin", "empty", "big", "gzip"):
            told(client, "GET", path)
        told(client, "POST", "a", json={"b": 1})
    recorded = exchanges(cassette)
    bodies = [exchange["response"].get("body") for exchange in recorded]
    assert bodies[0] == {"json": [{"id": 1}, {"id": 2, "x": 0.1}]}
    assert bodies[1] == {"text": "gr\u00fc\u00df dich"}
    assert list(bodies[2]) == ["base64"]
    assert list(bodies[3]) == ["base64"]
    assert bodies[4] is None
    assert bodies[5] == {"text": '{"n": 123456789012345678901234567890}'}
    assert bodies[6] == {"json": {"id": 3}}
    assert "Content-Encoding" not in [name for name, _ in recorded[6]["response"]["headers"]]
    assert recorded[7]["request"]["body"] == {"json": {"b": 1}}
    assert recorded[0]["response"]["status"] == 200
    assert "gr\u00fc\u00df" in cassette.read_text()


def test_the_fragment_of_a_redirect_stays_with_the_client(
    server: Server, cassette: Path, open_client: Open
) -> None:
    with open_client("record") as client:
        first = told(client, "GET", "part")
    with open_client() as client:
        assert told(client, "GET", "part") == first
    assert [line.split()[1] for line in server.seen] == ["/part", "/text?a=b"]
    asked, answered = exchanges(cassette)
    assert ["Location", "/text?a=b#part"] in asked["response"]["headers"]
    assert answered["request"]["url"].endswith("/text?a=b")


def test_secrets_stay_out(server: Server, cassette: Path, open_client: Open) -> None:
    document = {
        "auth": {"scheme": "bearer"},
        "headers": {
            "X-Mine": "s3cret", "Cookie": "s3cret", "Proxy-Authorization": "s3cret",
            "X-Vendor-Token": "s3cret",
        },
    }
    with open_client("record", document, redact=["x-mine", "pin"]) as client:
        client.set_credential("s3cret")
        told(client, "GET", "token?access_token=s3cret&a=b&%74oken=s3cret&token&pin=s3cret"
             "&c%5Bjwt%5D=s3cret#f")
        told(client, "GET", "big-token")
        told(client, "GET", "moved")
        hidden = {"PIN": "s3cret", "list": [{"password": {"deep": "s3cret"}}]}
        told(client, "POST", "a", json=hidden)
        told(client, "POST", "a", body="client_secret=s3cret&b=c&pin=s3cret&d.password[]=s3cret",
             media_type="application/x-www-form-urlencoded")
    assert len(server.seen) == 6
    assert "s3cret" in server.seen[0]
    text = cassette.read_text()
    assert "s3cret" not in text
    recorded = exchanges(cassette)
    url = recorded[0]["request"]["url"]
    assert url.endswith(
        "?access_token=[redacted]&a=b&%74oken=[redacted]&token&pin=[redacted]"
        "&c%5Bjwt%5D=[redacted]")
    lines = dict(recorded[2]["response"]["headers"])
    assert lines["Location"] == "/things?token=[redacted]&a=b"
    assert lines["Link"] == (
        '</?page=2#f>; rel="next", </?token=[redacted]#id_token=[redacted]&c=d>; rel="x"')
    body = recorded[0]["response"]["body"]["json"]
    assert body == {
        "access_token": "[redacted]", "nested": [{"Refresh_Token": "[redacted]"}], "key": "kept"}
    form = "client_secret=[redacted]&b=c&pin=[redacted]&d.password[]=[redacted]"
    assert recorded[-1]["request"]["body"] == {"text": form}
    names = {name.lower() for name, _ in recorded[0]["request"]["headers"]}
    assert names.isdisjoint(
        {"authorization", "x-mine", "cookie", "proxy-authorization", "x-vendor-token"})
    with open_client("play", document, redact=["x-mine", "pin"]) as client:
        client.set_credential("another")
        assert told(
            client, "GET", "token?access_token=z&a=b&%74oken=y&token&pin=2&c%5Bjwt%5D=3#f"
        )[0] == 200
    assert len(server.seen) == 6


def test_strict_plays_in_order_and_each_once(
    server: Server, cassette: Path, open_client: Open
) -> None:
    with open_client("record") as client:
        for path in ("a", "b", "a"):
            told(client, "GET", path)
    with open_client() as client:
        assert told(client, "GET", "a")[2] == b"count 1"
        with pytest.raises(restway.PluginError) as caught:
            told(client, "GET", "a")
        assert told(client, "GET", "b")[2] == b"count 2"
        assert told(client, "GET", "a")[2] == b"count 3"
        with pytest.raises(restway.PluginError) as over:
            told(client, "GET", "a")
    url = f"http://127.0.0.1:{server.server_port}"
    message = str(caught.value)
    assert 'plugin "replay": transport "replay": unexpected request: GET ' + url + "/a" in message
    assert f"#1 GET {url}/a (played), #2 GET {url}/b (the next one), #3 GET {url}/a" in message
    assert "(the next one)" not in str(over.value)
    assert len(server.seen) == 3


def test_loose_plays_in_any_order_and_again(cassette: Path, open_client: Open) -> None:
    with open_client("record") as client:
        for path in ("a", "b", "a"):
            told(client, "GET", path)
        told(client, "POST", "a", json={"n": 1})
        told(client, "POST", "a", json={"n": 2})
    with open_client("play", match="loose") as client:
        counts = [told(client, "GET", path)[2] for path in ("b", "a", "a", "b", "a")]
        assert counts == [b"count 2", b"count 1", b"count 3", b"count 2", b"count 3"]
        assert told(client, "POST", "a", json={"n": 2})[2] == b"count 5"
        assert told(client, "POST", "a", body='{ "n":1 }', media_type="application/json")[2] == (
            b"count 4")
        for more in ({"json": {"n": 3}}, {}):
            with pytest.raises(restway.PluginError, match="unexpected request: POST"):
                told(client, "POST", "a", **more)


def test_what_was_not_played_is_said(
    cassette: Path, open_client: Open, caplog: pytest.LogCaptureFixture
) -> None:
    with open_client("record") as client:
        told(client, "GET", "a")
        told(client, "GET", "b")
    with open_client() as client:
        told(client, "GET", "a")
    restway.flush_log()
    assert "replay: 1 exchanges of the cassette were not played" in caplog.messages


def test_auto_records_once(server: Server, open_client: Open) -> None:
    for _ in range(3):
        with open_client("auto") as client:
            assert told(client, "GET", "a")[2] == b"count 1"
    assert len(server.seen) == 1


def test_a_failure_is_recorded_and_played(cassette: Path, open_client: Open) -> None:
    document = {"environments": {"here": {"baseURL": "http://127.0.0.1:9"}}}
    with open_client("record", document) as client:
        assert told(client, "GET", "a") == "ConnectError"
    recorded = exchanges(cassette)[0]
    assert recorded["error"]["result"] == 104
    with open_client("play", document) as client:
        assert told(client, "GET", "a") == "ConnectError"


def test_many_at_once_are_all_recorded(
    server: Server, cassette: Path, open_client: Open
) -> None:
    with open_client("record") as client:
        calls = [client.send(restway.Request.path("GET", f"n/{n}")) for n in range(300)]
        assert {call.wait().status for call in calls} == {200}
        assert len(exchanges(cassette)) == 300, "a call that has completed is on the disk"
    assert list(cassette.parent.iterdir()) == [cassette], "no file is left beside it"
    with open_client("play", match="loose") as client:
        calls = [client.send(restway.Request.path("GET", f"n/{n}")) for n in range(300)]
        assert {call.wait().status for call in calls} == {200}
    assert len(server.seen) == 300


def test_a_cancelled_call_is_not_recorded(cassette: Path, open_client: Open) -> None:
    with open_client("record") as client:
        for _ in range(20):
            client.send(restway.Request.path("GET", "a")).cancel()
        told(client, "GET", "b")
    # One of the two calls had its answer before the cancel came.
    assert exchanges(cassette)[-1]["request"]["url"].endswith("/b")


def test_a_digest_challenge_is_answered_while_recording_and_leaves_no_secret(
    cassette: Path, open_client: Open
) -> None:
    document = {"auth": {"scheme": "digest", "user": "demo"}}
    answers = []
    for mode in ("record", "play"):
        read = io.BytesIO(b"read while it is sent")
        requests: list[tuple[str, dict[str, Any]]] = [
            ("GET", {}), ("POST", {"body": "whole"}), ("POST", {"body": read})]
        with open_client(mode, document) as client:
            client.set_credential(restway.Credential(password="s3cret"))
            answers.append([told(client, method, "digest", **more) for method, more in requests])
    assert [answer[0] for answer in answers[0]] == [200] * 3
    assert answers[0] == answers[1]
    text = cassette.read_text()
    assert "s3cret" not in text
    assert "n0nce" not in text
    assert [one["response"]["status"] for one in exchanges(cassette)] == [200] * 3

"""The log: the loggers `restway.*`, and RESTWAY_LOG."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import restway

from .conftest import DOCUMENT
from .peer import Peer
from .test_loader import PACKAGE

SECONDS_MAX = 30.0
TRANSPORT = "restway.transport"


@pytest.fixture(autouse=True)
def no_level_is_left() -> Iterator[None]:
    yield
    for name in ("restway", TRANSPORT):
        logging.getLogger(name).setLevel(logging.NOTSET)
    restway.flush_log()


def fields(record: logging.LogRecord) -> dict[str, Any]:
    found: dict[str, Any] = record.__dict__["restway"]
    return found


def test_records_reach_logging_without_a_line_of_code(
    client: restway.Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with pytest.raises(restway.HTTPStatusError):
        client.get("bad/status/500?token=geheim")
    restway.flush_log()
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("restway.client", logging.INFO)
    assert "500" in record.getMessage()


def test_a_record_has_fields(client: restway.Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    url = client.get("status?page=2").url
    restway.flush_log()
    sent = next(each for each in caplog.records if each.getMessage().find(" > GET ") > 0)
    assert sent.name == TRANSPORT
    call = fields(sent)["call"]
    bare = url.partition("?")[0]
    assert fields(sent) == {"call": call, "method": "GET", "url": bare, "attempt": 1}
    end = next(each for each in caplog.records if "milliseconds" in fields(each))
    took = fields(end)["milliseconds"]
    assert took >= 0
    assert fields(end) == {
        "call": call, "method": "GET", "url": bare, "status": 200, "milliseconds": took,
    }
    assert abs(end.created - sent.created) < SECONDS_MAX
    assert f"#{call} " in end.getMessage()


def test_levels_follow_the_configuration_of_logging(
    client: restway.Client, caplog: pytest.LogCaptureFixture
) -> None:
    def names() -> set[str]:
        caplog.clear()
        client.get("status")
        restway.flush_log()
        return {record.name for record in caplog.records}

    assert names() == set()
    caplog.set_level(logging.DEBUG)  # of the root logger
    assert {TRANSPORT, "restway.client", "restway.routing"} <= names()
    logging.getLogger("restway").setLevel(logging.INFO)
    assert names() == {"restway.client"}
    logging.getLogger("restway").setLevel(logging.WARNING)
    logging.getLogger(TRANSPORT).setLevel(logging.DEBUG)
    assert names() == {TRANSPORT}
    logging.disable()
    try:
        assert names() == set()
    finally:
        logging.disable(logging.NOTSET)
    assert names() == {TRANSPORT}


class Held(logging.Handler):
    """Waits inside its first record."""

    def __init__(self) -> None:
        super().__init__()
        self.inside, self.may_go_on = threading.Event(), threading.Event()
        self.messages: list[str] = []
        self.threads: set[int] = set()

    def emit(self, record: logging.LogRecord) -> None:
        self.threads.add(threading.get_ident())
        self.messages.append(record.getMessage())
        self.inside.set()
        assert self.may_go_on.wait(SECONDS_MAX)


def test_a_slow_handler_holds_no_call_up_and_dropped_records_are_said(
    client: restway.Client,
) -> None:
    logger = logging.getLogger("restway")
    handler = Held()
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        for _ in range(2000):  # each call writes three records or more
            assert client.get("status").status == 200
        assert handler.inside.wait(SECONDS_MAX)
        assert len(handler.messages) == 1
        handler.may_go_on.set()
        restway.flush_log()
        client.get("status")
        restway.flush_log()
    finally:
        logger.removeHandler(handler)
        handler.may_go_on.set()
    assert len(handler.threads) == 1
    assert threading.get_ident() not in handler.threads
    dropped = [each for each in handler.messages if "records were dropped" in each]
    assert len(dropped) == 1
    assert int(dropped[0].split()[0]) > 0


def test_an_exception_in_a_filter_goes_to_the_unraisable_hook(
    client: restway.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[Any] = []

    def refuse(record: logging.LogRecord) -> bool:
        raise ZeroDivisionError

    monkeypatch.setattr(sys, "unraisablehook", lambda each: reported.append(each.exc_type))
    logger = logging.getLogger(TRANSPORT)
    logger.setLevel(logging.DEBUG)
    logger.addFilter(refuse)
    try:
        assert client.get("status").status == 200
        restway.flush_log()
    finally:
        logger.removeFilter(refuse)
    assert set(reported) == {ZeroDivisionError}


def test_a_handler_may_free_and_use_objects_but_does_not_wait(client: restway.Client) -> None:
    held = [client.get("status")]
    before = restway.debug_live_handles()
    refused: list[type[BaseException]] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            held.clear()
            try:
                restway.flush_log()
            except restway.WouldBlockError as error:
                refused.append(type(error))

    handler, logger = Handler(), logging.getLogger(TRANSPORT)
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        client.get("status")
        restway.flush_log()
    finally:
        logger.removeHandler(handler)
    assert set(refused) == {restway.WouldBlockError}
    assert restway.debug_live_handles() == before - 1


SECRETS = "geheim"
"""The secrets of a test begin with this word."""


def test_no_secret_is_in_any_record(peer: Peer, caplog: pytest.LogCaptureFixture) -> None:
    """Secrets stand in every place that may hold one: URL, query, headers, bodies, credentials."""
    caplog.set_level(logging.DEBUG)
    answer = json.dumps({"token": f"{SECRETS}1", "id": 1, "password": f"{SECRETS}2"}).encode()
    headers = (
        f"Set-Cookie: session={SECRETS}3; Path=/\r\nX-Vendor-Token: {SECRETS}4\r\n"
        f"X-Tenant: {SECRETS}5\r\nLocation: /other?token={SECRETS}8\r\n\r\n"
    )
    api = restway.API.from_json(
        {
            "restway": 1,
            "redact": ["X-Tenant"],
            "environments": {"a": {"baseURL": peer.url}},
            "auth": {"scheme": "bearer", "token": f"{SECRETS}7"},
            "entities": {"Thing": {"identity": "id", "attributes": {"id": "id"}}},
            "responses": [{"entity": "Thing"}],
        }
    )
    with restway.Client(api) as client:
        for status in (200, 500, 302, 401):
            peer.respond(answer, status=status)
            peer.answer = peer.answer.replace(b"\r\n\r\n", b"\r\n" + headers.encode(), 1)
            with contextlib.suppress(restway.RestwayError):
                client.post(
                    f"x?access_token={SECRETS}9&page=2#token={SECRETS}10",
                    json={"password": f"{SECRETS}11"},
                    headers={
                        "Authorization": f"Basic {SECRETS}12",
                        "Cookie": f"id={SECRETS}13",
                        "X-Api-Key": f"{SECRETS}14",
                        "X-Tenant": f"{SECRETS}15",
                    },
                )
    restway.flush_log()
    assert len(caplog.records) > 8
    texts = [f"{record.getMessage()} {fields(record)}" for record in caplog.records]
    assert any("[redacted]" in text for text in texts)
    assert [text for text in texts if SECRETS in text] == []


PROGRAM = """
import sys, restway
client = restway.Client(restway.API.load(sys.argv[1]), base_url=sys.argv[2])
client.get("status?token=geheim")
"""


def printed(levels: str, demo_url: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(DOCUMENT), demo_url],
        env={**os.environ, "PYTHONPATH": str(Path(PACKAGE).parent), "RESTWAY_LOG": levels},
        capture_output=True, text=True, timeout=SECONDS_MAX, check=True,
    )
    return ended.stderr


def test_a_program_that_handles_failures_writes_nothing_to_standard_error(
    demo_url: str, tmp_path: Path
) -> None:
    """A 404 that the program handles, and a request that is stored as the program intends."""
    code = """
import logging, sys, restway
if sys.argv[2]: logging.basicConfig()
client = restway.Client({
    "restway": 1, "environments": {"demo": {"baseURL": sys.argv[1]}},
    "outbox": {"path": "outbox.db"},
    "routes": {"note": {"method": "POST", "path": "notes", "offline": True}},
})
try: client.get("enterprises/99999")
except restway.NotFoundError: print("handled")
client.set_reachability(restway.Reachability.UNREACHABLE)
try: client.route("note")
except restway.QueuedError: print("stored")
client.close()
restway.flush_log()
"""
    for logs in ("", "logs"):
        ended = subprocess.run(
            [sys.executable, "-c", code, demo_url, logs], cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(PACKAGE).parent)},
            capture_output=True, text=True, timeout=SECONDS_MAX, check=True,
        )
        assert (ended.stdout, ended.stderr) == ("handled\nstored\n", "")


def test_restway_log_writes_to_standard_error(demo_url: str) -> None:
    lines = printed("warning,transport=debug", demo_url).splitlines()
    heads = [line for line in lines if not line.startswith("    ")]
    assert any(" restway debug transport: #1 > GET http://" in line for line in heads)
    assert all(" restway debug transport: " in line for line in heads)
    assert not any("geheim" in line for line in lines)
    assert printed("error", demo_url) == ""
    assert printed("", demo_url) == ""
    assert " restway info client: #1 GET " in printed("info", demo_url)


def test_a_wrong_level_of_restway_log_is_named_once(demo_url: str) -> None:
    wrong = printed("transprot=debug,outbox=loud,client=info", demo_url)
    assert wrong.count("RESTWAY_LOG") == 1
    assert wrong.startswith('restway: RESTWAY_LOG: "transprot" is no target of the log (auth, ')
    assert " restway info client: #1 GET " in wrong


def test_a_child_has_a_log_of_its_own(demo_url: str) -> None:
    code = PROGRAM + """
import logging, os
logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
client.get("status")
restway.flush_log()
child = os.fork()
if child == 0:
    own = restway.Client(restway.API.load(sys.argv[1]), base_url=sys.argv[2])
    print("in the child", file=sys.stderr, flush=True)
    own.get("status")
    restway.flush_log()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""
    ended = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code, str(DOCUMENT), demo_url],
        env={**os.environ, "PYTHONPATH": str(Path(PACKAGE).parent)},
        capture_output=True, text=True, timeout=SECONDS_MAX, check=True,
    )
    before, after = ended.stderr.split("in the child")
    assert before.count("restway.client #") == 1
    assert after.count("restway.client #") == 1


def test_logging_that_is_imported_later_gets_the_records_until_the_exit(
    demo_url: str, tmp_path: Path
) -> None:
    """The exit function of the program was registered before the exit function of `logging`."""
    code = f"""
import atexit, sys, restway
client = restway.Client({str(DOCUMENT)!r}, base_url={demo_url!r})
client.get("enterprises/1")
assert "logging" not in sys.modules
atexit.register(lambda: client.get("enterprises/3"))
import logging
logging.basicConfig(
    filename="log", filemode="w", format="%(name)s %(restway)s",
    level=logging.DEBUG,
)
client.get("enterprises/2")
"""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    written = (tmp_path / "log").read_text("utf-8")
    asked = [number for number in "123" if f"/enterprises/{number}'" in written]
    assert asked == ["2", "3"]


def test_records_that_wait_at_the_exit_are_received_when_no_client_is_left(demo_url: str) -> None:
    """The first exit function runs after the exit functions of the package."""
    code = f"""
import atexit
received = []
atexit.register(lambda: print("\\n".join(received)))
import logging, threading, restway
began, exits = threading.Event(), threading.Event()
class Slow(logging.Handler):
    def emit(self, record):
        began.set()
        exits.wait()
        sum(range(1_000_000))
        received.append(record.getMessage())
logging.getLogger("restway").addHandler(Slow())
logging.getLogger("restway").setLevel(logging.DEBUG)
client = restway.Client({str(DOCUMENT)!r}, base_url={demo_url!r})
client.get("enterprises/1")
client.close()
del client
began.wait()
atexit.register(exits.set)
"""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert ": 200, " in done.stdout.splitlines()[-1]

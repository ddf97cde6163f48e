"""restway-plugin-check finds the faults of a bad transport, with the right check and no other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from checker import Ahead, Report, check, check_all, compile_bad, failed_of, faults_of, selected

#: The checks that fail, and words of the reason of one of them.
FINDINGS: dict[str, tuple[set[str], str]] = {
    "NO_TRANSPORT_NAME": ({"table"}, "its name is missing"),
    "NO_CANCEL": ({"table"}, "it has no function to cancel"),
    "OPENS_NOT": ({"opens"}, "it does not open: not today"),
    "OPENS_AS_NULL": ({"opens"}, "it opens, but gives NULL"),
    # Another transport is open while the first one closes.
    "SHARES_STATE": ({"apart", "close"}, "which does not exist"),
    "ACCEPTS_UNKNOWN_OPTION": ({"options"}, "an unknown key of its options is accepted"),
    "DOES_NOT_NAME_OPTION": ({"options"}, "refused without naming it"),
    "NEVER_COMPLETES": ({"completes"}, "GET /plain does not complete"),
    "COMPLETES_TWICE": ({"once"}, "GET /plain: it completes twice"),
    "BODY_BEFORE_HEAD": ({"order"}, "a body before the head"),
    "TWO_HEADS": ({"order"}, "a second head"),
    "OK_WITHOUT_HEAD": ({"order"}, "it completes with OK without a head"),
    "BODY_BEHIND_TRAILERS": ({"order"}, "a body after the trailers"),
    "PROGRESS_AFTER_END": ({"late"}, "exchange_progress after it has completed"),
    "BODY_AFTER_END": ({"late"}, "exchange_body after it has completed"),
    "OVERLAPS": ({"overlap"}, "while another call is running"),
    "UNKNOWN_EXCHANGE": ({"completes"}, "_progress for exchange 1077, which does not exist"),
    "KEEPS_TEXTS": ({"texts"}, "using memory that was valid until start returned"),
    "TELLS_INTERIM": ({"heads", "answers"}, "the head has status 103"),
    "HEADER_IS_NO_TOKEN": ({"heads"}, "the name of a header is not a token"),
    "HEADER_WITH_CONTROL": ({"heads"}, "the value of a header has control characters"),
    "ODD_END": ({"ends"}, "the result 55 has no meaning"),
    "NEGATIVE_TIME": ({"ends"}, "a number of its end is negative"),
    "QUOTES_QUERY": ({"ends"}, "the text of its end quotes the query"),
    "OK_WHEN_BROKEN": ({"ends"}, "it completes with OK"),
    "PROGRESS_GOES_BACK": ({"ends"}, "its progress decreases"),
    "NULL_END": ({"ends"}, "its end is not a table of this version"),
    "LOSES_BYTE": ({"answers", "body"}, "22 of 23 bytes"),
    "CHANGES_BODY": ({"answers", "body"}, "with different bytes"),
    "OTHER_STATUS": ({"answers", "body"}, "status 201 instead of 200"),
    "LOSES_TRAILERS": ({"answers"}, "its trailers are missing"),
    "LOSES_HEADERS": ({"answers"}, "the header x-seen: checked is missing"),
    "FOLLOWS_REDIRECT": ({"answers"}, "status 200 instead of 302"),
    "LOSES_REQUEST_BODY": ({"body"}, "the body is not the one that was sent"),
    "READS_AFTER_LATER": ({"body"}, "POST /echo"),
    "GOES_ON_AFTER_FAILED_READ": ({"body"}, "it completes with OK although its body failed"),
    "IGNORES_TIME_OUT": ({"time-outs"}, "GET /silent does not complete"),
    "IGNORES_IDLE": ({"time-outs"}, "GET /silent does not complete"),
    "IGNORES_PAUSE": ({"pause"}, "exchange_body although it is paused"),
    "NEVER_RESUMES": ({"pause"}, "GET /chunked does not complete"),
    "LOSES_EARLY_RESUME": ({"pause"}, "GET /chunked does not complete"),
    "IGNORES_STOP": ({"stop"}, "exchange_body although it was stopped"),
    "OK_AFTER_STOP": ({"stop"}, "it completes with OK instead of TOO_LARGE after STOP"),
    "IGNORES_CANCEL": ({"cancel"}, "does not complete, though it was cancelled"),
    "COMPLETES_IN_CANCEL": ({"cancel"}, "it completes twice"),
    "FAILS_WHEN_CANCELLED": ({"cancel"}, "cancelled before its head: it completes with FAILED"),
    "CRASHES_ON_UNKNOWN": ({"ids"}, "crashes: Aborted"),
    "REMEMBERS_UNKNOWN_CANCEL": ({"ids"}, "makes it complete with CANCELLED"),
    "CLOSE_LEAVES_EXCHANGES": ({"close"}, "does not complete, though its transport was closed"),
    "CANCELS_AT_CLOSE": ({"close"}, "it completes with CANCELLED instead of CLOSED"),
    "CALLS_AFTER_CLOSE": ({"close"}, "exchange_head after it has completed"),
    "LEAKS_TRANSPORT": ({"memory"}, "memory grows by"),
    "LEAKS_CONNECTION": ({"descriptors"}, "more descriptors are open after 64 rounds"),
    "LEAKS_THREAD": ({"threads", "memory"}, "more threads run after 64 rounds"),
}
#: Faults that are found only when the time limit has passed.
SLOW = {
    "IGNORES_TIME_OUT", "IGNORES_IDLE", "NEVER_RESUMES", "LOSES_EARLY_RESUME",
    "IGNORES_CANCEL", "CLOSE_LEAVES_EXCHANGES",
}

FORWARDED: dict[str, tuple[set[str], str]] = {
    "NONE": (set(), ""),
    "SAYS_LATER": (set(), ""),
    "ANSWERS_AS_WELL": ({"order"}, "exchange_head although it was forwarded"),
    "COMPLETES_TWICE": ({"once"}, "it completes, although it asked the host to do so"),
    "SAYS_NEVER": ({"completes"}, "GET /plain does not complete"),
    "READS_AS_WELL": ({"body"}, "exchange_read although it was forwarded"),
}


def _expect(reports: list[Report], expected: set[str], words: str) -> None:
    names = {f"transport.{name}" for name in expected}
    failed = failed_of(reports)
    assert set(failed) == names, failed
    assert not expected or any(words in why for why in failed.values()), failed


@pytest.fixture(name="found", scope="module")
def _found(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Ahead]:
    folder = tmp_path_factory.mktemp("transports")

    def find(fault: str) -> list[Report]:
        plugin = compile_bad("transport.c", folder / f"{fault}.so", f"-DFAULT={fault}")
        names = {f"transport.{name}" for name in FINDINGS[fault][0]}
        return check_all(plugin, names, fault in SLOW)

    found = Ahead(find, selected(request, "test_a_fault_is_found"))
    yield found
    found.end()


def test_every_fault_is_expected_here() -> None:
    assert faults_of("transport.c") == {"NONE", *FINDINGS}
    assert faults_of("forwarder.c") == {*FORWARDED}


def test_a_transport_without_fault_passes(tmp_path: Path) -> None:
    report = check(compile_bad("transport.c", tmp_path / "bare.so"), "--time-out", "120")
    assert report.failed() == {}
    skipped = {name for name, _, result, _ in report.results if result == "skipped"}
    assert skipped == {f"options.{name}" for name in ("accepted", "unknown", "types")}


@pytest.mark.parametrize("fault", sorted(set(FINDINGS) - {"NEVER_COMPLETES"}))
def test_a_fault_is_found(fault: str, found: Ahead) -> None:
    _expect(found(fault), *FINDINGS[fault])


def test_what_never_completes_is_found_and_the_rest_left_out(tmp_path: Path) -> None:
    sources = {"transport.c": "NEVER_COMPLETES", "forwarder.c": "SAYS_NEVER"}
    for source, fault in sources.items():
        plugin = compile_bad(source, tmp_path / "never.so", f"-DFAULT={fault}")
        report = check(plugin, "--time-out", "5", "--only", "transport")
        expected = {"transport.completes": "GET /plain does not complete"}
        assert report.failed() == expected
        assert ("transport.once", "transport.completes failed") in [
            (name, why) for name, _, _, why in report.results
        ]


@pytest.mark.parametrize("fault", sorted(set(FORWARDED) - {"SAYS_NEVER"}))
def test_what_is_forwarded_is_left_alone(fault: str, tmp_path: Path) -> None:
    plugin = compile_bad("forwarder.c", tmp_path / "forward.so", f"-DFAULT={fault}")
    _expect([check(plugin, "--time-out", "150")], *FORWARDED[fault])


_ASKED: set[str] = set()


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        _ASKED.add(f"{self.command} {self.path}")
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def do_POST(self) -> None:
        self.close_connection = True
        self.do_GET()

    do_PUT = do_POST

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_a_server_of_the_users_is_asked(tmp_path: Path) -> None:
    plugin = compile_bad("transport.c", tmp_path / "bare.so")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answer) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/mine?a=b"
        report = check(plugin, "--url", url, "--only", "transport", "--time-out", "120")
        server.shutdown()
    assert report.failed() == {}
    assert report.result("transport.pause") == "ok"
    assert report.result("transport.answers") == "skipped"
    assert {"GET /mine?a=b", "POST /mine?a=b"} <= _ASKED

"""Every fault, while a file is sent: as it is, in a multipart body, and compressed."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

import pytest
import restway
from calls import check, notified, request_of
from conftest import MakeClient
from connection import Connection
from early_answers import EARLY_ANSWERS, UPLOAD_BYTES
from fault import PATIENCE_SECONDS, Fault
from fault_server import FaultServer
from health import check_health
from parameters import each
from restway import Status
from table import FAULTS
from uploads import UPLOADS

#: More than one piece of a body that is read while it is sent.
SMALL_BYTES = 300_000
#: Less than the kernel holds for a server that does not read.
TINY_BYTES = 1_000
WITH_BODIES = [fault for fault in FAULTS if fault.method != "HEAD"]
#: libcurl may notice the end of a connection while it sends.
SENDING = {55, 56}
#: Interim answers (1xx) come before it. Redirects (3xx) are followed.
FINAL_STATUS = re.compile(rb"^HTTP/1\.[01] ([245][0-9][0-9])( [^\r\n]*)?\r?\n", re.MULTILINE)
#: More bytes than a server sends before its status line.
HEAD_BYTES_MAX = 1 << 20

class Files(NamedTuple):
    """Files to send."""

    tiny: Path
    small: Path
    large: Path

    def fit_for(self, fault: Fault) -> Path:
        if fault.needs_new_connection:
            return self.tiny
        return self.small if fault.reads_body else self.large


KINDS = pytest.mark.parametrize("kind", UPLOADS)


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(FAULTS) as server:
        yield server


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Files that gzip cannot make smaller."""
    folder = tmp_path_factory.mktemp("files")
    noise = random.Random(7)
    made = Files(folder / "tiny", folder / "small", folder / "large")
    made.tiny.write_bytes(noise.randbytes(TINY_BYTES))
    made.small.write_bytes(noise.randbytes(SMALL_BYTES))
    made.large.write_bytes(noise.randbytes(UPLOAD_BYTES))
    return made


class Listener:
    """A client that reads until it has the first final status line."""

    def __init__(self) -> None:
        self.socket = self
        self.heard = b""

    def sendall(self, data: bytes) -> None:
        self.heard += data
        if self.status or len(self.heard) > HEAD_BYTES_MAX:
            raise HasHeard

    @property
    def status(self) -> int:
        found = FINAL_STATUS.search(self.heard)
        return int(found[1]) if found else 0


class HasHeard(Exception):
    """The client needs no more bytes."""


def status_of(fault: Fault) -> int:
    """Returns the first final status that the server sends in a fault; 0 without one. Steps other
    than sending need more of a connection than there is here, and end it.
    """
    listener = Listener()
    with contextlib.suppress(HasHeard, AttributeError, TypeError):
        for step in fault.steps:
            step(cast(Connection, listener))
    return listener.status


def as_upload(fault: Fault) -> Fault:
    """Returns the fault with the method of an upload, and what is then expected."""
    outcome = fault.outcome
    if outcome.error is restway.ConnectionLostError and outcome.codes != {0}:
        outcome = replace(outcome, codes=outcome.codes | SENDING, says="")
    if outcome.error and outcome.status != Status.HTTP and (status := status_of(fault)):
        # The server has answered, so that the request must not be sent again.
        outcome = replace(outcome, http_status=status, retryable=False)
    return replace(fault, method="POST", outcome=outcome)


@KINDS
@pytest.mark.parametrize("fault", each(WITH_BODIES))
def test_a_fault_ends_an_upload_as_expected(
    fault: Fault,
    kind: str,
    server: FaultServer,
    make_client: MakeClient,
    files: Files,
) -> None:
    upload = as_upload(fault)
    options = UPLOADS[kind](files.fit_for(fault))
    client = make_client(server.url, timeout=PATIENCE_SECONDS, **fault.options)
    with server.playing(fault):
        check(notified(client, request_of(upload, **options)), upload, server.url)
    server.wait_until_played()
    check_health(client)


@KINDS
@pytest.mark.parametrize("fault", each(EARLY_ANSWERS))
def test_a_connection_is_used_again_only_if_the_whole_body_was_sent(
    fault: Fault,
    kind: str,
    server: FaultServer,
    make_client: MakeClient,
    files: Files,
) -> None:
    client = make_client(server.url, timeout=PATIENCE_SECONDS)
    client.get("good").close()
    options = UPLOADS[kind](files.large)
    notified(client, request_of(fault, **options))
    client.get("good").close()
    is_kept = fault.name in {"early_200_kept", "early_200_slow", "early_200_in_chunks"}
    assert server.accepted == (1 if is_kept else 2)

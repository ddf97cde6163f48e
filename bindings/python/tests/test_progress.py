"""Progress bars and numbers."""

from __future__ import annotations

import asyncio
import io
import os
import queue
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import restway
from restway import progress

from .conftest import MakeClient
from .peer import Peer
from .test_outbox_flush import Server, server
from .test_outbox_wait import async_client_of, client_of, store
from .test_pages import DOCUMENT as PAGED
from .test_pages import PagedPeer

__all__ = ["server"]

PACKAGE = Path(restway.__file__).parent
BODY = b"x" * 300_000


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """The standard error output, with the plain bar in place of those of other packages."""
    stream = Terminal()
    monkeypatch.setattr(progress, "standard_error", lambda: stream)
    monkeypatch.setattr(progress, "_MODULES", ("_plain",))
    return stream


def bar_on(stream: io.StringIO, unit: progress.Unit = "bytes") -> progress.Bar:
    bar = progress.bar_on(stream, "film", unit)
    assert bar is not None
    return bar


def test_the_plain_bar_writes_one_line(terminal: Terminal) -> None:
    bar = bar_on(terminal)
    bar.update(512, None)
    bar.update(1536, 3072)
    bar.update(1536, 3072)  # nothing has changed, so nothing is written
    bar.update(3072, 3072)
    bar.close()
    bar.close()
    lines = terminal.getvalue().split("\r")
    assert [line.rstrip(" ") for line in lines] == [
        "",
        "film: 512 bytes",
        "film: [############            ]  50% 1.5 KiB of 3.0 KiB",
        "film: [########################] 100% 3.0 KiB of 3.0 KiB\n",
    ]


def test_without_a_terminal_there_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert progress.bar_on(io.StringIO(), "film", "bytes") is None
    assert progress.bar_on(None, "film", "bytes") is None
    monkeypatch.setattr(progress, "standard_error", lambda: None)
    with progress.reporting(True, "film", "bytes") as tell:
        assert tell is None


@pytest.mark.parametrize(
    ("missing", "kind"),
    [((), "_rich"), (("rich.console",), "_tqdm"), (("rich.console", "tqdm"), "_plain")],
)
def test_the_best_installed_bar_is_shown(
    missing: tuple[str, ...], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich")
    pytest.importorskip("tqdm")
    for module in ("_rich", "_tqdm", "_plain"):
        monkeypatch.delitem(sys.modules, f"restway.progress.{module}", raising=False)
    for module in missing:
        monkeypatch.setitem(sys.modules, module, None)
    stream = Terminal()
    units: tuple[progress.Unit, ...] = ("bytes", "objects")
    for unit in units:
        bar = bar_on(stream, unit)
        assert type(bar).__module__ == f"restway.progress.{kind}"
        bar.update(1, None)
        bar.update(2, 4)
        bar.close()
    assert "film" in stream.getvalue()


def test_importing_restway_imports_no_bar() -> None:
    code = "import sys, restway; print([m for m in sys.modules if m in ('rich', 'tqdm')])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
    )
    assert done.stdout.strip() == "[]"


def test_a_download_shows_a_bar(terminal: Terminal, peer: Peer) -> None:
    peer.respond(BODY, "application/octet-stream")
    with restway.Client(document(peer)) as client:
        client.get("film", progress=True)
    assert terminal.getvalue().endswith("100% 293.0 KiB of 293.0 KiB\n")
    assert "download: [" in terminal.getvalue()


def test_an_upload_shows_a_bar(terminal: Terminal, peer: Peer, tmp_path: Path) -> None:
    peer.respond(b"")
    with restway.Client(document(peer)) as client:
        client.post("films", body=BODY, progress=True)
    assert "upload: [" in terminal.getvalue()
    assert terminal.getvalue().endswith("\n")


def test_a_bar_ends_with_a_call_that_fails(terminal: Terminal, peer: Peer) -> None:
    peer.respond(BODY)
    peer.answer = peer.answer[:-1000]
    with restway.Client(document(peer)) as client:
        with pytest.raises(restway.ConnectionLostError):
            client.get("film", progress=True)
    assert terminal.getvalue().endswith("\n")


def test_a_function_receives_the_progress_of_a_call(peer: Peer) -> None:
    peer.respond(BODY, "application/octet-stream")
    seen: queue.Queue[restway.Progress] = queue.Queue()
    with restway.Client(document(peer)) as client:
        client.get("film", progress=seen.put)
        while (last := seen.get(timeout=30)).download_done < len(BODY):
            continue
    assert last.download_total == len(BODY)

    async def main() -> None:
        async with restway.AsyncClient(document(peer)) as client:
            await client.get("film", progress=seen.put)

    asyncio.run(main())
    while (last := seen.get(timeout=30)).download_done < len(BODY):
        continue


def test_an_async_call_shows_a_bar(terminal: Terminal, peer: Peer) -> None:
    peer.respond(BODY, "application/octet-stream")

    async def main() -> None:
        async with restway.AsyncClient(document(peer)) as client:
            await client.get("film", progress=True)

    asyncio.run(main())
    assert terminal.getvalue().endswith("100% 293.0 KiB of 293.0 KiB\n")


def test_mapping_reports_objects(terminal: Terminal, make_client: MakeClient) -> None:
    data = [{"id": number, "name": f"number {number}"} for number in range(1, 601)]
    seen: list[tuple[int, int | None]] = []
    with make_client() as client:
        client.map("Enterprise", data, progress=lambda *numbers: seen.append(numbers))
        client.map("Enterprise", data, progress=True)
    assert seen[-1][0] == 600
    assert "mapping: " in terminal.getvalue() and terminal.getvalue().endswith("\n")

    async def main() -> None:
        async with restway.AsyncClient(client.api) as other:
            await other.map("Enterprise", data, progress=lambda *numbers: seen.append(numbers))

    seen.clear()
    asyncio.run(main())
    assert seen[-1][0] == 600


def test_pages_report_objects(terminal: Terminal) -> None:
    seen: list[tuple[int, int | None]] = []
    owner = {"owner": "octo"}

    def tell(*numbers: Any) -> None:
        seen.append(numbers)

    with PagedPeer() as paged_peer, restway.Client(paged(), base_url=paged_peer.url) as client:
        assert len(list(client.pages("things", variables=owner, progress=tell))) == 5
        for _ in client.pages("things", variables=owner, progress=True):
            break
    assert seen == [(2, 5), (4, 5), (5, 5)]
    bar = "pages: [##########              ]  40% 2 objects of 5 objects"
    assert terminal.getvalue() == f"\r{bar}\n"


def test_async_pages_report_objects() -> None:
    seen: list[tuple[int, int | None]] = []

    def tell(*numbers: Any) -> None:
        seen.append(numbers)

    async def main(url: str) -> None:
        async with restway.AsyncClient(paged(), base_url=url) as client:
            pages = client.pages("things", variables={"owner": "octo"}, progress=tell)
            assert len([each async for each in pages]) == 5

    with PagedPeer() as paged_peer:
        asyncio.run(main(paged_peer.url))
    assert seen == [(2, 5), (4, 5), (5, 5)]


def paged() -> restway.API:
    environments = {"here": {"baseURL": "http://127.0.0.1:1"}}
    return restway.API.from_json(PAGED | {"environments": environments})


def test_a_flush_reports_items(server: Server, terminal: Terminal, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    with client_of(server, tmp_path) as client:
        for number in (1, 2, 3):
            store(client, number)
        client.outbox.flush(wait=True, progress=lambda *numbers: seen.append(numbers))
        assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
        store(client, 4)
        client.outbox.flush(wait=True, progress=True)
    assert terminal.getvalue().endswith("100% 1 items of 1 items\n")
    assert "flush: [" in terminal.getvalue()


def test_an_async_flush_reports_items(server: Server, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []

    async def main() -> None:
        async with async_client_of(server, tmp_path) as client:
            client.set_reachability(restway.Reachability.UNREACHABLE)
            for number in (1, 2):
                with pytest.raises(restway.QueuedError):
                    await client.route("thing", "PUT", variables={"id": number}, json={})
            await client.outbox.flush(progress=lambda *numbers: seen.append(numbers))

    asyncio.run(main())
    assert seen == [(0, 2), (1, 2), (2, 2)]


@pytest.mark.parametrize("wrong", [7, "yes"])
def test_what_is_neither_true_nor_a_function_is_refused(
    wrong: Any, make_client: MakeClient
) -> None:
    with make_client() as client:
        with pytest.raises(TypeError, match=r"^progress is True or a function, not "):
            client.get("status", progress=wrong)
        with pytest.raises(TypeError, match=r"^progress is True or a function, not "):
            client.map("Enterprise", [], progress=wrong)


def document(peer: Peer) -> dict[str, Any]:
    return {"restway": 1, "environments": {"here": {"baseURL": peer.url}}}

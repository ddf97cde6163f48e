"""Resumable uploads to servers that confirm everything and store nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import restway

from .peer import Peer
from .test_async import run

BODY = b"y" * 1000


def confirm(peer: Peer, *lines: str) -> None:
    """Lets the server answer every request with a success that has these header fields."""
    fields = "".join(f"{line}\r\n" for line in ("Location: /uploads/1", *lines))
    head = f"HTTP/1.1 201 Created\r\nContent-Length: 0\r\nConnection: close\r\n{fields}\r\n"
    peer.answer = head.encode()


def resumable(protocol: Any, state: Path | None = None) -> restway.Resumable:
    return restway.Resumable(protocol, state=state, piece_bytes=400)


@pytest.mark.parametrize("protocol", ["tus", "ietf"])
@pytest.mark.parametrize(
    "lines",
    [
        ["Upload-Offset: 0"],
        ["Upload-Offset: 1"],
        ["Upload-Offset: 399"],
        ["Upload-Offset: 999"],
        ["Upload-Offset: 2000"],
        ["Upload-Offset: 0", "Upload-Offset: 1000"],
        ["Upload-Offset: 400", "Upload-Offset: 1000"],
        ["Upload-Offset: many"],
        ["Upload-Offset: 0", "Upload-Length: 999"],
        ["Upload-Offset: 0", "Upload-Length: 1001"],
        ["Upload-Offset: 0", "Upload-Complete: ?1"],
        ["Upload-Offset: 0", "Upload-Complete: ?0"],
        ["Upload-Complete: ?1"],
    ],
)
def test_an_upload_that_is_not_stored_fails(
    peer: Peer, tmp_path: Path, protocol: Any, lines: list[str]
) -> None:
    confirm(peer, *lines)
    resource = restway.Resource.bytes(BODY, media_type="a/b")
    with restway.Client(restway.API.empty(), base_url=peer.url, timeout=30) as client:
        for state in (None, tmp_path / "state"):
            peer.requests.clear()
            with pytest.raises(restway.ProtocolError, match="Upload-"):
                client.post("up", body=resource, resumable=resumable(protocol, state))
            assert len(peer.requests) < 30


def test_the_error_has_what_the_server_says(peer: Peer) -> None:
    confirm(peer, "Upload-Offset: 0")

    async def upload() -> None:
        async with restway.AsyncClient(restway.API.empty(), base_url=peer.url) as client:
            resource = restway.Resource.bytes(BODY, media_type="a/b")
            with pytest.raises(restway.ProtocolError, match="status 201, Upload-Offset: 0"):
                await client.post("up", body=resource, resumable=resumable("tus"))

    run(upload())

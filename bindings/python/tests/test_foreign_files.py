"""Files of other programs at the paths that a program names by mistake: they stay as they are."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

import restway

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "entities": {"Note": {"identity": "id", "attributes": {"id": {"type": "int"}}}},
}
CONTENTS = [b"x", b"\0", b"\n", b"my only copy", b"\0" * 8192, b"%PDF-1.7 " * 1000]


def client_of(peer: Peer, **options: Any) -> restway.Client:
    return restway.Client(restway.API.from_json(DOCUMENT), base_url=peer.url, **options)


@pytest.mark.parametrize("option", ["store_path", "outbox_path", "cache"])
@pytest.mark.parametrize("content", CONTENTS)
def test_a_file_that_sqlite_did_not_write_is_refused_also_through_a_link(
    peer: Peer, tmp_path: Path, option: str, content: bytes
) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    link = tmp_path / "link.db"
    link.symlink_to(path)
    for name in (path, link):
        with pytest.raises(restway.RestwayError, match="another program"):
            client_of(peer, **{option: str(name)})
        assert path.read_bytes() == content
    assert link.is_symlink()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file.txt", "link.db"]


@pytest.mark.parametrize("option", ["store_path", "outbox_path", "cache"])
def test_an_empty_file_is_used_through_a_link(peer: Peer, tmp_path: Path, option: str) -> None:
    path = tmp_path / "file.db"
    path.touch()
    (tmp_path / "link.db").symlink_to(path)
    client_of(peer, **{option: str(tmp_path / "link.db")}).close()
    assert path.read_bytes().startswith(b"SQLite format 3")


def kinds(folder: Path) -> list[Path]:
    """Makes a FIFO, a socket, and links to them and to a device."""
    os.mkfifo(folder / "fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
    names = [folder / "fifo", folder / "socket"]
    targets = [*names, Path("/dev/null")]
    for target in targets:
        names.append(folder / f"link-to-{target.name}")
        names[-1].symlink_to(target)
    return names


@pytest.mark.parametrize("keep_part", [False, True])
def test_a_download_replaces_only_regular_files(
    peer: Peer, tmp_path: Path, keep_part: bool
) -> None:
    peer.respond(b"body")
    with client_of(peer) as client:
        for path in kinds(tmp_path):
            before = (path.lstat(), path.stat())
            with pytest.raises(restway.FileError, match="no regular file"):
                client.get("x", save_to=restway.SaveTo(path, keep_part=keep_part))
            after = (path.lstat(), path.stat())
            assert [each.st_ino for each in after] == [each.st_ino for each in before]
            assert [each.st_mode for each in after] == [each.st_mode for each in before]
        assert peer.requests == []
        assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
        link = tmp_path / "link-to-nothing"
        link.symlink_to(tmp_path / "nothing")
        client.get("x", save_to=restway.SaveTo(link, keep_part=keep_part))
        assert link.read_bytes() == b"body"
        assert not link.is_symlink()


@pytest.mark.parametrize("suffix", [".part", ".part.info"])
def test_a_part_replaces_only_regular_files(peer: Peer, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / "film"
    os.mkfifo(tmp_path / f"film{suffix}")
    peer.respond(b"body", headers={"ETag": '"v1"'})
    with client_of(peer) as client, pytest.raises(restway.FileError, match="no regular file"):
        client.get("x", save_to=restway.SaveTo(target, keep_part=True))
    assert stat.S_ISFIFO((tmp_path / f"film{suffix}").stat().st_mode)
    assert not target.exists()


@pytest.mark.parametrize("content", [b"my only copy" * 1000, b"", b"restway part 1\n"])
@pytest.mark.parametrize("protocol", ["tus", "ietf"])
def test_the_state_of_an_upload_replaces_no_file_of_others(
    peer: Peer, tmp_path: Path, content: bytes, protocol: Any
) -> None:
    film = tmp_path / "film.mp4"
    film.write_bytes(content)
    (tmp_path / "link").symlink_to(film)
    with client_of(peer) as client:
        for state in (film, tmp_path / "link"):
            with pytest.raises(restway.FileError, match="no state file"):
                client.post(
                    "films",
                    body=restway.Resource.file(film),
                    resumable=restway.Resumable(protocol, state=state),
                )
            assert film.read_bytes() == content
    assert peer.requests == []
    assert sorted(each.name for each in tmp_path.iterdir()) == ["film.mp4", "link"]

"""Calls whose body goes elsewhere than into memory: into a file, or to a function."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import restway
from calls import Ended, notified, request_of
from fault import Fault
from restway import SaveTo
from restway._stream import ReceivingBytes, body_receiver, receiving


def saved(client: restway.Client, fault: Fault, folder: Path) -> Ended:
    """Saves the body in a file of `folder`."""
    return _into_file(client, fault, SaveTo(folder / "file"))


def kept(client: restway.Client, fault: Fault, folder: Path) -> Ended:
    """Saves the body in a file of `folder`, and keeps a part if a later call can continue."""
    return _into_file(client, fault, SaveTo(folder / "file", keep_part=True))


def _into_file(client: restway.Client, fault: Fault, target: SaveTo) -> Ended:
    ended = notified(client, request_of(fault, save_to=target))
    path = Path(target.path)
    if ended.response is None or ended.response.saved is None:
        assert not path.exists()
        return ended
    assert ended.response.body == b""
    body = path.read_bytes()
    assert ended.response.saved.length == len(body)
    path.unlink()
    return ended._replace(body=body)


class Collected(ReceivingBytes):
    """Takes all bytes of a body at once, and never pauses."""

    def __init__(self) -> None:
        super().__init__(lambda: None)
        self.pieces: list[bytes] = []

    def receive(self, piece: bytes) -> bool:
        assert self.head is not None
        self.pieces.append(piece)
        return False


def streamed(client: restway.Client, fault: Fault, _folder: Path) -> Ended:
    """Gives the body to a function while it arrives."""
    request = request_of(fault)
    collected = Collected()
    with receiving(request, body_receiver(), collected):
        ended = notified(client, request)
    if ended.response is None:
        return ended
    assert ended.response.body == b""
    return ended._replace(body=b"".join(collected.pieces))


Destination = Callable[[restway.Client, Fault, Path], Ended]
DESTINATIONS: tuple[Destination, ...] = (saved, kept, streamed)

"""Kinto and two devices that change the same notes: its versions, and its 412 with the newest note.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import restway
from conftest import LIMIT_SECONDS, present
from restway import Client, ConflictKind, Credential
from server import HERE, Server

PASSWORD = "a password of a test"
DOCUMENT = json.loads((HERE / "kinto.restway.json").read_text())
#: The forms in which the version of a note is known.
VERSIONS: dict[str, dict[str, Any]] = {
    "header": {"header": "ETag"},
    "attribute": {"attribute": "modified", "ordered": True},
}


def document(version: dict[str, Any]) -> str:
    """The API document of the other tests, with versions and policies."""
    whole = json.loads(json.dumps(DOCUMENT))
    # Kinto's batches have a form of their own, which these clients do not register.
    del whole["batch"]
    note, routes = whole["entities"]["Note"], whole["routes"]
    note["attributes"]["modified"]["readOnly"] = True
    note["attributes"]["tags"] = {"type": ["string"]}
    note["version"] = version
    note["conflicts"] = {"attributes": {"tags": "union"}}
    routes["note"]["conflict"] = {"newest": "body", "keyPath": "details.existing"}
    routes["new"] = {
        "method": "POST", "path": "buckets/default/collections/notes/records", "entity": "Note",
        "request": {"entity": "Note", "keyPath": "data"},
        "response": {"entity": "Note", "keyPath": "data"}, "offline": True,
    }  # fmt: skip
    return json.dumps(whole)


class Device:
    """A device of the account, with a store and an outbox in files of their own."""

    def __init__(self, url: str, version: dict[str, Any], folder: Path, user: str) -> None:
        folder.mkdir(exist_ok=True)
        self.open: Callable[[], Client] = lambda: self._client(url, version, folder, user)
        #: The routes of the requests that calls have sent.
        self.sent: list[str | None] = []
        self.client = self.open()

    def _client(self, url: str, version: dict[str, Any], folder: Path, user: str) -> Client:
        client = Client(
            restway.API.from_json(document(version)), base_url=f"{url}/v1", timeout=LIMIT_SECONDS,
            outbox_path=folder / "outbox.db", store_path=folder / "store.db",
        )  # fmt: skip
        client.set_credential(Credential(user=user, password=PASSWORD))
        client.add_modifier(lambda context: self.sent.append(context.route))
        return client

    def restart(self) -> None:
        self.client.close()
        self.client = self.open()

    def go_offline(self) -> None:
        self.client.set_reachability(restway.Reachability.UNREACHABLE)

    def flush(self) -> None:
        self.client.set_reachability(restway.Reachability.REACHABLE)
        self.client.outbox.flush(force=True, wait=True, timeout=LIMIT_SECONDS)

    def note(self, identity: str) -> restway.Object:
        return present(self.client.store.find("Note", identity))

    def read(self, identity: str) -> restway.Object:
        return present(self.client.route("note", variables={"id": identity}).object)

    def edit(self, identity: str, **values: Any) -> None:
        """Changes a note while the device is offline."""
        draft = self.client.draft(self.note(identity), **values)
        with pytest.raises(restway.QueuedError):
            self.client.patch(draft)


@pytest.fixture(params=list(VERSIONS.values()), ids=list(VERSIONS))
def version(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: dict[str, Any] = request.param
    return found


@pytest.fixture
def devices(
    kinto: Server, version: dict[str, Any], tmp_path: Path
) -> Iterator[tuple[Device, Device]]:
    user = f"user-{uuid.uuid4().hex[:8]}"
    with Client(
        restway.API.from_json(json.dumps(DOCUMENT)), base_url=f"{kinto.url}/v1",
        outbox_path=tmp_path / "account.db",
    ) as client:  # fmt: skip
        client.route("account", variables={"name": user}, json={"data": {"password": PASSWORD}})
    phone, laptop = (Device(kinto.url, version, tmp_path / name, user) for name in ("a", "b"))
    yield phone, laptop
    for device in (phone, laptop):
        device.client.close()


@pytest.fixture
def shared(devices: tuple[Device, Device]) -> str:
    """The identity of a note that both devices have read."""
    phone, laptop = devices
    identity = uuid.uuid4().hex
    made = phone.client.draft("Note", id=identity, title="Milk", text="two", tags=["shop"])
    phone.client.put(made, headers={"If-None-Match": "*"})
    for device in (phone, laptop):
        device.read(identity)
    return identity


def test_changes_of_different_attributes_are_merged(
    devices: tuple[Device, Device], shared: str
) -> None:
    phone, laptop = devices
    for device in devices:
        device.go_offline()
    phone.edit(shared, title="Milk and bread", tags=["shop", "today"])
    laptop.edit(shared, text="three", tags=["shop", "market"])
    laptop.flush()
    phone.flush()
    for device in devices:
        assert len(device.client.outbox) == 0
        note = device.read(shared)
        assert (note.title, note.text) == ("Milk and bread", "three")
        assert sorted(note.tags) == ["market", "shop", "today"]


def test_two_edits_of_one_device_do_not_conflict_with_each_other(
    devices: tuple[Device, Device], shared: str
) -> None:
    phone, laptop = devices
    phone.go_offline()
    phone.edit(shared, title="Bread")
    phone.edit(shared, title="Butter")
    phone.flush()
    assert len(phone.client.outbox) == 0
    assert laptop.read(shared).title == "Butter"


def test_a_change_of_the_same_attribute_is_parked_until_the_program_decides(
    devices: tuple[Device, Device], shared: str
) -> None:
    phone, laptop = devices
    phone.go_offline()
    phone.edit(shared, title="mine", text="mine, too")
    laptop.client.patch(laptop.client.draft(laptop.note(shared), title="theirs"))
    phone.flush()
    assert laptop.read(shared).title == "theirs"
    assert laptop.read(shared).text == "mine, too"

    phone.restart()
    (conflict,) = phone.client.outbox.conflicts()
    assert conflict.kind is ConflictKind.ATTRIBUTES
    assert dict(conflict) == {"title": ("Milk", "mine", "theirs")}
    assert [note.id for note in phone.client.store.query("Note").conflicted()] == [shared]
    assert phone.note(shared).title == "mine"
    assert present(phone.client.store.confirmed(phone.note(shared))).title == "theirs"

    conflict.resolve(title="mine and theirs")
    phone.flush()
    assert phone.client.outbox.conflicts() == []
    assert len(phone.client.outbox) == 0
    assert laptop.read(shared).title == "mine and theirs"


def test_the_newest_note_comes_with_the_412(
    devices: tuple[Device, Device], shared: str
) -> None:
    phone, laptop = devices
    laptop.client.patch(laptop.client.draft(laptop.note(shared), title="theirs"))
    phone.sent.clear()
    with pytest.raises(restway.PreconditionFailedError) as raised:
        phone.client.patch(
            phone.client.draft(phone.note(shared), title="mine"), offline=False
        )
    conflict = present_conflict(raised.value)
    assert dict(conflict) == {"title": ("Milk", "mine", "theirs")}
    assert phone.sent == ["note"]
    assert phone.note(shared).title == "theirs"
    phone.client.patch(phone.client.draft(phone.note(shared), title="mine"), offline=False)
    assert laptop.read(shared).title == "mine"


def test_a_note_that_another_device_has_deleted_is_made_again_only_on_demand(
    devices: tuple[Device, Device], shared: str
) -> None:
    phone, laptop = devices
    phone.go_offline()
    phone.edit(shared, title="mine")
    laptop.client.delete(laptop.note(shared))
    phone.flush()
    (conflict,) = phone.client.outbox.conflicts()
    assert (conflict.kind, conflict.theirs) == (ConflictKind.THEY_DELETED, None)
    with pytest.raises(restway.NotFoundError):
        laptop.read(shared)

    conflict.resolve("mine")
    phone.flush()
    assert len(phone.client.outbox) == 0
    note = laptop.read(shared)
    assert (note.title, note.text) == ("mine", "two")


def test_a_note_that_was_changed_is_not_deleted_unseen(
    devices: tuple[Device, Device], shared: str
) -> None:
    phone, laptop = devices
    phone.go_offline()
    with pytest.raises(restway.QueuedError):
        phone.client.delete(phone.note(shared))
    laptop.client.patch(laptop.client.draft(laptop.note(shared), text="three"))
    phone.flush()
    (conflict,) = phone.client.outbox.conflicts()
    assert conflict.kind is ConflictKind.I_DELETE
    assert present(conflict.theirs).text == "three"

    conflict.resolve("theirs")
    assert len(phone.client.outbox) == 0
    assert phone.note(shared).text == "three"
    assert laptop.read(shared).text == "three"


def present_conflict(error: restway.RestwayError) -> restway.Conflict:
    conflict = error.conflict
    assert conflict is not None
    return conflict

"""Kinto: accounts, versions, tombstones, its batches, and notes that wait while it is down."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import restway
from conftest import LIMIT_SECONDS, RunProgram, present
from restway import BatchAnswer, BatchRequest, Client, Credential
from server import HERE, Server

DOCUMENT = HERE / "kinto.restway.json"
PASSWORD = "a password of a test"
SignIn = Callable[[], Client]


@pytest.fixture
def name(kinto: Server, tmp_path: Path) -> str:
    """The name of a new account."""
    name, outbox = f"user-{uuid.uuid4().hex[:8]}", tmp_path / "account.db"
    api = restway.API.load(DOCUMENT)
    with Client(api, base_url=f"{kinto.url}/v1", outbox_path=outbox) as client:
        made = client.route(
            "account", variables={"name": name}, json={"data": {"password": PASSWORD}}
        )
        assert made.status == 201
    return name


@pytest.fixture
def sign_in(kinto: Server, name: str, tmp_path: Path) -> Iterator[SignIn]:
    """Makes clients of the account, as devices of their own; they are closed at the end."""
    clients: list[Client] = []

    def make() -> Client:
        api, url = restway.API.load(DOCUMENT), f"{kinto.url}/v1"
        outbox = tmp_path / f"outbox-{len(clients)}.db"
        client = Client(api, base_url=url, timeout=LIMIT_SECONDS, outbox_path=outbox)
        clients.append(client)
        client.set_credential(Credential(user=name, password=PASSWORD))
        return client

    yield make
    for client in clients:
        client.close()


def new_note(client: Client, title: str) -> restway.Response:
    draft = client.draft("Note", id=uuid.uuid4().hex, title=title)
    return client.put(draft, headers={"If-None-Match": "*"})


def notes_of(client: Client) -> dict[str, str]:
    """The titles of all notes on the server, and their texts. Kinto also lists tombstones in pages
    that begin before a note.
    """
    notes = client.pages("notes")
    return {note.title: note.get("text") for note in notes if not note.get("deleted")}


def test_an_account_signs_in_with_its_password(sign_in: SignIn, name: str) -> None:
    client = sign_in()
    hello = client.get("").json()
    assert isinstance(hello, dict)
    assert hello["user"]["id"] == f"account:{name}"
    client.set_credential(Credential(user=name, password="another one"))
    with pytest.raises(restway.UnauthorizedError) as raised:
        client.route("notes")
    assert raised.value.api_code == "104"
    client.set_credential(Credential(user=name, password=PASSWORD))
    assert list(client.route("notes").objects) == []


def test_a_note_that_another_device_has_changed_is_not_overwritten(sign_in: SignIn) -> None:
    phone, laptop = sign_in(), sign_in()
    made = new_note(phone, "Milk")
    note = present(made.object)
    assert made.headers["ETag"] == f'"{note.modified}"'
    with pytest.raises(restway.HTTPStatusError) as raised:
        phone.put(phone.draft("Note", id=note.id, title="x"), headers={"If-None-Match": "*"})
    assert (raised.value.http_status, raised.value.api_code) == (412, "114")

    read = present(laptop.route("note", variables={"id": note.id}).object)
    theirs = laptop.draft(read, text="two bottles")
    laptop.patch(theirs, headers={"If-Match": made.headers["ETag"]})
    mine = phone.draft(note, title="Milk and bread")
    with pytest.raises(restway.HTTPStatusError) as raised:
        phone.patch(mine, headers={"If-Match": made.headers["ETag"]})
    assert raised.value.http_status == 412
    assert raised.value.response is not None
    refused = raised.value.response.json()
    assert isinstance(refused, dict)
    assert refused["details"]["existing"]["text"] == "two bottles"

    newest = phone.get(note)
    phone.patch(mine, headers={"If-Match": newest.headers["ETag"]})
    assert notes_of(laptop) == {"Milk and bread": "two bottles"}


def test_a_deleted_note_leaves_a_tombstone_for_other_devices(sign_in: SignIn) -> None:
    phone, laptop = sign_in(), sign_in()
    for title in ("one", "two", "three"):
        new_note(phone, title)
    seen = laptop.route("notes")
    since = seen.headers["ETag"]
    gone = next(note for note in seen.objects if note.title == "two")
    phone.delete(present(phone.store.find("Note", gone.id)))
    assert phone.store.count("Note") == 2
    with pytest.raises(restway.NotFoundError):
        phone.route("note", variables={"id": gone.id})

    changes = laptop.route("notes", params={"_since": since})
    assert [(note.id, note.deleted) for note in changes.objects] == [(gone.id, True)]
    for note in changes.objects:
        if note.deleted:
            laptop.store.delete(note)
    assert {note.title for note in laptop.store.query("Note")} == {"one", "three"}
    assert list(laptop.route("notes", params={"_since": changes.headers["ETag"]}).objects) == []


def test_pages_go_on_before_the_last_note(sign_in: SignIn) -> None:
    client = sign_in()
    for number in range(12):
        new_note(client, f"note {number}")
    pages = list(client.pages("notes").pages)
    assert [len(page.objects) for page in pages] == [5, 5, 2, 0]
    titles = [note.title for page in pages for note in page.objects]
    assert titles == [f"note {number}" for number in reversed(range(12))]


class Format:
    """Kinto's form of batches."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def encode(self, requests: Sequence[BatchRequest]) -> tuple[bytes, str]:
        self.calls.append([request.method for request in requests])
        written = [
            {
                "method": request.method,
                "path": f"/v1{request.uri}",
                "headers": dict(request.headers),
                **({"body": json.loads(request.body)} if request.body else {}),
            }
            for request in requests
        ]
        return json.dumps({"requests": written}).encode(), "application/json"

    def decode(self, body: bytes, count: int) -> list[BatchAnswer]:
        answers = json.loads(body)["responses"]
        return [
            BatchAnswer(each["status"], json.dumps(each["body"]).encode(), each["headers"])
            for each in answers
        ]


def test_several_notes_go_in_one_batch(sign_in: SignIn) -> None:
    client, form = sign_in(), Format()
    client.set_batch_format(form.encode, form.decode)
    drafts = [client.draft("Note", id=f"note-{n}", title=f"title {n}") for n in range(3)]
    with client.batch() as batch:
        calls = [batch.put(draft) for draft in drafts]
        missing = batch.get("buckets/default/collections/notes/records/none")
    notes = [present(call.wait().object) for call in calls]
    assert [note.title for note in notes] == ["title 0", "title 1", "title 2"]
    assert all(note.modified > 0 for note in notes)
    with pytest.raises(restway.NotFoundError) as raised:
        missing.wait()
    assert raised.value.api_code == "110"
    assert form.calls == [["PUT", "PUT", "PUT", "GET"]]


def run_c(
    kinto: Server, name: str, folder: Path, run_program: RunProgram
) -> Callable[[str], list[str]]:
    """Returns a function that performs a step of the program in C, with an outbox of its own."""
    fixed = [f"{kinto.url}/v1", str(DOCUMENT), str(folder / "outbox-of-c.db"), name, PASSWORD]
    return lambda step: run_program("kinto", *fixed, step)


def test_notes_wait_until_the_server_is_there_again(
    sign_in: SignIn, kinto: Server, name: str, tmp_path: Path, run_program: RunProgram
) -> None:
    """Python sends them in one batch, in which one note meets the change of another device. In C,
    another process sends them.
    """
    client, form, in_c = sign_in(), Format(), run_c(kinto, name, tmp_path, run_program)
    client.set_batch_format(form.encode, form.decode)
    old, older = (present(new_note(client, title).object) for title in ("old", "older"))
    made = new_note(client, "shared")
    laptop, shared = sign_in(), present(made.object)
    read = present(laptop.route("note", variables={"id": shared.id}).object)
    laptop.patch(laptop.draft(read, text="theirs"))
    kinto.stop()
    try:
        stored = [
            waits(lambda: client.put(client.draft("Note", id="n1", title="new"))),
            waits(lambda: client.patch(client.draft(old, text="changed"))),
            waits(lambda: client.delete(older)),
        ]
        draft, condition = client.draft(shared, text="mine"), {"If-Match": made.headers["ETag"]}
        late = waits(lambda: client.patch(draft, headers=condition))
        assert present(client.store.newest(shared)).text == "mine"
        assert present(client.store.find("Note", "n1")).title == "new"
        assert client.outbox.has_pending(present(client.store.newest(old)))
        assert len(client.outbox) == 4
        assert in_c("wait") == []
    finally:
        kinto.start()
    client.outbox.flush(force=True, wait=True, timeout=LIMIT_SECONDS)
    for each in stored:
        assert client.outbox.wait(each, LIMIT_SECONDS).state is restway.OutboxState.DELIVERED
    assert sorted(form.calls[-1]) == ["DELETE", "PATCH", "PATCH", "PUT"]
    refused = client.outbox.wait(late, LIMIT_SECONDS)
    assert (refused.state, refused.reason) == (
        restway.OutboxState.DEAD, restway.OutboxReason.REFUSED,
    )  # fmt: skip
    assert refused.response is not None
    assert refused.response.status == 412
    client.outbox.drop(refused.id)
    # The 412 made the outbox ask for the newest note, so that the store agrees with the server.
    assert present(client.store.newest(shared)).get("text") == "theirs"
    assert len(client.outbox) == 0

    assert in_c("send") == ["sent: 2"]
    assert notes_of(laptop) == {
        "new": None, "old": "changed", "shared": "theirs", "waits, too": None,
    }  # fmt: skip


def test_versions_tombstones_and_batches_in_c(
    sign_in: SignIn, kinto: Server, name: str, tmp_path: Path, run_program: RunProgram
) -> None:
    in_c = run_c(kinto, name, tmp_path, run_program)
    assert in_c("talk") == ["412 114", "first of two", "second of two", "404 110"]
    assert set(notes_of(sign_in())) == {"first of two", "second of two"}


def waits(call: Callable[[], object]) -> restway.QueuedError:
    with pytest.raises(restway.QueuedError) as raised:
        call()
    return raised.value

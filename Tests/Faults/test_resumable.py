"""Resumable uploads, against servers whose faults the test chooses."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import restway
from upload_server import (
    Break,
    Fault,
    Forget,
    Protocol,
    Refuse,
    Silence,
    Upload,
    UploadServer,
    uploading,
)

BYTES = 100_000
RETRY = {"attempts": 8, "baseMilliseconds": 1, "capMilliseconds": 2, "budget": 100}


@pytest.fixture(params=get_args(Protocol))
def server(request: pytest.FixtureRequest) -> Iterator[UploadServer]:
    with uploading(request.param) as server:
        yield server


@pytest.fixture
def client(server: UploadServer) -> Iterator[restway.Client]:
    with restway.Client(document(), base_url=server.url, timeout=20) as client:
        yield client


@pytest.fixture
def single(server: UploadServer) -> Iterator[restway.Client]:
    """A client that makes one attempt."""
    with restway.Client(restway.API.empty(), base_url=server.url, timeout=20) as client:
        yield client


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "film.mp4"
    path.write_bytes(os.urandom(BYTES))
    return path


def document(**keys: Any) -> restway.API:
    return restway.API.from_json({"restway": 1, "retry": RETRY, **keys})


def upload(
    client: restway.Client, server: UploadServer, source: Path, **options: Any
) -> restway.Response:
    how = restway.Resumable(server.protocol, **options)
    return client.post("files", body=restway.Resource.file(source), resumable=how)


def break_off(
    single: restway.Client, server: UploadServer, source: Path, state: Path
) -> None:
    """Uploads a part of a file, until the connection breaks."""
    server.faults["PATCH"] = [Break(30_000)]
    with pytest.raises(restway.ConnectionLostError):
        upload(single, server, source, state=state)


def test_a_file_is_sent_in_one_piece(
    client: restway.Client, server: UploadServer, source: Path
) -> None:
    response = upload(client, server, source)
    assert server.only.data == source.read_bytes()
    assert server.methods() == ["POST", "PATCH"]
    assert response.status == 204
    assert response.url == f"{server.url}/uploads/1"


def test_a_file_is_sent_in_pieces(
    client: restway.Client, server: UploadServer, source: Path
) -> None:
    upload(client, server, source, piece_bytes=BYTES // 3)
    assert server.only.data == source.read_bytes()
    assert server.methods() == ["POST"] + ["PATCH"] * 4


def test_bytes_an_empty_file_and_a_descriptor_are_sent(
    client: restway.Client, server: UploadServer, source: Path, tmp_path: Path
) -> None:
    protocol = server.protocol
    client.post("files", body=restway.Resource.bytes(b"bytes"), resumable=protocol)
    (tmp_path / "empty").touch()
    client.post("files", body=restway.Resource.file(tmp_path / "empty"), resumable=protocol)
    with source.open("rb") as file:
        body = restway.Resource.descriptor(file.fileno(), offset=BYTES - 10)
        client.post("files", body=body, resumable=protocol)
    contents = [bytes(upload.data) for upload in server.uploads.values()]
    assert contents == [b"bytes", b"", source.read_bytes()[-10:]]


@pytest.mark.parametrize("after", [0, 1, 4_096, 50_000, BYTES - 1])
@pytest.mark.parametrize("lost", [0, 1])
def test_an_attempt_goes_on_from_the_bytes_of_the_attempt_before(
    client: restway.Client, server: UploadServer, source: Path, after: int, lost: int
) -> None:
    server.faults["PATCH"] = [Break(after, min(lost, after))]
    response = upload(client, server, source)
    assert server.only.data == source.read_bytes()
    assert server.methods() == ["POST", "PATCH", "HEAD", "PATCH"]
    assert server.headers[-1]["upload-offset"] == str(after - min(lost, after))
    assert server.headers[-1]["content-length"] == str(BYTES - after + min(lost, after))
    assert len(response.attempts) == 2


def test_a_connection_that_breaks_often(
    client: restway.Client, server: UploadServer, source: Path
) -> None:
    server.faults["PATCH"] = [Break(7_000) for _ in range(6)]
    upload(client, server, source)
    assert server.only.data == source.read_bytes()


def test_a_lost_answer_does_not_send_the_last_piece_again(
    client: restway.Client, server: UploadServer, source: Path
) -> None:
    server.faults["PATCH"] = [Silence()]
    response = upload(client, server, source)
    assert server.methods() == ["POST", "PATCH", "HEAD"]
    assert response.status == 204


def test_a_lost_creation_is_repeated(
    client: restway.Client, server: UploadServer, source: Path
) -> None:
    server.faults["POST"] = [Silence()]
    upload(client, server, source)
    assert server.methods() == ["POST", "POST", "PATCH"]
    assert server.uploads["/uploads/2"].data == source.read_bytes()


@pytest.mark.parametrize("method", ["POST", "PATCH", "HEAD"])
@pytest.mark.parametrize("status", [500, 503])
def test_a_failure_of_the_server_is_retried(
    client: restway.Client, server: UploadServer, source: Path, method: str, status: int
) -> None:
    server.faults["PATCH"] = [Break(30_000)]
    server.faults.setdefault(method, []).append(Refuse(status))
    upload(client, server, source)
    assert server.only.data == source.read_bytes()


def test_a_conflict_asks_for_the_offset(
    client: restway.Client, server: UploadServer, source: Path
) -> None:
    server.faults["PATCH"] = [Refuse(409)]
    response = upload(client, server, source)
    assert server.methods() == ["POST", "PATCH", "HEAD", "PATCH"]
    assert len(response.attempts) == 1


def test_endless_conflicts_end_with_a_failure(
    client: restway.Client, server: UploadServer, source: Path
) -> None:
    server.faults["PATCH"] = [Refuse(409) for _ in range(20)]
    with pytest.raises(restway.HTTPStatusError, match="409"):
        upload(client, server, source)
    assert server.methods().count("PATCH") == 4


@pytest.mark.parametrize("fault", [Forget(), Refuse(410), Refuse(403)])
def test_an_upload_that_is_gone_is_created_again(
    client: restway.Client, server: UploadServer, source: Path, fault: Fault
) -> None:
    server.faults["PATCH"] = [Break(30_000), fault]
    upload(client, server, source)
    assert server.methods() == ["POST", "PATCH", "HEAD", "PATCH", "POST", "PATCH"]
    assert server.uploads["/uploads/2"].data == source.read_bytes()


def test_a_server_that_forgets_every_upload_ends_the_call(
    client: restway.Client, server: UploadServer, source: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    server.faults["PATCH"] = [Forget() for _ in range(20)]
    with pytest.raises(restway.HTTPStatusError, match="404"):
        upload(client, server, source, state=state)
    assert server.methods() == ["POST", "PATCH"] * 3
    assert not state.exists()


def test_a_later_call_goes_on(
    single: restway.Client, server: UploadServer, source: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    break_off(single, server, source, state)
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    assert "/uploads/1" in state.read_text()
    upload(single, server, source, state=state)
    assert server.only.data == source.read_bytes()
    assert server.methods() == ["POST", "PATCH", "HEAD", "PATCH"]
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize("change", ["content", "length", "url", "state"])
def test_another_source_or_request_starts_anew(
    single: restway.Client, server: UploadServer, source: Path, tmp_path: Path, change: str
) -> None:
    state = tmp_path / "state"
    break_off(single, server, source, state)
    path = "files"
    if change == "content":
        os.utime(source, ns=(1, 1))
    elif change == "length":
        source.write_bytes(b"short")
    elif change == "url":
        path = "others"
    else:
        state.write_text(state.read_text().replace("end\n", ""))
    how = restway.Resumable(server.protocol, state)
    single.post(path, body=restway.Resource.file(source), resumable=how)
    assert server.methods() == ["POST", "PATCH", "POST", "PATCH"]
    assert server.uploads["/uploads/2"].data == source.read_bytes()
    assert not state.exists()


def test_a_file_that_changes_between_two_pieces_fails_the_call(
    client: restway.Client, server: UploadServer, source: Path
) -> None:
    server.on_piece = lambda _upload: os.utime(source, ns=(1, 1))
    with pytest.raises(restway.FileError, match=r"film\.mp4"):
        upload(client, server, source, piece_bytes=50_000)
    # The file may be open when it changes. The piece after the change is not sent.
    assert len(server.only.data) <= 50_000


def test_a_killed_process_goes_on(server: UploadServer, tmp_path: Path) -> None:
    source, state = tmp_path / "large", tmp_path / "state"
    source.write_bytes(os.urandom(32 << 20))
    program = Path(__file__).with_name("resumable_upload.py")
    command = [sys.executable, str(program), server.url, server.protocol, str(source), str(state)]
    has_begun = threading.Event()

    def stop(upload: Any) -> None:
        # The upload does not end before the process is killed.
        if len(upload.data) > 1 << 20 and not has_begun.is_set():
            has_begun.set()
            child.wait(30)

    server.on_piece = stop
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, env=environment) as child:
        try:
            assert has_begun.wait(30)
        finally:
            child.send_signal(signal.SIGKILL)
    assert state.exists()
    subprocess.run(command, env=environment, check=True, timeout=60)
    assert server.methods() == ["POST", "PATCH", "HEAD", "PATCH"]
    assert int(server.headers[-1]["upload-offset"]) > 1 << 20
    assert server.only.data == source.read_bytes()
    assert not state.exists()


def test_a_cancelled_upload_goes_on_later(
    client: restway.Client, server: UploadServer, source: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    request = restway.Request.path("POST", "files")
    how = restway.Resumable(server.protocol, state)
    request.update(body=restway.Resource.file(source), resumable=how)
    calls: list[restway.Call] = []
    is_sent = threading.Event()

    def cancel(_upload: Any) -> None:
        assert is_sent.wait(30)
        calls[0].cancel()

    server.on_piece = cancel
    calls.append(client.send(request))
    is_sent.set()
    with pytest.raises(restway.CancelledError):
        calls[0].wait()
    server.on_piece = None
    client.perform(request)
    assert server.uploads["/uploads/1"].data == source.read_bytes()


def test_a_refused_credential_is_replaced_in_the_middle(
    server: UploadServer, source: Path
) -> None:
    server.token = "old"

    def revoke(_upload: Any) -> None:
        server.token = "new"

    server.on_piece = revoke
    with restway.Client(document(auth={"scheme": "bearer"}), base_url=server.url) as client:
        client.set_credential("old")
        client.set_auth(refresh=lambda: "new")
        upload(client, server, source, piece_bytes=60_000)
    assert server.only.data == source.read_bytes()
    assert server.methods() == ["POST", "PATCH", "PATCH", "PATCH"]


def test_every_request_may_be_redirected(
    client: restway.Client, server: UploadServer, source: Path
) -> None:
    for method in ("POST", "PATCH", "HEAD"):
        here = "/files" if method == "POST" else "/uploads/1"
        server.faults[method] = [Refuse(307, (("Location", here),))]
    server.faults["PATCH"].append(Break(1_000))
    upload(client, server, source)
    assert server.only.data == source.read_bytes()
    assert server.methods() == [
        *("POST", "POST", "PATCH", "PATCH", "HEAD", "HEAD", "PATCH"),
    ]


def test_an_upload_at_another_origin_receives_bytes_only_if_it_is_trusted(
    source: Path,
) -> None:
    with uploading("tus") as elsewhere, uploading("tus") as server:
        server.location = elsewhere.url + "/uploads/{}"
        headers = {"X-Secret": "s"}
        for trusted in ([], [elsewhere.url]):
            here = {"baseURL": server.url, "headers": headers, "trustedOrigins": trusted}
            api = document(environments={"here": here}, auth={"scheme": "bearer"})
            with restway.Client(api) as client:
                client.set_credential("t")
                if not trusted:
                    with pytest.raises(restway.RestwayError, match="another origin"):
                        upload(client, server, source)
                    assert elsewhere.requests == []
                    continue
                elsewhere.uploads["/uploads/2"] = Upload(BYTES)
                upload(client, server, source)
        assert elsewhere.uploads["/uploads/2"].data == source.read_bytes()
        assert elsewhere.headers[0]["authorization"] == "Bearer t"


def test_a_termination_deletes_the_upload(
    single: restway.Client, server: UploadServer, source: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    with pytest.raises(restway.UsageError, match="names no upload"):
        upload(single, server, source, state=state, terminate=True)
    break_off(single, server, source, state)
    upload(single, server, source, state=state, terminate=True)
    assert server.uploads == {}
    assert server.methods() == ["POST", "PATCH", "DELETE"]
    assert not state.exists()


def test_a_state_file_that_cannot_be_written_fails_the_call(
    client: restway.Client, server: UploadServer, source: Path, tmp_path: Path
) -> None:
    with pytest.raises(restway.FileError, match="missing"):
        upload(client, server, source, state=tmp_path / "missing" / "state")


def test_a_route_says_how_its_resources_are_sent(server: UploadServer, source: Path) -> None:
    how = {"protocol": server.protocol, "pieceBytes": 40_000}
    routes = {"file": {"method": "POST", "path": "files", "resumable": how}}
    with restway.Client(document(routes=routes), base_url=server.url) as client:
        client.route("file", body=restway.Resource.file(source))
    assert server.only.data == source.read_bytes()
    assert server.methods() == ["POST", "PATCH", "PATCH", "PATCH"]


def test_a_refused_announcement_is_left_out_of_all_pieces(
    client: restway.Client, server: UploadServer, source: Path
) -> None:
    server.faults["PATCH"] = [Refuse(417)]
    how = restway.Resumable(server.protocol, piece_bytes=60_000)
    body = restway.Resource.file(source)
    client.post("files", body=body, resumable=how, expect_continue=True)
    assert server.only.data == source.read_bytes()
    assert server.methods() == ["POST", "PATCH", "HEAD", "PATCH", "PATCH"]
    announced = [headers.get("expect") for headers in server.headers]
    assert announced == [None, "100-continue", None, None, None]


def test_progress_counts_the_whole_resource(
    client: restway.Client, server: UploadServer, source: Path
) -> None:
    request = restway.Request.path("POST", "files")
    how = restway.Resumable(server.protocol, piece_bytes=30_000)
    request.update(body=restway.Resource.file(source), resumable=how)
    request.watch(None)
    call = client.send(request)
    call.wait()
    assert call.progress.upload_done == BYTES
    assert call.progress.upload_total == BYTES


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"body": b"plain"}, "a resource with a length"),
        ({"gzip": True}, "compressed"),
        ({"digest": ["repr-digest"]}, "digest"),
        ({"save_to": "x"}, "neither saved"),
    ],
)
def test_what_cannot_be_resumed_is_an_error(
    client: restway.Client, server: UploadServer, options: dict[str, Any], message: str
) -> None:
    options = {"body": restway.Resource.bytes(b"a"), "resumable": server.protocol, **options}
    with pytest.raises(restway.UsageError, match=message):
        client.post("files", **options)
    assert server.requests == []


def test_a_batch_takes_no_uploads(server: UploadServer) -> None:
    with restway.Client(document(batch={"path": "batch"}), base_url=server.url) as client:
        batch = client.batch()
        body = restway.Resource.bytes(b"a")
        with pytest.raises(restway.UsageError, match="a batch takes no uploads"):
            batch.post("files", body=body, resumable=server.protocol)
        batch.cancel()


def test_an_upload_is_never_stored(server: UploadServer, tmp_path: Path) -> None:
    route = {"method": "POST", "path": "files", "offline": True, "resumable": server.protocol}
    api = restway.API.from_json({"restway": 1, "routes": {"file": route}})
    server.faults["POST"] = [Silence()]
    outbox = tmp_path / "o.db"
    with restway.Client(api, base_url=server.url, outbox_path=outbox) as client:
        with pytest.raises(restway.ConnectionLostError):
            client.route("file", body=restway.Resource.bytes(b"a"))
        assert len(client.outbox) == 0


def test_tus_creates_an_upload_with_post_only(client: restway.Client, server: UploadServer) -> None:
    body = restway.Resource.bytes(b"a")
    if server.protocol == "tus":
        with pytest.raises(restway.UsageError, match="with POST, not with PUT"):
            client.put("files", body=body, resumable="tus")
    else:
        client.put("files", body=body, resumable="ietf")
        assert server.only.data == b"a"


def test_a_complete_upload_that_the_server_refuses_is_not_repeated(source: Path) -> None:
    with uploading("ietf") as server:
        server.faults["PATCH"] = [Refuse(500, (("Upload-Complete", "?1"),))]
        api = restway.API.from_json({"restway": 1})
        client = restway.Client(api, base_url=server.url)
        with client, pytest.raises(restway.HTTPStatusError, match="500"):
            upload(client, server, source)
        assert server.methods() == ["POST", "PATCH"]

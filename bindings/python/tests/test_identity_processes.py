"""Identities of several parts in two processes: one stores requests and is killed, the other sends
them. Both use one outbox and one store."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import restway
from restway import OutboxState

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"here": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Issue": {
            "identity": ["owner", "repo", "number"],
            "attributes": {
                "owner": {"type": "string"},
                "repo": {"type": "string"},
                "number": {"type": "int"},
                "title": {"type": "string"},
            },
        }
    },
    "routes": {
        "issues": {"method": "POST", "path": "repos/:owner/:repo/issues", "entity": "Issue",
                   "response": {"entity": "Issue"}, "offline": True},
        "issue": {"method": ["GET", "PATCH"], "path": "repos/:owner/:repo/issues/:number",
                  "entity": "Issue", "response": {"entity": "Issue"},
                  "request": {"entity": "Issue", "changedOnly": True}, "offline": True},
    },
}  # fmt: skip

#: Makes an issue in each of two repositories, changes both, and ends at once.
WRITER = """
import json, os, sys, restway
document, url, folder = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]
client = restway.Client(
    document, base_url=url, outbox_path=folder + "/outbox.db", store_path=folder + "/objects.db")
client.set_reachability(restway.Reachability.UNREACHABLE)
for repo in "hello", "world":
    draft = client.draft("Issue", owner="octocat", repo=repo, title="new")
    for send, title in (client.post, "new"), (client.patch, "changed in " + repo):
        draft["title"] = title
        try:
            send(draft)
        except restway.QueuedError:
            pass
os._exit(9)
"""


def test_a_process_sends_what_a_killed_process_has_stored(peer: Peer, tmp_path: Path) -> None:
    def give_answer() -> None:
        line, _, rest = peer.requests[-1].partition(b"\r\n")
        repo = line.split(b"/")[3].decode()
        body = json.loads(rest.partition(b"\r\n\r\n")[2])
        answer = {"owner": "octocat", "repo": repo, "number": 7, **body}
        peer.respond(json.dumps(answer).encode(), status=201 if b"POST" in line else 200)

    peer.heard = give_answer
    arguments = [json.dumps(DOCUMENT), peer.url, str(tmp_path)]
    ended = subprocess.run([sys.executable, "-c", WRITER, *arguments], timeout=120, check=False)
    assert ended.returncode == 9
    client = restway.Client(
        DOCUMENT,
        base_url=peer.url,
        outbox_path=tmp_path / "outbox.db",
        store_path=tmp_path / "objects.db",
    )
    with client:
        items = client.outbox.flush(wait=True, timeout=60)
        assert [item.state for item in items] == [OutboxState.DELIVERED] * 4
        assert sorted(line.split(b"\r\n")[0] for line in peer.requests) == [
            b"PATCH /repos/octocat/hello/issues/7 HTTP/1.1",
            b"PATCH /repos/octocat/world/issues/7 HTTP/1.1",
            b"POST /repos/octocat/hello/issues HTTP/1.1",
            b"POST /repos/octocat/world/issues HTTP/1.1",
        ]
        for repo in "hello", "world":
            issue = client.store.find("Issue", ("octocat", repo, 7))
            assert issue is not None
            assert issue["title"] == "changed in " + repo
        assert client.store.count("Issue") == 2

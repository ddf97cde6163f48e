"""The server of `make sync-check`: ordinary REST, with the faults of a network and of a server."""

from __future__ import annotations

import copy
import http.server
import json
import threading
from dataclasses import dataclass, field
from typing import Any, ClassVar

ATTRIBUTES = ("title", "text", "status")

#: What can happen to a write: it is answered; answered without a body; lost before the server has
#: seen it; its answer is lost; it arrives twice; the server has no time for it (before or after it
#: has acted); the server refuses it.
FATES = ("ok", "bare", "lost", "unanswered", "twice", "limit", "busy", "refused")

#: The status of an answer, and the row that it has.
Answer = tuple[int, dict[str, Any] | None]


@dataclass
class Write:
    """A request that changes a note."""

    device: str
    #: The name of the edit that it is for.
    tag: str
    method: str
    path: str
    #: The idempotency key.
    key: str
    #: The condition: the version that the note must have.
    condition: str
    body: dict[str, Any]

    @property
    def number(self) -> int:
        return int(self.path.rsplit("/", 1)[-1])


@dataclass
class Answered:
    """A request that a device has got an answer to, or could have got one to."""

    tag: str
    method: str
    path: str
    body: dict[str, Any]
    status: int
    answer: dict[str, Any] | None
    is_lost: bool


@dataclass
class World:
    """The state of the server for one schedule.

    A row whose note has a `rev` is answered with that version as its entity tag, or with the
    version as an attribute.
    """

    #: What the attributes of a new note are.
    attributes: ClassVar[dict[str, Any]] = dict.fromkeys(ATTRIBUTES, "")

    notes: dict[int, dict[str, Any]] = field(default_factory=dict)
    next_id: int = 1
    #: The states before, the newest last, for reads that lag.
    history: list[dict[int, dict[str, Any]]] = field(default_factory=list)
    #: The answer to each idempotency key.
    keys: dict[str, Answer] = field(default_factory=dict)
    #: How often each request was carried out.
    applied: dict[str, int] = field(default_factory=dict)
    #: The fates of the next writes; then all go well.
    fates: list[str] = field(default_factory=list)
    #: Whether versions stand in the rows, and not in a header.
    has_versions_in_rows: bool = False
    #: How many changes old the next reads are.
    lag: int = 0
    #: Whether the answers to reads are lost.
    loses_reads: bool = False
    #: The bodies that PUTs must have.
    expected: dict[str, dict[str, Any]] = field(default_factory=dict)
    answered: list[Answered] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    #: Whether the next request is to be held back: it is set free by `release`.
    holds: bool = False
    arrived: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)
    #: Set when a write that was held back has met its fate.
    done: threading.Event = field(default_factory=threading.Event)

    def add(self, ref: str, values: dict[str, Any]) -> dict[str, Any]:
        self.remember()
        note = {"id": self.next_id, "ref": ref, **copy.deepcopy(self.attributes), **values}
        self.notes[self.next_id] = note
        self.next_id += 1
        return note

    def change(self, number: int, values: dict[str, Any]) -> None:
        self.remember()
        self.notes[number] |= values

    def remove(self, number: int) -> None:
        self.remember()
        del self.notes[number]

    def remember(self) -> None:
        self.history.append(copy.deepcopy(self.notes))

    def seen(self) -> dict[int, dict[str, Any]]:
        """Returns the state that a read sees, which may be an older one."""
        if not self.lag or not self.history:
            return copy.deepcopy(self.notes)
        return copy.deepcopy(self.history[-min(self.lag, len(self.history))])

    def carry_out(self, write: Write) -> Answer:
        if write.key and write.key in self.keys:
            return self.keys[write.key]
        answer = self.act(write)
        if write.key and answer[0] < 300:
            self.keys[write.key] = answer
        return answer

    def repeat(self, write: Write, first: Answer) -> Answer:
        """Carries out a request that has come twice. Returns the answer that the device gets."""
        return self.carry_out(write)

    def act(self, write: Write) -> Answer:
        names = ("ref", *self.attributes)
        values = {name: write.body[name] for name in names if name in write.body}
        if write.method == "POST":
            self.count(write)
            return 201, copy.deepcopy(self.add(values.pop("ref", ""), values))
        if write.number not in self.notes:
            return 404, None
        if refusal := self.refusal(write, values):
            return refusal
        self.count(write)
        if write.method == "DELETE":
            self.remove(write.number)
            return 204, None
        self.change(write.number, values)
        return 200, copy.deepcopy(self.notes[write.number])

    def count(self, write: Write) -> None:
        self.applied[write.tag] = self.applied.get(write.tag, 0) + 1

    def refusal(self, write: Write, values: dict[str, Any]) -> Answer | None:
        """Checks a write of a note that exists. Returns the answer if it is not carried out."""
        if write.method == "PUT":
            self.check_whole(write.tag, values)
        return None

    def told(self, write: Write, answer: Answer) -> None:
        """A device gets this answer."""

    def check_whole(self, tag: str, values: dict[str, Any]) -> None:
        wanted = self.expected.get(tag, {})
        found = {name: values.get(name) for name in wanted}
        if found != wanted:
            self.problems.append(f"{tag}: the PUT has {found}, and should have {wanted}")


def tag_of(version: int) -> str:
    return f'"{version}"'


class Server:
    """The HTTP server of one process of the check, whose world is another one in each schedule."""

    def __init__(self) -> None:
        self.world = World()
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                server.read(self)

            def do_POST(self) -> None:
                server.write(self)

            do_PUT = do_PATCH = do_DELETE = do_POST

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                """Says nothing: clients that are killed close their connections."""

            request_queue_size = 64

        self.listener = Listener(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.listener.server_address[1]}"

    def read(self, request: http.server.BaseHTTPRequestHandler) -> None:
        world = self.world
        seen = world.seen()
        if world.holds:
            world.holds = False
            world.arrived.set()
            world.release.wait(30)
        if world.loses_reads:
            return self.lose(request)
        if request.path == "/notes":
            return self.answer(request, 200, list(seen.values()))
        note = seen.get(int(request.path.rsplit("/", 1)[-1]))
        self.answer(request, 200 if note else 404, note)

    def write(self, request: http.server.BaseHTTPRequestHandler) -> None:
        world = self.world
        length = int(request.headers.get("Content-Length") or 0)
        body = json.loads(request.rfile.read(length) or b"{}")
        headers = {name.lower(): value for name, value in request.headers.items()}
        write = Write(
            headers.get("x-device", ""), headers.get("x-tag", ""), request.command, request.path,
            headers.get("idempotency-key", ""), headers.get("if-match", ""), body,
        )
        if "restway-local-" in request.path or "restway-local-" in str(body):
            world.problems.append(f"{write.tag}: a local identity in {request.path} {body}")
        if world.holds:
            world.holds = False
            world.arrived.set()
            world.release.wait(30)
            try:
                self.decide(request, write)
            finally:
                world.done.set()
        else:
            self.decide(request, write)

    def decide(self, request: http.server.BaseHTTPRequestHandler, write: Write) -> None:
        """Lets a write meet its fate."""
        world = self.world
        fate = world.fates.pop(0) if world.fates else "ok"
        if fate == "lost":
            return self.lose(request)
        if fate in ("limit", "refused"):
            status = 429 if fate == "limit" else 422
            self.note(world, write, (status, None), is_lost=False)
            return self.answer(request, status, None)
        answer = world.carry_out(write)
        if fate == "twice":
            answer = world.repeat(write, answer)
        if fate == "busy":
            self.note(world, write, (503, None), is_lost=False)
            return self.answer(request, 503, None)
        if fate in ("bare", "tagged") and answer[0] == 200 and answer[1]:
            # Such an answer has no body, and perhaps no tag either.
            version = answer[1].get("rev") if fate == "tagged" else None
            answer = (204, None if version is None else {"rev": version})
        self.note(world, write, answer, is_lost=fate == "unanswered")
        if fate == "unanswered":
            return self.lose(request)
        world.told(write, answer)
        self.answer(request, *answer)

    @staticmethod
    def note(world: World, write: Write, answer: Answer, *, is_lost: bool) -> None:
        world.answered.append(
            Answered(write.tag, write.method, write.path, write.body, *answer, is_lost=is_lost)
        )

    @staticmethod
    def lose(request: http.server.BaseHTTPRequestHandler) -> None:
        request.close_connection = True

    def answer(
        self, request: http.server.BaseHTTPRequestHandler, status: int, value: Any
    ) -> None:
        version = None
        if self.world.has_versions_in_rows:
            # A write that has no other answer has no version either.
            value = None if status == 204 else value
        elif isinstance(value, list):
            # An entity tag of a list says nothing about its notes.
            value = [{name: row[name] for name in row if name != "rev"} for row in value]
        elif value is not None:
            version = value.get("rev")
            value = {name: value[name] for name in value if name != "rev"} or None
        text = b"" if value is None else json.dumps(value).encode()
        request.send_response_only(status)
        if version is not None:
            request.send_header("ETag", tag_of(version))
        if text:
            request.send_header("Content-Type", "application/json")
        if status != 204:
            request.send_header("Content-Length", str(len(text)))
        request.send_header("Connection", "close")
        request.end_headers()
        request.wfile.write(text)
        request.close_connection = True

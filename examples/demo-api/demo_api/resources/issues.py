"""The issues of one repository, with the paths, the pages and the errors of GitHub's API."""

from __future__ import annotations

import csv
import io
import threading
from typing import Any
from urllib.parse import urlencode

from .. import parameters
from ..content import Content, JSONObject, encode
from ..database import now
from ..errors import no_object
from ..message import Request, Response
from ..routing import Route
from .crud import BASE

OWNER, REPOSITORY = "octo", "hello"
PATH = "repos/:owner/:repo"
PER_PAGE_DEFAULT, PER_PAGE_MAX = 30, 100
TITLE_CHARACTERS_MAX = 100
STATES = ("open", "closed")
EVENTS = 3

_USERS: tuple[JSONObject, ...] = (
    {"id": 1, "login": "ada"},
    {"id": 2, "login": "grace"},
    {"id": 3, "login": "linus"},
)
_LABELS: dict[str, JSONObject] = {
    name: {"id": number, "name": name, "color": color}
    for number, (name, color) in enumerate(
        {"bug": "d73a4a", "docs": "0075ca", "help wanted": "008672"}.items(), start=1
    )
}
#: Title, state and label of the first issues.
_SEED = (
    ("The window does not open", "open", "bug"),
    ("Explain how to install", "closed", "docs"),
    ("Crash when the disk is full", "open", "bug"),
    ("Add a dark theme", "open", "help wanted"),
    ("Typo in the manual", "closed", "docs"),
    ("Search ignores umlauts", "open", "bug"),
    ("Print as PDF", "open", "help wanted"),
    ("Slow start on old machines", "closed", "bug"),
    ("Document the settings", "open", "docs"),
    ("Undo does not undo", "open", "bug"),
    ("Translate into Welsh", "open", "help wanted"),
    ("The clock is an hour late", "open", "bug"),
)


class Issues:
    """Issues by number, and the comments inside them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._issues: dict[int, JSONObject] = {}
        self._comments: dict[int, list[JSONObject]] = {}
        for number, (title, state, label) in enumerate(_SEED, start=1):
            day = f"2026-03-{number:02}T09:00:00Z"
            self._add(title, _USERS[number % len(_USERS)], [_LABELS[label]], day)
            self._issues[number]["state"] = state

    def routes(self) -> list[Route]:
        return [
            Route("GET", f"{PATH}/issues", self.list_all),
            Route("POST", f"{PATH}/issues", self.create),
            Route("GET", f"{PATH}/issues.csv", self.table),
            Route("GET", f"{PATH}/events", self.events),
            Route("GET", f"{PATH}/issues/:number", self.read),
            Route("PATCH", f"{PATH}/issues/:number", self.change),
            Route("GET", f"{PATH}/issues/:number/comments", self.list_comments),
            Route("POST", f"{PATH}/issues/:number/comments", self.add_comment),
        ]

    def list_all(self, request: Request) -> Response:
        """Lists the issues, page by page; `state` and `labels` (one name) choose among them. The
        header Link has the next page, and X-Total-Count the number of issues on all pages.
        """
        _require_repository(request)
        state, label = request.parameter("state"), request.parameter("labels")
        page = parameters.integer(request, "page", 1, 1, 1_000_000)
        per_page = parameters.integer(request, "per_page", PER_PAGE_DEFAULT, 1, PER_PAGE_MAX)
        with self._lock:
            found = [
                issue
                for issue in self._issues.values()
                if state in (None, "all", issue["state"])
                and (label is None or label in [each["name"] for each in issue["labels"]])
            ]
            content = Content(encode(found[(page - 1) * per_page : page * per_page]))
        response = Response(content=content, tagged=True)
        response.headers.append(("X-Total-Count", str(len(found))))
        if page * per_page < len(found):
            others = [(name, value) for name, value in request.query if name != "page"]
            query = urlencode([*others, ("page", page + 1)])
            url = f"http://{request.header('host')}{request.raw_path}?{query}"
            response.headers.append(("Link", f'<{url}>; rel="next"'))
        return response

    def create(self, request: Request) -> Response:
        _require_repository(request)
        body = request.json_object("issue")
        problems = _problems({"title": None, **body})
        if problems:
            return _refusal(problems)
        labels = [_LABELS[name] for name in body.get("labels") or []]
        with self._lock:
            issue = self._add(body["title"], _USERS[0], labels, now())
            issue["body"] = body.get("body")
            response = Response(201, Content(encode(issue)), tagged=True)
        location = f"/{BASE}/repos/{OWNER}/{REPOSITORY}/issues/{issue['number']}"
        response.headers.append(("Location", location))
        return response

    def read(self, request: Request) -> Response:
        with self._lock:
            return Response(content=Content(encode(self._find(request))), tagged=True)

    def change(self, request: Request) -> Response:
        """Changes the fields that the body has: `title`, `body`, `state`, `labels`."""
        body = request.json_object("issue")
        problems = _problems(body)
        if problems:
            return _refusal(problems)
        with self._lock:
            issue = self._find(request)
            for name in ("title", "body", "state"):
                if name in body:
                    issue[name] = body[name]
            if "labels" in body:
                issue["labels"] = [_LABELS[name] for name in body["labels"]]
            issue["updated_at"] = now()
            return Response(content=Content(encode(issue)), tagged=True)

    def list_comments(self, request: Request) -> Response:
        with self._lock:
            return Response.json(self._comments[self._find(request)["number"]])

    def add_comment(self, request: Request) -> Response:
        body = request.json_object("comment")
        if not isinstance(body.get("body"), str) or not body["body"]:
            return _refusal([_problem("body", "missing_field", "is missing", "IssueComment")])
        with self._lock:
            issue = self._find(request)
            comments = self._comments[issue["number"]]
            number = 100 * issue["number"] + len(comments) + 1
            comment = {"id": number, "body": body["body"], "user": _USERS[0], "created_at": now()}
            comments.append(comment)
            issue["comments"] = len(comments)
        return Response.json(comment, 201)

    def table(self, request: Request) -> Response:
        """Returns all issues as a file of comma-separated values."""
        _require_repository(request)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["number", "state", "title"])
        with self._lock:
            for issue in self._issues.values():
                writer.writerow([issue["number"], issue["state"], issue["title"]])
        content = Content(text.getvalue().encode())
        disposition = ("Content-Disposition", 'attachment; filename="issues.csv"')
        return Response(200, content, "text/csv; charset=utf-8", [disposition], tagged=True)

    def events(self, request: Request) -> Response:
        """Returns Server-Sent Events: an event `opened` for each of the first issues, and its end.
        """
        _require_repository(request)
        with self._lock:
            first = list(self._issues.values())[:EVENTS]
            lines = [
                b"id: %d\nevent: opened\ndata: %s\n\n" % (issue["number"], encode(issue))
                for issue in first
            ]
        return Response(200, Content(b"".join(lines)), "text/event-stream")

    def _add(self, title: str, user: JSONObject, labels: list[JSONObject], day: str) -> JSONObject:
        number = len(self._issues) + 1
        issue = {
            "number": number,
            "title": title,
            "body": None,
            "state": "open",
            "user": user,
            "labels": labels,
            "comments": 0,
            "created_at": day,
            "updated_at": day,
        }
        self._issues[number] = issue
        self._comments[number] = []
        return issue

    def _find(self, request: Request) -> JSONObject:
        _require_repository(request)
        number = request.variables["number"]
        # The length limits the work of int() for long numbers.
        if number.isascii() and number.isdigit() and len(number) < 20:
            issue = self._issues.get(int(number))
            if issue is not None:
                return issue
        raise no_object("issue", number)


def _require_repository(request: Request) -> None:
    named = (request.variables["owner"], request.variables["repo"])
    if named != (OWNER, REPOSITORY):
        raise no_object("repository", "/".join(named))


def _problem(field: str, code: str, message: str, resource: str = "Issue") -> JSONObject:
    return {"resource": resource, "field": field, "code": code, "message": message}


def _problems(body: JSONObject) -> list[JSONObject]:
    """Returns everything that is wrong with the fields of an issue, not only the first problem."""
    problems = []
    title: Any = body.get("title", "unchanged")
    if not isinstance(title, str) or not title:
        problems.append(_problem("title", "missing_field", "is missing"))
    elif len(title) > TITLE_CHARACTERS_MAX:
        limit = f"is longer than {TITLE_CHARACTERS_MAX} characters"
        problems.append(_problem("title", "too_long", limit))
    if not isinstance(body.get("body", ""), (str, type(None))):
        problems.append(_problem("body", "invalid", "is no text"))
    if body.get("state", "open") not in STATES:
        problems.append(_problem("state", "invalid", f"is not one of {', '.join(STATES)}"))
    labels: Any = body.get("labels", [])
    if not isinstance(labels, list) or any(name not in list(_LABELS) for name in labels):
        problems.append(_problem("labels", "invalid", f"are not among {', '.join(_LABELS)}"))
    return problems


def _refusal(problems: list[JSONObject]) -> Response:
    return Response.json({"message": "Validation Failed", "errors": problems}, 422)

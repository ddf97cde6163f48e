"""The model of an API between its description and the API document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from .kinds import Kind, ObjectKind
from .reading import Node

Where = Literal["path", "query", "header", "cookie"]


@dataclass
class Parameter:
    """A parameter of an operation."""

    name: str
    where: Where
    node: Node
    kind: Kind
    is_required: bool = False
    style: str = "form"
    explode: bool = True


@dataclass
class Content:
    """A body in one media type."""

    media_type: str
    node: Node
    kind: Kind | None
    """None for a body without a schema."""
    examples: list[tuple[str, Any]] = field(default_factory=list)
    """The published examples, each with its place."""
    envelope: ObjectKind | None = None
    """The whole body, if it is JSON:API; `kind` is the kind of its primary data."""

    @property
    def is_json(self) -> bool:
        """Whether the body is read and written as JSON."""
        name = self.media_type.partition(";")[0].strip().lower()
        return "json" in name or name == "*/*"


@dataclass
class Answer:
    """The answers of an operation with one status."""

    status: str
    """`200`, `2XX` or `default`."""
    node: Node
    contents: list[Content] = field(default_factory=list)
    headers: set[str] = field(default_factory=set)
    """The names of the headers, in lower case."""

    @property
    def is_success(self) -> bool:
        """Whether the status is a success."""
        return self.status.upper().startswith("2")


@dataclass
class Operation:
    """A method of a path."""

    name: str
    method: str
    path: str
    node: Node
    parameters: list[Parameter] = field(default_factory=list)
    bodies: list[Content] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    security: list[list[str]] | None = None
    """The alternatives of schemes; None if the schemes of the whole API apply."""
    accepted: list[list[str]] = field(default_factory=list)
    """The alternatives of schemes that apply; none if its requests need no credential."""
    has_credential: bool = False
    """Whether its requests have the credential of the document."""
    server_nodes: list[Node] = field(default_factory=list)
    """The servers of this operation alone."""
    environment: str | None = None
    """The environment of its own server; None for the servers of the whole API."""

    @property
    def successes(self) -> list[Answer]:
        """The answers that are a success: those with 2xx, or else the default answer."""
        found = [answer for answer in self.answers if answer.is_success]
        if found or any(answer.status.startswith("3") for answer in self.answers):
            return found
        return [answer for answer in self.answers if answer.status == "default"]

    @property
    def last_variable(self) -> str | None:
        """The variable that is the whole last segment of the path."""
        segment = self.path.rstrip("/").rpartition("/")[2]
        is_variable = segment.startswith("{") and segment.endswith("}")
        return segment[1:-1] if is_variable and segment.count("{") == 1 else None


@dataclass
class Scheme:
    """A way to authorise requests."""

    name: str
    node: Node
    auth: dict[str, Any] | None
    """The section `auth` of the API document; None if Restway does not have the scheme."""
    reason: str = ""
    """Why `auth` is None, or what was bent."""


@dataclass
class Server:
    """A base URL with its name."""

    name: str
    url: str
    variables: dict[str, str] = field(default_factory=dict)


@dataclass
class Description:
    """Everything that a description says."""

    root: Node
    operations: list[Operation] = field(default_factory=list)
    servers: list[Server] = field(default_factory=list)
    schemes: dict[str, Scheme] = field(default_factory=dict)
    security: list[list[str]] = field(default_factory=list)
    title: str = ""
    version: str = ""
    is_jsonapi: bool = False
    """Whether all bodies are JSON:API."""

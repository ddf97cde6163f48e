"""The classes into which the tests read objects."""

# Python 3.9 does not evaluate `X | None` when the types of a class are read.
# ruff: noqa: UP007, UP045

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, Optional, TypedDict, Union

import msgspec
import pydantic

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"live": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Issue": {
            "identity": "number",
            "attributes": {
                "number": {"type": "int"},
                "title": {"type": "string"},
                "created": {"type": "date"},
                "due": {"type": "date"},
                "weight": {"type": "double"},
                "locked": {"type": "bool"},
                "hash": {"type": "bytes"},
                "extra": {"type": "json"},
                "state": {"type": "string"},
            },
            "relationships": {
                "user": {"entity": "User"},
                "labels": {"entity": "Label", "many": True},
            },
        },
        "User": {
            "identity": "login",
            "attributes": {"login": {"type": "string"}, "age": {"type": "int"}},
            "relationships": {
                "boss": {"entity": "User"},
                "issues": {"entity": "Issue", "many": True},
            },
        },
        "Label": {"identity": "name", "attributes": {"name": {"type": "string"}}},
    },
    "routes": {
        "issues": {"method": ["GET", "POST"], "path": "issues", "response": {"entity": "Issue"}},
        "issue": {
            "method": ["GET", "PUT", "PATCH"],
            "path": "issues/:number",
            "entity": "Issue",
            "response": {"entity": "Issue"},
        },
        "plain": {"path": "plain"},
    },
}


class State(Enum):
    OPEN = "open"
    CLOSED = "closed"


@dataclass
class Label:
    name: str


@dataclass
class User:
    login: str
    age: Optional[int]
    boss: Optional[User] = None


@dataclass
class Extra:
    colour: str
    sizes: list[int]


@dataclass
class Issue:
    number: int
    title: str
    opened: datetime = field(metadata={"name": "created"})
    user: Optional[User] = None
    labels: list[Label] = field(default_factory=list)
    due: Optional[date] = None
    weight: float = 0.0
    locked: Optional[bool] = None
    hash: Optional[bytes] = None
    extra: Optional[Extra] = None
    state: State = State.OPEN


@dataclass
class Rest:
    number: int
    rest: dict[str, Any] = field(default_factory=dict)


class UserDict(TypedDict):
    login: str


class IssueDict(TypedDict, total=False):
    number: int
    title: Optional[str]
    user: Optional[UserDict]
    labels: list[Label]
    rest: Any


class UserStruct(msgspec.Struct):
    login: str
    boss: Optional[UserStruct] = None


class IssueStruct(msgspec.Struct, rename={"opened": "created"}):
    number: int
    title: str
    opened: datetime
    due: Optional[date]
    user: Optional[UserStruct] = None
    labels: list[Label] = []
    state: Literal["open", "closed"] = "open"
    weight: float = 0.0
    hash: bytes = b""
    extra: Any = None


class UserModel(pydantic.BaseModel):
    login: str
    boss: Optional[UserModel] = None


class IssueModel(pydantic.BaseModel):
    number: int
    title: str
    opened: datetime = pydantic.Field(alias="created")
    due: Optional[date]
    user: Optional[UserModel] = None
    labels: list[Label] = []
    state: State = State.OPEN
    price: Optional[Decimal] = None


class OpenModel(pydantic.BaseModel, extra="allow"):
    number: int


class StrictModel(pydantic.BaseModel, extra="forbid"):
    number: int


@dataclass
class Scalars:
    """Fields of many types, which take the JSON of one attribute."""

    extra: Any


@dataclass
class Either:
    number: Union[int, str]
    extra: Union[Extra, list[Extra], None] = None

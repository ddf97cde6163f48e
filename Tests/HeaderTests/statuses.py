"""The statuses as data: their domains, their documentation, and their names in the languages that
ship. They are read from base.h, so a new status stands in no other list.
"""

from __future__ import annotations

import re
from typing import Any

import meanings
from declarations import all_enums

PREFIX = "RESTWAY_E_"
#: The names in Swift that do not follow the status.
SWIFT = {"TIMEOUT": "timedOut", "PROTOCOL": "protocolViolation", "INVALID_URL": "invalidURL"}
#: The names of the exceptions in Python, without "Error", that do not follow the status.
PYTHON = {
    "INVALID_ARGUMENT": "Usage", "TIMEOUT": "TimedOut", "IO": "File", "TLS": "TLS",
    "INTERRUPTED": "WaitInterrupted", "INVALID_URL": "InvalidURL", "HTTP": "HTTPStatus",
}
_DOMAIN = re.compile(r"\bDomain: RESTWAY_DOMAIN_(\w+)\.")
#: What a sentence for all languages does not contain.
_OF_C = re.compile(r"restway_|RESTWAY_|NULL|docs/|\w\.h\b|Domain:")


def statuses() -> dict[str, dict[str, Any]]:
    """Returns all statuses but RESTWAY_OK, by name."""
    numbers = [line.split(" = ") for line in all_enums()["restway_status"]]
    failing = ((name, int(value, 0)) for name, value in numbers if name.startswith(PREFIX))
    return {name: _status(name, value) for name, value in failing}


def _status(name: str, value: int) -> dict[str, Any]:
    comment = meanings.members()["restway_status"][name]
    domain = _DOMAIN.search(comment)
    bare = name.removeprefix(PREFIX)
    return {
        "value": value,
        "domain": f"RESTWAY_DOMAIN_{domain[1]}" if domain else "",
        "names": {"swift": SWIFT.get(bare) or camel(bare), "python": f"{_class(bare)}Error"},
        "doc": for_all_languages(comment),
    }


def camel(name: str) -> str:
    """`UNKNOWN_ROUTE` -> `unknownRoute`."""
    first, *others = name.lower().split("_")
    return first + "".join(word.capitalize() for word in others)


def _class(name: str) -> str:
    return PYTHON.get(name) or "".join(word.capitalize() for word in name.lower().split("_"))


def for_all_languages(comment: str) -> str:
    """Returns the sentences of a comment that name nothing of C."""
    sentences = re.split(r"(?<=\.) (?=[A-Z])", meanings.shown(comment))
    return " ".join(each for each in sentences if not _OF_C.search(each))

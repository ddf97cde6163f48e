"""The contracts of the functions as data: what the comments of the headers say about ownership,
threads, waiting and statuses. docs/ABI.md describes the result, and docs/OWNERSHIP.md the words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from declarations import (
    HEADERS,
    OF_PROGRAMS,
    all_enums,
    all_functions,
    all_inline_functions,
    callback_comments,
    type_comments,
)

#: The version in which everything appeared whose comment has no line "Since:".
FIRST_VERSION = "0.1.0"
#: The functions that the library calls neither as a notice nor as a question, and their threads.
CALLBACKS_APART = {
    "restway_destroy_fn": "any",
    "restway_log_fn": "the thread of the log",
    "restway_span_fn": "the thread that sends the call, and a worker at the end of the call",
}

_PARAMETER = re.compile(r"@param\s+((?:\w+,\s+)*\w+)\s+(.*?)(?=@param|@return|$)", re.DOTALL)
_REFERENCE = re.compile(
    r"(?:\bas (?:with |for |in )?|statuses of |those of |\band of )(restway_\w+)\(\)",
    re.IGNORECASE,
)
#: References to functions with the same parameters, outside of the descriptions of parameters.
_LIKE = re.compile(r"\b(?:as|like|parameters of) (restway_\w+)\(\)", re.IGNORECASE)
_STATUS = re.compile(r"\bRESTWAY_(?:OK|E_[A-Z_]+)\b")
#: Words after which a function may return every status with which a call can complete.
_OPEN = re.compile(r"status(?:es)? (?:with which the call completed|that restway_batch_done_fn)")
_MAY_BE_NULL = re.compile(
    r"may be NULL|pass NULL|NULL (?:forgets|observes|when it is not needed)", re.IGNORECASE
)
NOT_NULL = re.compile(r"(?:must )?not (?:be )?NULL", re.IGNORECASE)
#: How the effect of a function says that a callback may be NULL.
_REMOVES = re.compile(r"NULL removes it|With NULL|NULL makes")


@dataclass(frozen=True)
class Comment:
    """A comment in its parts."""

    effect: str
    parameters: dict[str, str] = field(default_factory=dict)
    result: str = ""
    threads: str = ""
    blocks: str = ""
    since: str = FIRST_VERSION


def read(comment: str) -> Comment:
    """Takes a comment of a header apart."""
    lines = [re.sub(r"^\s*/?\*+/? ?|\s*\*/$", "", line) for line in comment.splitlines()]
    paragraphs = [" ".join(part.split()) for part in "\n".join(lines).split("\n\n")]
    text = "\n".join(paragraphs)
    ends = re.search(r"Threads: (.*?)\.\s+Blocks: (.*?)\.(?:\n|$)", text)
    since = re.search(r"\bSince: (\d+\.\d+\.\d+)\b", text)
    described = text[: ends.start()] if ends else text
    tagged = "\n".join(part for part in described.split("\n") if part.startswith("@"))
    result = re.search(r"@return\s+(.*)", tagged)
    return Comment(
        effect="\n".join(part for part in described.split("\n") if not part.startswith("@")),
        parameters={
            name.strip(): " ".join(match[2].split())
            for match in _PARAMETER.finditer(tagged)
            for name in match[1].split(",")
        },
        result=result[1] if result else "",
        threads=ends[1] if ends else "",
        blocks=ends[2] if ends else "",
        since=since[1] if since else FIRST_VERSION,
    )


@cache
def comments() -> dict[str, Comment]:
    """Returns the comments of all functions and of all types of callbacks."""
    found = {function.name: read(function.comment) for function in all_functions()}
    texts = [header.read_text() for header in OF_PROGRAMS]
    return found | {n: read(c) for text in texts for n, c in callback_comments(text).items()}


@cache
def inline_comments() -> dict[str, Comment]:
    return {function.name: read(function.comment) for function in all_inline_functions()}


@cache
def type_versions() -> dict[str, str]:
    """Returns the version in which each struct and each enum appeared."""
    texts = [header.read_text() for header in HEADERS]
    return {n: read(c).since for text in texts for n, c in type_comments(text).items()}


# Statuses, threads and waiting


def statuses(name: str, takes_handles: bool) -> tuple[list[str], bool]:
    """Returns the statuses that a function lists, with those of the functions to which its comment
    refers, and whether it can also return every status with which a call completes.
    """
    # base.h says this once for every function that takes a handle.
    found = {"RESTWAY_E_FORKED"} if takes_handles else set()
    is_open = False
    waiting, seen = [name], {name}
    while waiting:
        text = comments()[waiting.pop()].result
        found |= set(_STATUS.findall(text))
        is_open = is_open or _OPEN.search(text) is not None
        references = set(_REFERENCE.findall(text)) - seen
        waiting += references
        seen |= references
    return sorted(found, key=_statuses_in_order().index), is_open


@cache
def _statuses_in_order() -> list[str]:
    return [line.split(" = ")[0] for line in all_enums()["restway_status"]]


def blocks(name: str) -> str:
    """Returns when a function waits; "never" if it does not."""
    text = comments()[name].blocks
    reference = re.fullmatch(r"as (restway_\w+)\(\)", text)
    return blocks(reference[1]) if reference else text


# Ownership


@dataclass(frozen=True)
class Parameter:
    """The contract of a parameter: which way it goes, and who owns what it points to."""

    direction: str
    ownership: str
    nullable: bool
    release: str = ""

    def data(self) -> dict[str, Any]:
        shown = {"direction": self.direction, "ownership": self.ownership}
        released = {"release": self.release} if self.release else {}
        return {**shown, **released, "nullable": self.nullable}


def described(function: str, name: str) -> str:
    """Returns what a comment says about a parameter, with the text to which it refers."""
    comment = comments()[function]
    text = comment.parameters.get(name, "")
    if not text:
        others = _LIKE.findall(f"{comment.effect} {comment.result}")
        texts = (comments()[other].parameters.get(name, "") for other in others)
        return next(filter(None, texts), "")
    reference = re.match(r"As (?:in|for) (restway_\w+)\(\)", text)
    return f"{text} {described(reference[1], name)}" if reference else text


def parameter(function: str, name: str, kind: str, handle: str, result: str) -> Parameter:
    """Returns the contract of a parameter of a type `kind`; `handle` is the opaque type that it
    points to, or "".
    """
    text = described(function, name)
    effect = comments()[function].effect
    if name == "out_error":
        return Parameter("out", "owned", True, "restway_error_release")
    is_nullable = re.search(r"\bNULL\b", NOT_NULL.sub("", text)) is not None
    is_nullable = is_nullable or re.search(rf"@p {name} is NULL", effect) is not None
    if kind.endswith("_fn"):
        is_nullable = is_nullable or kind == "restway_destroy_fn" or bool(_REMOVES.search(effect))
        return Parameter("in", "function", is_nullable)
    if not kind.endswith("*"):
        return Parameter("in", "value", False)
    if kind == "void *" and name in ("context", "cause"):
        return Parameter("in", "context", True)
    if name.startswith("out_") or _is_filled(function, kind, text):
        return _output(function, name, kind, text)
    if handle:
        # A function without a status has an answer for NULL, too.
        if function == f"{handle}_release":
            return Parameter("in", "moved", True)
        ownership = "kept" if "Kept alive" in text else "borrowed"
        return Parameter("in", ownership, is_nullable or result != "restway_status")
    if "takes it over" in text or "takes over" in text:
        return Parameter("in", "moved", is_nullable)
    return Parameter("in", "copied" if "*Copied*" in text else "borrowed", is_nullable)


def _is_filled(function: str, kind: str, text: str) -> bool:
    """Whether the function writes into memory that the program has."""
    if kind.startswith("const ") or kind.endswith("* *"):
        return False
    said = ("Receives", "Room for", "Must be initialised", "how many of its fields are filled")
    is_init = function.endswith("_init") and kind.startswith("restway_")
    return is_init or function == "restway_event_release" or any(word in text for word in said)


def _output(function: str, name: str, kind: str, text: str) -> Parameter:
    nullable = _MAY_BE_NULL.search(text) is not None
    has_size = "Must be initialised" in text or "how many of its fields" in text
    direction = "inout" if has_size or function == "restway_event_release" else "out"
    element = kind.replace("struct ", "").removesuffix("*").strip().removesuffix("*").strip()
    if re.search(r"[Oo]wned by the caller|caller owns", text):
        release = f"{element}_release" if element.startswith("restway_") else "release"
        return Parameter(direction, "owned", nullable, release)
    borrowed = re.search(r"\*[Bb]orrow", text) is not None
    return Parameter(direction, "borrowed" if borrowed else "value", nullable)


def returned(function: str, result: str) -> dict[str, Any]:
    """Returns the contract of a result."""
    if "*" not in result:
        return {"ownership": "value"}
    effect = comments()[function].effect + comments()[function].result
    if re.search(r"lives as long as the process", effect, re.IGNORECASE):
        return {"ownership": "static"}
    if re.search(r"owned by the caller \(\+1\)", effect, re.IGNORECASE):
        return {"ownership": "owned", "release": f"{result.removesuffix('*').strip()}_release"}
    return {"ownership": "borrowed"} if "*Borrowed*" in effect else {"ownership": ""}


# Callbacks


def callback_kind(name: str) -> str:
    """Returns "notice", "question" or "other" (docs/THREADING.md), or "" if nothing says it."""
    if name in CALLBACKS_APART:
        return "other"
    text = comments()[name].effect
    kinds = [kind for kind in ("notice", "question") if re.search(rf"\bA {kind}\b", text)]
    return kinds[0] if len(kinds) == 1 else ""


def callback_thread(name: str) -> str:
    threads = {"notice": "as the delivery mode says", "question": "a worker"}
    return CALLBACKS_APART.get(name) or threads[callback_kind(name)]

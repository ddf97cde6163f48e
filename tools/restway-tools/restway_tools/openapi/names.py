"""The names of resources: which schemas are shapes of one resource."""

from __future__ import annotations

import re

_BEFORE = {"nullable", "simple", "minimal", "full", "public", "private", "partial", "short", "base"}
_AFTER = {"simple", "minimal", "full", "short", "compact", "base", "response", "summary"}
_REQUEST = {"request", "create", "update", "input", "patch"}
_CHANGE = {"patched", "create", "update", "patch", "new"}

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[^A-Za-z0-9]+")


def base_name(name: str) -> str:
    """Returns the name of the resource of which a schema is a shape: `user` of `simple-user`,
    `Task` of `TaskCompact`. A name that has nothing else is its own.
    """
    words = _WORD.findall(name)
    while len(words) > 1 and words[0].lower() in _BEFORE:
        del words[: 2 if _is_separator(words[1]) and len(words) > 2 else 1]
    if len(words) > 2 and words[-1].lower() == "output" and _is_separator(words[-2]):
        del words[-2:]  # FastAPI's name of what answers have, beside Tag-Input
    while len(words) > 1 and words[-1].lower() in _AFTER:
        del words[-2 if _is_separator(words[-2]) and len(words) > 2 else -1 :]
    return "".join(words) if words and not _is_separator(words[0]) else name


def request_name(name: str) -> str:
    """Returns the name of the resource that a body changes: `Task` of `TaskCreateRequest` and of
    `PatchedTask`.
    """
    words = _WORD.findall(name)
    if len(words) > 1 and words[0].lower() in _CHANGE:
        del words[: 2 if _is_separator(words[1]) and len(words) > 2 else 1]
        name = "".join(words)
    last = words[-1].lower() if words else ""
    if last not in _REQUEST and not (last == "base" and "Request" in words):
        return base_name(name)
    while len(words) > 1 and (words[-1].lower() in _REQUEST | _AFTER or _is_separator(words[-1])):
        words.pop()
    return base_name("".join(words))


def _is_separator(word: str) -> bool:
    return not word[0].isalnum()


def plain(name: str) -> str:
    """Returns a name in lower case without separators, to compare names."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def without_nullable(name: str) -> str:
    """Returns a name without the word that says that null may stand in its place."""
    words = _WORD.findall(name)
    if len(words) > 1 and words[0].lower() == "nullable":
        return "".join(words[2 if _is_separator(words[1]) and len(words) > 2 else 1 :])
    return name


def prefixed(word: str, name: str) -> str:
    """Returns a name with a word before it, in the style of the name: `any-user`, `AnyTask`."""
    if name[:1].isupper():
        return word.capitalize() + name
    return f"{word}_{name}" if "_" in name else f"{word}-{name}"

"""The meaning of the values that cross the interface, beyond their types: the enum or the flags
behind an integer, whether an integer is a Boolean, how many elements a pointer leads to, the owner
of an argument of a callback, and the documentation. All of it is read from the comments of the
headers, in the forms that docs/ABI.md lists ("The interface as data").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol

import contracts
from declarations import HEADERS, INLINE, OF_BINDINGS, all_enums

#: "A restway_log_level." and "The restway_status with which".
_ENUM = re.compile(r"\b(?:[Aa]n?|[Tt]he) (restway_\w+)\b(?!\()")
#: "RESTWAY_ROUTE_* bits."
_FLAGS = re.compile(r"\b(RESTWAY_\w+_)\* bits")
_BOOLEAN = re.compile(
    r"\b1 or 0\b|\b1 (?:if|when|until|after)\b.*\b0\b|\b0\b.*\b1 (?:if|when)\b"
    r"|\b0: .*\b1: |Receives 1 if|^1 if|^1 when|initial value is 0\. With 1\b",
    re.DOTALL,
)
_NOT_BOOLEAN = re.compile(r"-1|negative|1 or more|10 for")
#: "Not a restway_http_version: 11 for HTTP/1.1".
_NO_ENUM = re.compile(r"\bNot an? restway_\w+")
_TIMES = re.compile(r"@p (\w+) times @p (\w+) \w+")
_COUNT = re.compile(
    r"@p (\w+) (?:bytes|elements|attribute indices|drafts|entities|events|names|objects"
    r"|places|relationship indices|rows|texts|values)\b"
)
#: A length that never changes: "a text of RESTWAY_TRACEPARENT_SIZE bytes".
_FIXED = re.compile(r"\bof (RESTWAY_\w+_SIZE) bytes")
_OWNED = re.compile(r"\b[Oo]wned by this function \(\+1\)")
_LENT = re.compile(r"\*[Bb]orrowed\*", re.IGNORECASE)
_AS = re.compile(r"\bAs (?:in|for|with) (restway_\w+?)(?:\(\)|\b)")


@cache
def enum_words() -> frozenset[str]:
    """Returns the last words of the names of the enums: an integer of such a name is a value of an
    enum, or its comment says that it is not.
    """
    return frozenset(name.rpartition("_")[2] for name in all_enums())


class Value(Protocol):
    """A parameter or a field."""

    @property
    def name(self) -> str: ...

    @property
    def type(self) -> str: ...


class Result(Protocol):
    """A function."""

    @property
    def name(self) -> str: ...

    @property
    def result(self) -> str: ...

    @property
    def parameters(self) -> Sequence[Value]: ...


# Documentation


def plain(comment: str) -> str:
    """Returns the text of a comment without its stars, with a line for each paragraph."""
    lines = [re.sub(r"^\s*/?\*+<?/? ?|\s*\*/$", "", line) for line in comment.splitlines()]
    paragraphs = (" ".join(part.split()) for part in "\n".join(lines).split("\n\n"))
    return "\n".join(part for part in paragraphs if part)


def shown(text: str) -> str:
    """Returns a text as bindings show it: `@p name` is marked as code, and what has a key of its
    own is left out.
    """
    text = re.sub(r"\s*\b(?:Since: \d+\.\d+\.\d+\.|Threads: .*|Blocks: .*)", "", text)
    return re.sub(r"@p (\w+)", r"`\1`", text).strip()


def documented(text: str) -> dict[str, str]:
    """Returns the key `doc`, if there is a text."""
    said = shown(text)
    return {"doc": said} if said else {}


_LINE = re.compile(
    r"(?P<before>/\*\*(?!<)(?:(?!\*/).)*\*/)|(?P<name>\w+)(?:\[\w+\])?\s*(?:=\s*\w+\s*,?|[;,])"
    r"(?P<after>\s*/\*\*<(?:(?!\*/).)*\*/)?|(?P<other>/\*(?:(?!\*/).)*\*/)",
    re.DOTALL,
)


def _members(body: str) -> dict[str, str]:
    """Returns the comment of each field or constant in the body of a struct or an enum."""
    found: dict[str, str] = {}
    comment = ""
    for match in _LINE.finditer(body):
        if match["before"]:
            comment = match["before"]
        elif match["name"]:
            found[match["name"]] = plain((match["after"] or "").strip() or comment)
            comment = ""
    return found


_BODY = re.compile(
    r"^(?:typedef )?(?:struct|enum RESTWAY_OPEN_ENUM) (restway_\w+) \{(.*?)^\}(?: \1)?;",
    re.DOTALL | re.MULTILINE,
)
_DEFINE = re.compile(
    r"(?:^(/\*\*(?!<)(?:(?!\*/).)*\*/)\n)?^#define (RESTWAY_\w+) (?:\(?1ull << \d+\)?|\w+)"
    r"[ ]*(/\*\*<(?:(?!\*/).)*\*/)?",
    re.DOTALL | re.MULTILINE,
)
_OPAQUE = re.compile(
    r"(/\*\*(?:(?!\*/).)*\*/)\s*^typedef struct (restway_\w+) \2;", re.DOTALL | re.MULTILINE
)


def _texts() -> list[str]:
    return [header.read_text() for header in HEADERS if header.name not in INLINE]


@cache
def members() -> dict[str, dict[str, str]]:
    """Returns the comments of the fields of each struct, and of the constants of each enum."""
    return {name: _members(body) for text in _texts() for name, body in _BODY.findall(text)}


@cache
def constants() -> dict[str, str]:
    """Returns the comment of each macro that is an integer. A comment above several macros counts
    for the first of them, and, if it begins with "Bits of" or "The ", for their group alone.
    """
    found = {}
    for text in _texts():
        for before, name, after in _DEFINE.findall(text):
            found[name] = plain(after or ("" if _is_of_group(before) else before))
    return found


def _is_of_group(comment: str) -> bool:
    return re.match(r"(?:Bits of|The (?:kinds|results|bits|levels)\b)", plain(comment)) is not None


@cache
def handles() -> dict[str, str]:
    """Returns the comments of the opaque types."""
    texts = [header.read_text() for header in OF_BINDINGS]
    return {name: plain(comment) for text in texts for comment, name in _OPAQUE.findall(text)}


# Integers


def integer(kind: str, text: str) -> dict[str, Any]:
    """Returns what the comment says about an integer of the type `kind`: its enum, the prefix of
    its flags, or that it is a Boolean.
    """
    bare = kind.replace("const", "").replace("*", "").strip()
    if bare not in ("int32_t", "uint32_t", "int64_t", "uint64_t"):
        return {}
    flags = _FLAGS.search(text)
    if flags:
        return {"flags": flags[1]}
    bits = re.search(r"[Tt]he bits `1 << \w+` of an? (restway_\w+)", text)
    if bits:
        return {"bits": bits[1]}
    enums = [found for found in _ENUM.findall(text) if found in all_enums()]
    if enums and bare == "uint32_t" and not _NO_ENUM.search(text):
        return {"enum": enums[0]}
    if bare == "int32_t" and _BOOLEAN.search(text) and not _NOT_BOOLEAN.search(text):
        return {"boolean": True}
    return {}


def unclear(kind: str, text: str, name: str) -> str:
    """Returns why the meaning of an integer is not clear, or ""."""
    bare = kind.replace("const", "").replace("*", "").strip()
    if bare not in ("int32_t", "uint32_t"):
        return ""
    meaning = integer(kind, text)
    words = name.split("_")
    if words[-1] == "flags" and "flags" not in meaning:
        return f'{name}: the comment does not say "RESTWAY_..._* bits"'
    if words[-1] in enum_words() and "enum" not in meaning and not _is_apart(name, text):
        return f'{name}: the comment says neither "A restway_..." nor "Not a restway_..."'
    if words[0] in ("is", "has") and "boolean" not in meaning:
        return f'{name}: the comment does not say "1 if ..., else 0"'
    return ""


def _is_apart(name: str, text: str) -> bool:
    is_of_http = name == "http_status" or "HTTP status" in text
    return is_of_http or _NO_ENUM.search(text) is not None


# Lengths


def length(value: Value, text: str, others: Sequence[Value]) -> dict[str, str]:
    """Returns how many elements a pointer leads to, or bytes if it has no type: `length` names the
    parameters or fields, and `filled` the one that receives how many the function has written.
    """
    if not value.type.endswith("*") or value.name in ("context", "cause"):
        return {}
    sizes = {other.name: other.type for other in others if "size_t" in other.type}
    own = {name for name, kind in sizes.items() if "*" not in kind and name != "struct_size"}
    written = [name for name in ("out_length", "out_count") if sizes.get(name) == "size_t *"]
    times, count, fixed = _TIMES.search(text), _COUNT.search(text), _FIXED.search(text)
    if times and {times[1], times[2]} <= own:
        return {"length": f"{times[1]} * {times[2]}"}
    if fixed:
        return {"length": fixed[1]}
    if count and count[1] in own:
        filled = {"filled": written[0]} if written and "const " not in value.type[:6] else {}
        return {"length": count[1]} | filled
    if "capacity" in own and (value.name == "buffer" or "@p capacity" in text):
        return {"length": "capacity"} | ({"filled": written[0]} if written else {})
    single = value.name.removesuffix("s") if value.name != "addresses" else "address"
    if f"{single}_count" in own:
        return {"length": f"{single}_count"}
    if f"{value.name}_count" in own:
        return {"length": f"{value.name}_count"}
    is_data = value.type in ("const void *", "void *")
    if (is_data or value.name == "text") and "length" in own:
        return {"length": "length"}
    if value.name.startswith("out_") and is_array(value) and written:
        return {"length": written[0]}
    return {}


def unclaimed(values: Sequence[Value], data: Sequence[dict[str, Any]]) -> list[str]:
    """Returns the lengths and capacities that belong to no pointer; `data` describes the values."""
    claims = [str(each[key]) for each in data for key in ("length", "filled") if key in each]
    claimed = {name for claim in claims for name in claim.split(" * ")}
    names = {value.name for value in values if "size_t" in value.type}
    sizes = {name for name in names if re.search(r"(?:^|_)(?:length|capacity|count)$", name)}
    if "first" in names:
        sizes -= {"count"}
    return sorted(name for name in sizes - claimed if not name.startswith("out_count"))


def is_array(value: Value) -> bool:
    """Whether the type of a value says that it has several elements, or bytes."""
    kind = value.type
    if kind in ("void *", "const void *"):
        return value.name not in ("context", "cause")
    if re.fullmatch(r"const (?:u?int\d+_t|size_t|double) \*\*?", kind):
        return True
    if kind == "char *" or re.search(r"\*const \*$", kind):
        return True
    return kind == "const char **" and value.name in ("out_json", "out_text")


def result(function: Result) -> dict[str, Any]:
    """Returns what the comment says about the result of a function: whether it is a Boolean, an
    enum, and the parameter that receives the length of what it leads to.
    """
    comment = contracts.comments()[function.name]
    if not function.result.endswith("*"):
        text = f"{_returned(comment.effect)} {comment.result}"
        return integer(function.result, text) | documented(comment.result)
    written = [p.name for p in function.parameters if p.name in ("out_length", "out_count")]
    counted = {"length": written[0]} if written else {}
    return counted | documented(comment.result)


def _returned(effect: str) -> str:
    """Returns the sentences of an effect that say what the function returns."""
    return effect if re.match(r"(?:Returns|Whether)\b", effect) else ""


# Callbacks


def of_callback(callback: str, name: str) -> str:
    """Returns what the comment of a callback says about a parameter, with the text to which it
    refers.
    """
    text = contracts.comments()[callback].parameters.get(name, "")
    reference = _AS.match(text)
    if reference and reference[1] in contracts.comments() and reference[1].endswith("_fn"):
        return f"{text} {of_callback(reference[1], name)}"
    return text


def argument(callback: str, value: Value, handle: str) -> dict[str, Any]:
    """Returns the contract of a parameter of a callback; `handle` is the opaque type that it points
    to, or "". The ownership is "" if the comment does not say it.
    """
    text = of_callback(callback, value.name)
    is_nullable = re.search(r"\bNULL\b", contracts.NOT_NULL.sub("", text)) is not None
    if not value.type.endswith("*"):
        return {"direction": "in", "ownership": "value", "nullable": False}
    if value.name == "context":
        return {"direction": "in", "ownership": "context", "nullable": True}
    if _OWNED.search(text):
        owned = {"ownership": "owned", "release": f"{handle}_release"}
        return {"direction": "in", **owned, "nullable": is_nullable}
    if value.name.startswith("out_"):
        return {"direction": "out", "ownership": "value", "nullable": False}
    is_written = value.type == "void *"
    ownership = "borrowed" if _LENT.search(text) else ""
    direction = "inout" if is_written and value.name != "buffer" else "in"
    direction = "out" if value.name == "buffer" else direction
    return {"direction": direction, "ownership": ownership, "nullable": is_nullable}

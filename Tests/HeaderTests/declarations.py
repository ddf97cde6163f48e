"""Reads the headers. They all have the same plain style, so regular expressions are enough."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from tree import INCLUDE

#: The header that all others include comes first.
HEADERS = sorted((INCLUDE / "restway").glob("*.h"), key=lambda path: (path.name != "base.h", path))
#: The headers for programs. The tables of plugins are read by size, and only plugins make them.
OF_PLUGINS = {"plugin.h", "plugin_base.h", "plugin_transport.h"}
OF_PROGRAMS = [header for header in HEADERS if header.name not in OF_PLUGINS]
#: The headers whose functions are inline. Bindings need neither their functions nor their types.
INLINE = {"field.h", "fields.h", "filling.h", "short.h", "verbs.h"}
OF_BINDINGS = [header for header in OF_PROGRAMS if header.name not in INLINE]

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_FUNCTION = re.compile(
    r"^RESTWAY_API\s+(?P<must_use>RESTWAY_MUST_USE\s+)?(?P<result>[\w\s]+?[\s*]+)"
    r"(?P<name>restway_\w+)\s*\((?P<parameters>[^;{]*)\)\s*;",
    re.MULTILINE,
)
#: A function that a header itself contains. Those with `restway_internal_` are parts of others.
_INLINE = re.compile(
    r"^RESTWAY_INLINE\s+(?P<must_use>RESTWAY_MUST_USE\s+)?(?P<result>[\w\s]+?[\s*]+)"
    r"(?P<name>restway_(?!internal_)\w+)\s*\((?P<parameters>[^;{]*)\)\s*\{",
    re.MULTILINE,
)
_STRUCT = re.compile(r"typedef struct (restway_\w+) \{(.*?)^\} \1;", re.DOTALL | re.MULTILINE)
_ENUM = re.compile(
    r"typedef enum RESTWAY_OPEN_ENUM (restway_\w+) \{(.*?)^\} \1;", re.DOTALL | re.MULTILINE
)
_CALLBACK = re.compile(r"^typedef ([\w\s*]+?)\(\*(restway_\w+)\)\(([^)]*)\)\s*;", re.MULTILINE)
_CALLBACK_COMMENT = re.compile(
    r"(/\*\*(?:(?!\*/).)*\*/)\s*^typedef [\w\s*]+?\(\*(restway_\w+)\)\([^)]*\)\s*;",
    re.DOTALL | re.MULTILINE,
)
_TYPE_COMMENT = re.compile(
    r"(/\*\*(?:(?!\*/).)*\*/)\s*^typedef (?:struct|enum RESTWAY_OPEN_ENUM) (restway_\w+) \{",
    re.DOTALL | re.MULTILINE,
)
_GROUP_COMMENT = re.compile(
    r"(/\*\* Bits of (?:(?!\*/).)*\*/)\s+(?:/\*\*(?:(?!\*/).)*\*/\s+)?#define (RESTWAY_\w+) ",
    re.DOTALL,
)
_CONSTANT = re.compile(r"^#define (RESTWAY_\w+) (0x[0-9a-fA-F]+|\d+)u?(?=\s|$)", re.MULTILINE)


def without_comments(text: str) -> str:
    return _COMMENT.sub(" ", text)


@dataclass(frozen=True)
class Function:
    """A declared function, and the comment that describes it (alone or together with the functions
    beside it).
    """

    name: str
    result: str
    parameters: str
    must_use: bool
    comment: str


def functions(text: str, pattern: re.Pattern[str] = _FUNCTION) -> list[Function]:
    found = []
    for match in pattern.finditer(text):
        found.append(
            Function(
                name=match["name"],
                result=" ".join(match["result"].split()),
                parameters=" ".join(match["parameters"].split()),
                must_use=match["must_use"] is not None,
                comment=_comment_before(text, match.start()),
            )
        )
    return found


def _comment_before(text: str, position: int) -> str:
    """Returns the doc comment above the block of declarations around `position`."""
    block = text[:position].rsplit("\n\n", 1)[-1]
    # An empty line inside a comment ends in " *", so it is never "\n\n".
    start = block.find("/**")
    end = block.find("*/", start)
    return block[start : end + 2] if start >= 0 and end >= 0 else ""


def structs(text: str) -> dict[str, str]:
    """Returns the body of every struct that is not opaque, by name, without comments."""
    return {match[1]: without_comments(match[2]) for match in _STRUCT.finditer(text)}


def enums(text: str) -> dict[str, list[str]]:
    """Returns the constants of every enum, by name, as they are written ("RESTWAY_OK = 0")."""
    return {
        match[1]: [line.strip() for line in without_comments(match[2]).split(",") if line.strip()]
        for match in _ENUM.finditer(text)
    }


def callbacks(text: str) -> list[tuple[str, str, str]]:
    """Returns every type of a function that programs give to the library: its name, its result and
    its parameters.
    """
    return [
        (match[2], match[1].strip(), " ".join(match[3].split()))
        for match in _CALLBACK.finditer(without_comments(text))
    ]


def callback_comments(text: str) -> dict[str, str]:
    """Returns the comments of the types of functions that programs give to the library."""
    return {match[2]: match[1] for match in _CALLBACK_COMMENT.finditer(text)}


def type_comments(text: str) -> dict[str, str]:
    """Returns the comments of the structs that are not opaque, and of the enums."""
    return {match[2]: match[1] for match in _TYPE_COMMENT.finditer(text)}


@cache
def type_comments_of_all() -> dict[str, str]:
    return {n: c for header in HEADERS for n, c in type_comments(header.read_text()).items()}


@cache
def group_comments() -> dict[str, str]:
    """Returns the comment above each group of flags, "/** Bits of ... */", by the prefix of their
    names: `RESTWAY_CLIENT_` for RESTWAY_CLIENT_NO_COOKIES.
    """
    found = {}
    for header in OF_BINDINGS:
        for comment, name in _GROUP_COMMENT.findall(header.read_text()):
            found["_".join(name.split("_")[:2]) + "_"] = comment
    return found


def constants(text: str) -> dict[str, int]:
    """Returns the macros that are integers: flags and version numbers."""
    return {match[1]: int(match[2], 0) for match in _CONSTANT.finditer(text)}


@cache
def all_functions() -> list[Function]:
    return [function for header in HEADERS for function in functions(header.read_text())]


@cache
def all_inline_functions() -> list[Function]:
    """Returns the functions that headers contain, which the library does not export."""
    return [function for header in HEADERS for function in functions(header.read_text(), _INLINE)]


@cache
def all_structs() -> dict[str, str]:
    texts = [header.read_text() for header in OF_BINDINGS]
    return {name: body for text in texts for name, body in structs(text).items()}


@cache
def all_enums() -> dict[str, list[str]]:
    texts = [header.read_text() for header in HEADERS if header.name not in INLINE]
    return {name: body for text in texts for name, body in enums(text).items()}


@cache
def all_callbacks() -> list[tuple[str, str, str]]:
    return [found for header in OF_BINDINGS for found in callbacks(header.read_text())]


@cache
def all_constants() -> dict[str, int]:
    texts = [header.read_text() for header in OF_BINDINGS]
    return {name: value for text in texts for name, value in constants(text).items()}

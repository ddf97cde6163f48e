"""The pieces of Python source text: names, literals, types and declarations."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Signature:
    """One way to call a method."""

    parameters: tuple[str, ...]
    """The parameters behind `self`, as they are written."""
    result: str


@dataclass(frozen=True)
class Method:
    """A method with all ways to call it."""

    name: str
    ways: tuple[Signature, ...]
    is_async: bool = False
    """Whether it is a coroutine function."""


def method(made: Method, *, is_stub: bool) -> list[str]:
    """Returns the declaration of a method. Outside of a stub file, several ways to call it need one
    more declaration, which takes all of them.
    """
    lines = []
    start = "async def" if made.is_async else "def"
    for way in made.ways:
        if len(made.ways) > 1:
            lines.append("@overload")
        lines += [
            f"{start} {made.name}(",
            "    self,",
            *(f"    {parameter}," for parameter in way.parameters),
            f") -> {way.result}: ...",
        ]
    if len(made.ways) > 1 and not is_stub:
        lines.append(f"def {made.name}(self, *arguments: Any, **options: Any) -> Any: ...")
    return lines


def declared(members: Iterable[list[str]], *, is_stub: bool) -> list[str]:
    """Returns members of a class that only type checkers see: at run time, the methods of the base
    class run.
    """
    indent = "    " if is_stub else "        "
    lines = []
    for member in members:
        lines += ["", *(f"{indent}{line}" for line in member)]
    return ["", "    if TYPE_CHECKING:", *lines] if lines and not is_stub else lines


def typed_dict(name: str, text: str, types: dict[str, str], *, total: bool) -> list[str]:
    """Returns a TypedDict. Keys that are no names in Python need the form of a call."""
    option = "" if total else ", total=False"
    if all(is_plain(key) for key in types):
        fields = [f"    {key}: {kind}" for key, kind in types.items()]
        return [f"class {name}(TypedDict{option}):", f'    """{text}"""', "", *fields]
    return [
        f"# {text}",
        f"{name} = TypedDict(",
        f"    {quoted(name)},",
        "    {",
        *(f"        {quoted(key)}: {quoted(kind)}," for key, kind in types.items()),
        "    },",
        *([] if total else ["    total=False,"]),
        ")",
    ]


def imported(module: str, names: Sequence[str]) -> str:
    """Returns the statement that imports names of a module."""
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= 88:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


def literal(words: Iterable[str]) -> str:
    """Returns the type of some texts."""
    return f"Literal[{', '.join(map(quoted, words))}]"


def union(types: Iterable[str]) -> str:
    """Returns a union that has each type once, with None at its end."""
    parts = [part for kind in types for part in _members(kind)]
    found = dict.fromkeys(part for part in parts if part != "None")
    return " | ".join([*found, *(["None"] if "None" in parts else [])])


def _members(kind: str) -> Iterator[str]:
    """Returns the members of a union; what stands in brackets or in quotes stays together."""
    depth, start, quoted_now, escaped = 0, 0, False, False
    for place, character in enumerate(kind):
        if quoted_now:
            quoted_now = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            quoted_now = True
        elif character in "[]":
            depth += 1 if character == "[" else -1
        elif character == "|" and depth == 0:
            yield kind[start:place].strip()
            start = place + 1
    yield kind[start:].strip()


def class_name(name: str, suffix: str, taken: set[str]) -> str:
    """Returns the name of a class for a name of the document, which no other class has."""
    words = [word for word in re.split(r"\W+|_+", name, flags=re.ASCII) if word]
    made = "".join(word[0].upper() + word[1:] for word in words) + suffix
    if not made[:1].isalpha():
        made = f"_{made}"
    while made in taken or keyword.iskeyword(made):
        made += "_"
    taken.add(made)
    return made


def free_name(name: str, taken: set[str]) -> str:
    """Returns a name that is not taken, and takes it: the name itself, or the name with the first
    number from 2 on.
    """
    found = next(one for one in numbered(name) if one not in taken)
    taken.add(found)
    return found


def numbered(name: str) -> Iterator[str]:
    """Returns the name, and then the name with the numbers from 2 on."""
    yield name
    number = 2
    while True:
        yield f"{name.rstrip('_')}_{number}"
        number += 1


def is_plain(name: str) -> bool:
    """Returns whether a name of the document can be written as a name in a class."""
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("__")


def quoted(text: str) -> str:
    """Writes a text as Python does, with double quotes."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


def documented(name: str) -> str:
    """Returns a name of the document for a docstring."""
    return name if is_plain(name) else quoted(name).replace("\\", "\\\\").replace('"', "'")

"""Reads the files of a description, and follows the references between them.

A `Node` is a value together with its place. Reading never fails below the top: a part of the wrong
kind counts as missing, and a reference that leads nowhere is a `BrokenReference`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable
from urllib.parse import unquote

from .notes import NoteKind, Report

_DEPTH_MAX = 200
"""How deep the values of a file may be nested."""

_REFERENCES_MAX = 30
"""How many references may lead to each other before a value is reached."""

Convert = Callable[[Any], Any]


class ReadError(ValueError):
    """A file that cannot be read at all."""


class BrokenReference(Exception):
    """A `$ref` that leads nowhere, or out of the folder of the description."""


def pointer_text(keys: tuple[str, ...]) -> str:
    """Returns a JSON pointer (RFC 6901) as a fragment."""
    return "#" + "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)


@dataclass(frozen=True)
class Node:
    """A value of a description, and its place."""

    value: Any
    file: Path
    keys: tuple[str, ...]
    files: Files

    @property
    def key(self) -> tuple[Path, tuple[str, ...]]:
        """The place as a key of dictionaries."""
        return self.file, self.keys

    @property
    def place(self) -> str:
        """The place as the report shows it: a pointer, behind the name of another file."""
        pointer = pointer_text(self.keys)
        if self.file == self.files.root_file:
            return pointer
        return f"{self.file.relative_to(self.files.folder).as_posix()}{pointer}"

    @property
    def members(self) -> dict[str, Any]:
        """The members of an object; none for any other value."""
        return self.value if isinstance(self.value, dict) else {}

    def get(self, *keys: str) -> Node:
        """Returns the member at a path of keys, with the value None if it is missing."""
        node = self
        for key in keys:
            node = Node(node.members.get(key), self.file, (*node.keys, key), self.files)
        return node

    def items(self) -> Iterator[tuple[str, Node]]:
        """Returns the members of an object, except those that start with `x-`."""
        for key in self.members:
            if not key.startswith("x-"):
                yield key, self.get(key)

    def elements(self) -> Iterator[Node]:
        """Returns the elements of a list."""
        if isinstance(self.value, list):
            for index, element in enumerate(self.value):
                yield Node(element, self.file, (*self.keys, str(index)), self.files)

    def text(self, key: str) -> str | None:
        """Returns a member that is a text with at least one character."""
        value = self.members.get(key)
        return value if isinstance(value, str) and value else None

    def flag(self, key: str) -> bool:
        """Returns whether a member is true."""
        return self.members.get(key) is True

    def note(self, kind: NoteKind, reason: str) -> None:
        """Adds a note about this place to the report."""
        self.files.report.add(kind, self.place, reason)

    def followed(self) -> Node:
        """Returns the value that this node refers to, or the node itself if it has no `$ref`.

        Raises BrokenReference.
        """
        node = self
        for _ in range(_REFERENCES_MAX):
            if "$ref" not in node.members:
                return node
            node = node.files.target(node)
        raise BrokenReference("its references lead to each other")

    def followed_or_none(self) -> Node | None:
        """Returns the value that this node refers to; a broken reference is noted."""
        try:
            return self.followed()
        except BrokenReference as error:
            self.note("left out", f"a broken reference: {error}")
            return None


class Files:
    """The files of a description, all below one folder."""

    def __init__(self, root: Path, report: Report, convert: Convert = lambda value: value) -> None:
        """Reads the first file; `convert` changes the value of each file. Raises ReadError."""
        self.root_file = root.resolve()
        self.folder = self.root_file.parent
        self.report = report
        self._convert = convert
        self._values: dict[Path, Any] = {}
        self.root = Node(self._value(self.root_file), self.root_file, (), self)

    def target(self, node: Node) -> Node:
        """Returns the node that a `$ref` names. Raises BrokenReference."""
        reference = node.members["$ref"]
        if not isinstance(reference, str):
            raise BrokenReference("$ref is no text")
        address, _, fragment = reference.partition("#")
        file = self._file(address, node.file) if address else node.file
        if fragment and not fragment.startswith("/"):
            raise BrokenReference(f"{reference!r} is no JSON pointer")
        keys = tuple(
            unquote(key).replace("~1", "/").replace("~0", "~") for key in fragment.split("/")[1:]
        )
        try:
            value = self._value(file)
        except ReadError as error:
            raise BrokenReference(str(error)) from None
        for key in keys:
            if isinstance(value, dict) and key in value:
                value = value[key]
            elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            else:
                raise BrokenReference(f"{reference!r} leads nowhere")
        return Node(value, file, keys, self)

    def _file(self, address: str, base: Path) -> Path:
        if "://" in address or address.startswith("//"):
            raise BrokenReference(f"{address!r} is on the network, where nothing is read")
        file = (base.parent / unquote(address)).resolve()
        if not file.is_relative_to(self.folder):
            raise BrokenReference(f"{address!r} is outside of the folder of the description")
        return file

    def _value(self, file: Path) -> Any:
        if file not in self._values:
            self._values[file] = self._convert(read_value(file))
        return self._values[file]


def read_value(file: Path) -> Any:
    """Returns the value of a JSON or YAML file, whose keys are all texts. Raises ReadError."""
    try:
        content = file.read_text("utf-8-sig")
    except OSError as error:
        raise ReadError(f"{file.name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ReadError(f"{file.name}: it is not UTF-8") from None
    if file.suffix == ".json" or content.lstrip()[:1] in ("{", "["):
        try:
            value = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise ReadError(f"{file.name}: {error}") from None
        _refuse_depth(value, file, 0)
        return value
    return _plain(_yaml_value(content, file), file, 0)


def _yaml_value(content: str, file: Path) -> Any:
    try:
        import yaml
    except ImportError:
        raise ReadError(
            f"{file.name}: YAML needs the package PyYAML (pip install pyyaml)"
        ) from None

    # The types of JSON alone, as YAML 1.2 has them: no dates, and neither `on` nor `no` is a
    # boolean.
    base: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loader: type[Any] = type("Loader", (base,), {"yaml_implicit_resolvers": {}})
    number = r"-?(?:0|[1-9][0-9]*)"
    for tag, pattern, first in (
        ("merge", r"^<<$", ["<"]),
        ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
        ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
        ("int", rf"^{number}$", list("-0123456789")),
        ("float", rf"^{number}(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$", list("-0123456789")),
    ):
        loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), first)
    try:
        return yaml.load(content, loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ReadError(f"{file.name}: {error}") from None


def _plain(value: Any, file: Path, depth: int) -> Any:
    """Returns a value of YAML with texts as keys, as JSON has them."""
    if depth > _DEPTH_MAX:
        raise ReadError(f"{file.name}: its values are nested deeper than {_DEPTH_MAX}")
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else _key(key): _plain(member, file, depth + 1)
            for key, member in value.items()
        }
    if isinstance(value, list):
        return [_plain(element, file, depth + 1) for element in value]
    return value


def _key(key: object) -> str:
    return json.dumps(key) if isinstance(key, (bool, int, float)) or key is None else str(key)


def _refuse_depth(value: Any, file: Path, depth: int) -> None:
    if depth > _DEPTH_MAX:
        raise ReadError(f"{file.name}: its values are nested deeper than {_DEPTH_MAX}")
    children = value.values() if isinstance(value, dict) else value
    if isinstance(value, (dict, list)):
        for child in children:
            if isinstance(child, (dict, list)):
                _refuse_depth(child, file, depth + 1)

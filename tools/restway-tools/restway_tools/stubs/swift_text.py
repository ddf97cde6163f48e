"""The pieces of Swift source text: names and literals."""

from __future__ import annotations

import re
import unicodedata

from .text import class_name, free_name

_KEYWORDS = {
    "Any", "actor", "as", "associatedtype", "async", "await", "borrowing", "break", "case",
    "catch", "class", "consuming", "continue", "default", "defer", "deinit", "do", "dynamic",
    "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "get",
    "guard", "if", "import", "in", "infix", "inout", "internal", "is", "isolated", "let", "nil",
    "nonisolated", "open", "operator", "package", "postfix", "precedencegroup", "prefix",
    "private", "protocol", "public", "repeat", "rethrows", "return", "sending", "set", "static",
    "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias",
    "var", "where", "while", "willSet", "didSet", "yield",
}
"""The words that stand in backticks where they are names."""

_IMPOSSIBLE = {"self", "Self", "Type", "Protocol", "init", "_"}
"""The words that backticks do not make a name of a member."""


def identifier(name: str, taken: set[str]) -> str:
    """Returns a name that Swift allows and that is not taken, and takes it. A keyword stands in
    backticks.

        identifier("created at", set())  # "createdAt"
        identifier("default", set())     # "`default`"
    """
    plain = _plain(name)
    found = free_name(f"{plain}_" if plain in _IMPOSSIBLE else plain, taken)
    return f"`{found}`" if found in _KEYWORDS else found


def type_name(name: str, suffix: str, taken: set[str]) -> str:
    """Returns the name of a type for a name of the document, which no other type has."""
    has_words = re.search(r"[A-Za-z0-9]", name) is not None
    return class_name(name if has_words else f"Unnamed {name}", suffix, taken)


def _plain(name: str) -> str:
    """Returns a name as it is, if Swift allows it, or its words in camel case."""
    if re.fullmatch(r"[^\W\d]\w*", name) and unicodedata.is_normalized("NFC", name):
        return name
    words = [word for word in re.split(r"[^A-Za-z0-9_]+", name) if word]
    made = "".join(word if at == 0 else word[0].upper() + word[1:] for at, word in enumerate(words))
    if not made:
        return "value"
    return f"_{made}" if made[0].isdigit() else made


def literal(text: str) -> str:
    """Writes a text as a literal of Swift.

        literal('a "b"')  # '"a \\"b\\""'
    """
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if not character.isprintable():
        return f"\\u{{{ord(character):x}}}"
    return character


def documentation(name: str) -> str:
    """Returns a name of the document for a comment."""
    return f"`{name}`" if re.fullmatch(r"\w+", name) else literal(name)

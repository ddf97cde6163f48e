"""Names and literals of C and C++ for names of a document."""

from __future__ import annotations

import re

from .text import free_name

_KEYWORDS = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
    "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await",
    "co_return", "co_yield", "compl", "concept", "const", "const_cast", "consteval",
    "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for",
    "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept",
    "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public",
    "register", "reinterpret_cast", "requires", "restrict", "return", "short", "signed", "sizeof",
    "static", "static_assert", "static_cast", "struct", "switch", "template", "this",
    "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "typeof",
    "typeof_unqual", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t",
    "while", "xor", "xor_eq",
}
"""The keywords of C and C++: a header of C is also read by C++."""

_MACROS = {
    "L_ctermid", "L_cuserid", "L_tmpnam", "P_tmpdir", "errno", "i386", "linux", "stderr", "stdin",
    "stdout", "unix",
}
"""The macros with other names than those of capitals that the headers may define."""


def allowed(name: str) -> str:
    """Returns a name as close to this one as C and C++ allow."""
    plain = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9_]", "_", name)) or "_"
    if re.match(r"_[A-Z]", plain):
        plain = plain[1:]  # These names belong to the compiler.
    if plain[0].isdigit():
        plain = f"_{plain}"
    # Macros of the C library and of the compiler have names of capitals.
    if len(plain) > 1 and plain.isupper():
        plain = plain.lower()
    return f"{plain}_" if plain in _KEYWORDS or plain in _MACROS else plain


def identifier(name: str, taken: set[str]) -> str:
    """Returns a name that C and C++ allow and that is not taken, and takes it."""
    return free_name(allowed(name), taken)


def literal(text: str) -> str:
    """Writes a text as a literal of C and C++."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    # Two question marks may begin a trigraph.
    if character in '"\\?':
        return f"\\{character}"
    if ord(character) < 32 or ord(character) == 127:
        return f"\\{ord(character):03o}"
    return character

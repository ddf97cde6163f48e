"""The headers contain nothing that another language could not call, except for inline functions,
which are built on the functions that the library exports.
"""

from __future__ import annotations

import re
from pathlib import Path

from declarations import (
    HEADERS,
    INLINE,
    Function,
    all_enums,
    all_functions,
    all_inline_functions,
    all_structs,
    without_comments,
)
from every import for_each

EXPORTED = all_functions()
FUNCTIONS = [*EXPORTED, *all_inline_functions()]
#: Where the one macro for inline functions is defined.
DEFINES_INLINE = "#define RESTWAY_INLINE static inline\n"


@for_each(HEADERS, lambda header: header.name)
def test_nothing_that_only_c_can_call(header: Path) -> None:
    code = without_comments(header.read_text()).replace(DEFINES_INLINE, "")
    code = re.sub(r'"[^"\n]*"', '""', code)
    assert "..." not in code, "a variadic function"
    assert not re.search(r"\b(inline|__inline)\b", code), "inline without RESTWAY_INLINE"
    assert not re.search(r"\b(_Bool|bool|stdbool)\b", code), "bool has no fixed size everywhere"


@for_each(HEADERS, lambda header: header.name)
def test_every_declaration_is_understood_here(header: Path) -> None:
    text = header.read_text()
    known = [function for function in FUNCTIONS if f"{function.name}(" in text]
    declared = re.findall(r"^RESTWAY_(?:API|INLINE)\b", text, re.MULTILINE)
    internal = re.findall(r"^RESTWAY_INLINE\b[^;{]*?\brestway_internal_", text, re.MULTILINE)
    assert len(declared) - len(internal) == len([f for f in known if _declares(text, f.name)])


def _declares(text: str, name: str) -> bool:
    start = r"^RESTWAY_(?:API|INLINE)[^;{]*?"
    return re.search(rf"{start}\b{name}\s*\(", text, re.MULTILINE) is not None


@for_each(HEADERS, lambda header: header.name)
def test_a_header_that_has_inline_functions_exports_none(header: Path) -> None:
    text = header.read_text()
    has_inline = re.search(r"^RESTWAY_INLINE\b", text, re.MULTILINE) is not None
    assert has_inline == (header.name in INLINE)
    assert not has_inline or "\nRESTWAY_API" not in text


def test_inline_functions_are_found_here() -> None:
    names = {function.name for function in all_inline_functions()}
    assert {"restway_client_get", "restway_object_bool", "restway_object_string_or"} <= names
    assert not names & {function.name for function in EXPORTED}


def test_names_are_declared_once() -> None:
    names = [function.name for function in FUNCTIONS]
    assert len(names) > 70
    assert len(names) == len(set(names))


@for_each(FUNCTIONS, lambda function: function.name)
def test_functions_are_documented(function: Function) -> None:
    comment = function.comment
    assert comment.startswith("/**"), "no doc comment"
    assert "Threads:" in comment
    assert "Blocks:" in comment


@for_each(FUNCTIONS, lambda function: function.name)
def test_statuses_must_be_used(function: Function) -> None:
    returns_status = function.result == "restway_status"
    accessor = function.name == "restway_error_status"
    assert function.must_use == (returns_status and not accessor)


@for_each(FUNCTIONS, lambda function: function.name)
def test_fallible_functions_end_with_the_error(function: Function) -> None:
    if function.must_use:
        parameters = function.parameters
        assert parameters.endswith("restway_error **out_error")


@for_each(FUNCTIONS, lambda function: function.name)
def test_names_that_the_comment_refers_to_exist(function: Function) -> None:
    comment = function.comment
    names = {known.name for known in FUNCTIONS}
    for name in re.findall(r"\b(restway_\w+)\(\)", comment):
        assert name in names


@for_each(all_structs())
def test_struct_fields_have_fixed_sizes(name: str) -> None:
    body = all_structs()[name]
    assert not re.search(r"\b(long|short|int|char|bool|enum)\s+\w+\s*;", body), "size varies"
    assert not re.search(r":\s*\d+\s*;", body), "a bit-field"
    assert not re.search(r"\brestway_(status|domain|delivery|log_level)\s+\w+\s*;", body)


@for_each(all_enums())
def test_enum_values_are_explicit_and_pinned(name: str) -> None:
    constants = all_enums()[name]
    assert all("=" in constant for constant in constants), "a value that is not written down"
    assert constants[-1].endswith("PIN_ = 0x7fffffff")
    values = [int(constant.split("=")[1], 0) for constant in constants]
    assert values == sorted(set(values)), "new values are appended"


@for_each(HEADERS, lambda header: header.name)
def test_guards_and_linkage(header: Path) -> None:
    text = header.read_text()
    guard = f"RESTWAY_{header.stem.upper()}_H"
    assert text.startswith(f"/** @file restway/{header.name}\n")
    assert f"#ifndef {guard}\n#define {guard}\n" in text
    assert text.endswith("#endif\n")
    if re.search(r"^RESTWAY_(API|INLINE) ", text, re.MULTILINE):
        assert "\nRESTWAY_BEGIN_DECLS\n" in text
        assert "\nRESTWAY_END_DECLS\n" in text

"""The C harness calls every function of the headers, exported or inline, also with NULL for every
pointer that must not be NULL.
"""

from __future__ import annotations

import re

from declarations import all_functions, all_inline_functions, without_comments
from tree import ROOT

HARNESS = "\n".join(
    without_comments(source.read_text())
    for source in sorted((ROOT / "Tests" / "CHarness").glob("*.c"))
)
#: The name of a text in the harness that is not UTF-8.
IS_BAD_TEXT = r"\bbad|\bBAD_UTF8\b"
FUNCTIONS = [*all_functions(), *all_inline_functions()]


def parts(text: str) -> list[str]:
    """Returns the parts between the commas of a list, except commas inside brackets and strings."""
    found: list[str] = []
    depth, start = 0, 0
    for match in re.finditer(r"""[(\[{]|[)\]}]|,|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'""", text):
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
            if depth < 0:
                return [*found, text[start : match.start()].strip()]
        elif match[0] == "," and depth == 0:
            found.append(text[start : match.start()].strip())
            start = match.end()
    return [*found, text[start:].strip()]


def _calls() -> dict[str, list[list[str]]]:
    """Returns the arguments of every call of every function in the harness."""
    found: dict[str, list[list[str]]] = {function.name: [] for function in FUNCTIONS}
    for match in re.finditer(r"\b(restway_\w+)\s*\(", HARNESS):
        if match[1] in found:
            found[match[1]].append(parts(HARNESS[match.end() : match.end() + 1000]))
    return found


CALLS = _calls()


def never_given(wanted: str, what: str) -> set[str]:
    """Returns the parameters that `wanted` describes, and for which no call has an argument that
    `what` describes.
    """
    return {
        f"{function.name}: {parameter}"
        for function in FUNCTIONS
        for place, parameter in enumerate(parts(function.parameters))
        if re.search(wanted, parameter)
        and not any(
            len(arguments) > place and re.search(what, arguments[place])
            for arguments in CALLS[function.name]
        )
    }


def test_the_harness_calls_every_function() -> None:
    assert [name for name, calls in CALLS.items() if not calls] == []


def test_the_harness_gives_null_for_every_pointer() -> None:
    """Contexts, which the library never uses, and the error, which is always optional, are left
    out.
    """
    pointer = r"^(?!void \*context$|restway_error \*\*out_error$).*\*"
    assert never_given(pointer, r"^(NULL|0)$") == set()


def test_the_harness_gives_what_is_no_utf8_for_every_text() -> None:
    assert never_given(r"^const char \*\w+$", IS_BAD_TEXT) == set()


def test_arguments_are_told_apart() -> None:
    assert parts('a, f(b, c), "d, (", NULL), e') == ["a", "f(b, c)", '"d, ("', "NULL"]

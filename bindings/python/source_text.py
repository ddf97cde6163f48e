"""Parts of source code as Markdown: docstrings and signatures."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from typing import Union

COLUMNS_MAX = 100

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]


def documented(body: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt, str]]:
    """Yields the name, the node and the docstring of each definition in a body of statements. The
    docstring of an assignment is the text behind it.
    """
    for index, node in enumerate(body):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node, text_of(node.body)
            continue
        target: ast.expr | None = None
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
        elif isinstance(node, ast.AnnAssign):
            target = node.target
        if isinstance(target, ast.Name):
            yield target.id, node, text_of(body[index + 1 : index + 2])


def text_of(body: list[ast.stmt]) -> str:
    """Returns the text if a body of statements begins with one, such as a docstring. Its lines lose
    the indentation of the text itself, so that an example stays indented even if it is all that
    follows the first line.
    """
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        value = body[0].value.value
        if isinstance(value, str):
            margin = " " * body[0].col_offset
            lines = [line.removeprefix(margin).rstrip() for line in value.splitlines()]
            return "\n".join(lines).rstrip("\n")
    return ""


def markdown(doc: str) -> list[str]:
    """Returns a docstring as lines of Markdown: "Args:" and "Attributes:" become lists, and
    indented examples become blocks of code.
    """
    lines: list[str] = []
    rest = doc.splitlines()
    while rest:
        if rest[0] in ("Args:", "Attributes:"):
            rest.pop(0)
            lines += _items(_take_indented(rest))
        elif rest[0].startswith("    "):
            code = textwrap.dedent("\n".join(_take_indented(rest))).rstrip("\n")
            lines += [f"```{_language(code)}", *code.splitlines(), "```"]
            if rest:
                lines.append("")
        else:
            lines.append(rest.pop(0))
    return lines


def _take_indented(rest: list[str]) -> list[str]:
    """Takes the indented lines at the beginning, and empty lines between and behind them."""
    taken: list[str] = []
    while rest and (not rest[0] or rest[0].startswith("    ")):
        taken.append(rest.pop(0))
    return taken


def _items(lines: list[str]) -> list[str]:
    """Returns the lines below "Args:" as a list."""
    items = []
    for line in lines:
        begin = re.match(r"    (\*{0,2}\w+): (.*)", line)
        items.append(f"- `{begin[1]}`: {begin[2]}" if begin else f"  {line[8:]}".rstrip())
    return items


def _language(code: str) -> str:
    try:
        ast.parse(code)
    except SyntaxError:
        return "python" if re.search(r"\b(await|async) ", code) else "text"
    return "python"


def name_of(node: ast.expr) -> str:
    """Returns the last name of an expression: `list` for `builtins.list[int]`."""
    if isinstance(node, ast.Subscript):
        return name_of(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def signature(node: Function, called: str | None = None) -> str:
    """Returns the signature of a function, without `self`; a long one takes a line for each
    parameter. A property is written like an attribute.
    """
    returned = "" if node.returns is None else f" -> {ast.unparse(node.returns)}"
    decorators = {name_of(each) for each in node.decorator_list}
    if "property" in decorators:
        return f"{node.name}: {ast.unparse(node.returns) if node.returns else 'Any'}"
    parameters = list(_parameters(node.args))
    if parameters and parameters[0].partition(":")[0] in ("self", "cls"):
        parameters.pop(0)
        if parameters and parameters[0] == "/":
            parameters.pop(0)
    prefix = "async def " if isinstance(node, ast.AsyncFunctionDef) else "def "
    if called is not None:
        prefix, returned = "", ""
    head = f"{prefix}{called or node.name}("
    line = f"{head}{', '.join(parameters)}){returned}"
    if len(line) <= COLUMNS_MAX:
        return line
    return "\n".join([head, *(f"    {each}," for each in parameters), f"){returned}"])


def _parameters(arguments: ast.arguments) -> Iterator[str]:
    positional = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    for index, (each, default) in enumerate(zip(positional, [*missing, *arguments.defaults])):
        yield _parameter(each, default)
        if index + 1 == len(arguments.posonlyargs):
            yield "/"
    if arguments.vararg is not None and _is_for_use(arguments.vararg):
        yield f"*{_parameter(arguments.vararg, None)}"
    elif arguments.kwonlyargs:
        yield "*"
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        yield _parameter(each, default)
    if arguments.kwarg is not None and _is_for_use(arguments.kwarg):
        yield f"**{_parameter(arguments.kwarg, None)}"


def _is_for_use(further: ast.arg) -> bool:
    """Whether a function takes further arguments. If their type is NoReturn, they are mistakes,
    which the function explains.
    """
    return further.annotation is None or ast.unparse(further.annotation) != "NoReturn"


def _parameter(argument: ast.arg, default: ast.expr | None) -> str:
    text = argument.arg
    if argument.annotation is not None:
        text += f": {ast.unparse(argument.annotation)}"
    if default is None:
        return text
    equals = " = " if argument.annotation is not None else "="
    return f"{text}{equals}{ast.unparse(default)}"

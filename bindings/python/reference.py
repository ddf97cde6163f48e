"""Writes the reference of the Python package, which is made from its signatures and docstrings.

    python bindings/python/reference.py

writes `docs/REFERENCE.md`, the table of contents, and a page for each topic in `docs/reference`.
It reads the source code of the package and does not import it. A name is public if
`restway.__all__` has it. Members whose names begin with an underscore, and those whose docstrings
begin with "For this package", are left out.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Union

FOLDER = Path(__file__).resolve().parent
PACKAGE = FOLDER / "restway"
DOCS = FOLDER / "docs"

COLUMNS_MAX = 100
NOTE = "<!-- Written by bindings/python/reference.py from the docstrings of the package. -->"
INTERNAL = "For this package"

#: The pages: a title and the modules whose public names it describes, in this order. A module that
#: is missing here gets a page of its own, called after the module.
TOPICS = {
    "api": ("API documents", ["_api"]),
    "functions": ("Functions of the program for API documents", ["_questions", "_parsing"]),
    "client": ("Clients", ["_client"]),
    "async-client": ("Clients for asyncio", ["_async_client"]),
    "clients": ("Methods of all clients", ["_client_base"]),
    "requests": ("Requests and files", ["_request", "_resource", "_inspect"]),
    "options": ("Options of requests", ["_body"]),
    "responses": ("Calls and responses", ["_call", "_response", "_boundary"]),
    "objects": ("Objects and drafts", ["_object", "_draft"]),
    "store": ("Stores, queries, observers", ["_store"]),
    "pages": ("Pages", ["_pages"]),
    "scopes": ("Scopes, several clients", ["_scope", "_routing"]),
    "batch": ("Batch sessions", ["_batch"]),
    "streams": ("Streams and events", ["_stream"]),
    "auth": ("Credentials", ["_auth"]),
    "pipeline": ("Modifiers and interceptors", ["_pipeline"]),
    "cache": ("The response cache", ["_cache"]),
    "outbox": ("The outbox", ["_outbox"]),
    "network": ("Networks, cookies, rates", ["_network"]),
    "lifecycle": ("The life of calls", ["_lifecycle"]),
    "exceptions": ("Exceptions", ["_exceptions"]),
    "library": ("The library", ["_library", "_ffi.enums"]),
}

#: Classes that clients inherit from, and the clients that do. Their members stand on the page of
#: their own topic.
PARTS_OF_CLIENTS = {
    "AsyncBytesMapping": "AsyncClient",
    "BytesMapping": "Client",
    "ClientAuth": "Client and AsyncClient",
    "ClientBase": "Client and AsyncClient",
    "ClientNetwork": "Client and AsyncClient",
    "ClientPipeline": "Client and AsyncClient",
}

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]


@dataclass
class Definition:
    """A class, a function or an assignment at the top of a module."""

    name: str
    module: str
    node: ast.AST
    doc: str


@dataclass
class Member:
    """A method or a property of a class."""

    node: Function
    owner: str
    #: The types that stand for the type variables of the class that has the member.
    types: dict[str, str]

    @property
    def doc(self) -> str:
        return _text_of(self.node.body)


def definitions() -> dict[str, Definition]:
    """Returns the definitions at the top of all modules by name. Of the modules that know ctypes,
    only the enums are public.
    """
    found: dict[str, Definition] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        if module.startswith("_ffi.") and module != "_ffi.enums":
            continue
        for name, node, doc in _documented(ast.parse(path.read_text("utf-8")).body):
            if name not in found:
                found[name] = Definition(name, module, node, doc)
    return found


def public_names() -> list[str]:
    """Returns the names in `restway.__all__`."""
    for name, node, _ in _documented(ast.parse((PACKAGE / "__init__.py").read_text("utf-8")).body):
        if name == "__all__" and isinstance(node, ast.Assign):
            names: list[str] = ast.literal_eval(node.value)
            return [name for name in names if not name.startswith("__")]
    raise ValueError("restway/__init__.py has no __all__")


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt, str]]:
    """Yields the name, the node and the docstring of each definition in a body of statements. The
    docstring of an assignment is the text behind it.
    """
    for index, node in enumerate(body):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node, _text_of(node.body)
            continue
        target: ast.expr | None = None
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
        elif isinstance(node, ast.AnnAssign):
            target = node.target
        if isinstance(target, ast.Name):
            yield target.id, node, _text_of(body[index + 1 : index + 2])


def _text_of(body: list[ast.stmt]) -> str:
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


class Reference:
    """The reference: what is public, and which page describes it."""

    def __init__(self) -> None:
        self.found = definitions()
        self.public = public_names()
        #: Where the members of a class that is not public are described: the first public class
        #: that has them.
        self._described: dict[str, str] = {}

    def pages(self) -> dict[str, str]:
        """Returns the text of each page by its path below `docs`."""
        texts = {}
        contents = [
            *("# Reference", "", NOTE, ""),
            "Every public class, function and exception of the package, with its docstring. The",
            "pages of the [cookbook](COOKBOOK.md) show how they are used.",
            "",
            *("| page | names |", "| --- | --- |"),
        ]
        for page, (title, names) in self._topics().items():
            path = f"reference/{page}.md"
            links = [f"[{name}]({path}#{name.lower()})" for name in names]
            further = [f"the methods of {PARTS_OF_CLIENTS[each]}" for each in self._parts_on(page)]
            contents.append(f"| [{title}]({path}) | {', '.join([*links, *further])} |")
            lines = [f"# {title}", "", NOTE, "", "Back to the [contents](../REFERENCE.md).", ""]
            if page == "exceptions":
                module = ast.parse((PACKAGE / "_exceptions.py").read_text("utf-8"))
                lines += [*markdown(_text_of(module.body)), ""]
            for name in names:
                lines += self._section(self.found[name])
            for name in self._parts_on(page):
                lines += self._part(self.found[name])
            texts[path] = "\n".join(lines).rstrip("\n") + "\n"
        texts["REFERENCE.md"] = "\n".join(contents) + "\n"
        return texts

    def _topics(self) -> dict[str, tuple[str, list[str]]]:
        """Returns the title and the names of each page."""
        topics: dict[str, tuple[str, list[str]]] = {
            page: (title, []) for page, (title, _) in TOPICS.items()
        }
        for name in self._in_order():
            page = self._page_of(self.found[name].module)
            topics.setdefault(page, (page.capitalize(), []))[1].append(name)
        return topics

    def _parts_on(self, page: str) -> list[str]:
        """Returns the classes that clients inherit from and that a page describes."""
        return [each for each in PARTS_OF_CLIENTS if self._page_of(self.found[each].module) == page]

    def _page_of(self, module: str) -> str:
        for page, (_, modules) in TOPICS.items():
            if module in modules:
                return page
        return module.partition(".")[0].strip("_")

    def _in_order(self) -> list[str]:
        """Returns the public names as the modules of the topics and the source code have them."""
        modules = [module for _, listed in TOPICS.values() for module in listed]

        def place(name: str) -> tuple[int, str, int]:
            found = self.found[name]
            known = found.module in modules
            index = modules.index(found.module) if known else len(modules)
            assert isinstance(found.node, ast.stmt)
            return index, found.module, found.node.lineno

        return sorted(self.public, key=place)

    def _section(self, found: Definition) -> list[str]:
        node = found.node
        lines = [f"## {found.name}", ""]
        if isinstance(node, ast.ClassDef):
            return lines + self._class(node, found.doc)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return [*lines, *_code(signature(node)), *markdown(found.doc), ""]
        assert isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None
        text = f"{found.name} = {ast.unparse(node.value)}"
        return [*lines, *_code(text), *markdown(found.doc), ""]

    def _part(self, found: Definition) -> list[str]:
        """Returns the members of a class that only clients inherit from."""
        assert isinstance(found.node, ast.ClassDef)
        clients = PARTS_OF_CLIENTS[found.name]
        lines = [f"## Methods of {clients}", ""]
        for member in self.members(found.node):
            is_own = member.owner == found.name
            if is_own and not member.node.name.startswith("_") and _is_described(member):
                lines += self._member(clients.partition(" ")[0], member)
        return lines

    def _class(self, node: ast.ClassDef, doc: str) -> list[str]:
        bases = [_name(base) for base in node.bases]
        members = self.members(node)
        lines = []
        constructor = next((each for each in members if each.node.name == "__init__"), None)
        fields = self._fields(node)
        if constructor is not None and _is_described(constructor):
            lines += _code(signature(constructor.node, node.name))
        shown = [f"`{base}`" for base in bases if base in self.public or base.endswith("Error")]
        if shown:
            lines += [f"A kind of {' and '.join(shown)}.", ""]
        lines += [*markdown(doc), ""]
        if constructor is not None and _is_described(constructor):
            lines += [*markdown(constructor.doc), ""]
        if any(base in ("IntEnum", "Enum", "IntFlag") for base in bases):
            return lines + _wrapped(f"Members: {', '.join(f'`{name}`' for name, _, _ in fields)}.")
        lines += self._listed(fields)
        elsewhere: dict[str, list[str]] = {}
        for member in members:
            if member.node.name.startswith("_") or not _is_described(member):
                continue
            home = self._described.setdefault(member.owner, f"`{node.name}`")
            if member.owner in PARTS_OF_CLIENTS:
                page = self._page_of(self.found[member.owner].module)
                home = f"[{TOPICS[page][0]}]({page}.md)"
            if home == f"`{node.name}`":
                lines += self._member(node.name, member)
            else:
                elsewhere.setdefault(home, []).append(f"`{member.node.name}`")
        for home, names in elsewhere.items():
            lines += _wrapped(f"As in {home}: {', '.join(names)}.")
        return lines

    def _fields(self, node: ast.ClassDef) -> list[tuple[str, ast.stmt, str]]:
        """Returns the public fields of a class: those of a tuple, a dataclass, an enum, and others
        that have a docstring.
        """
        found = []
        for name, statement, doc in _documented(node.body):
            is_field = isinstance(statement, (ast.Assign, ast.AnnAssign))
            if is_field and not name.startswith("_") and not doc.startswith(INTERNAL):
                found.append((name, statement, doc))
        if not found:
            for base in self._bases(node):
                if base.name not in self.public:
                    found += self._fields(base)
        return found

    def _listed(self, fields: list[tuple[str, ast.stmt, str]]) -> list[str]:
        """Returns the fields with their types. Fields that the docstring of their class explains
        are a block of code.
        """
        lines, explained = [], []
        for name, statement, doc in fields:
            if not isinstance(statement, ast.AnnAssign):
                continue
            annotation = ast.unparse(statement.annotation)
            if "ClassVar" in annotation:
                continue
            default = "" if statement.value is None else f" = {ast.unparse(statement.value)}"
            text = f"{name}: {annotation}{default}"
            if not doc:
                explained.append(text)
                continue
            lines += textwrap.wrap(
                f"- `{text}`: {' '.join(doc.split())}",
                COLUMNS_MAX,
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
        code = _code("\n".join(explained)) if explained else []
        return [*code, *lines, ""] if lines else code

    def _member(self, owner: str, member: Member) -> list[str]:
        node = member.node
        text = signature(node)
        for variable, given in member.types.items():
            text = re.sub(rf"\b{variable}\b", given, text)
        doc = markdown(member.doc)
        return [f"### {owner}.{node.name}", "", *_code(text), *doc, ""]

    def _bases(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """Returns the classes of the package that a class inherits from."""
        found = [self.found.get(_name(base)) for base in node.bases]
        return [each.node for each in found if each and isinstance(each.node, ast.ClassDef)]

    def members(self, node: ast.ClassDef, types: dict[str, str] | None = None) -> list[Member]:
        """Returns the methods and properties of a class and of the classes below it, without those
        of public ones, which are described there.
        """
        members: dict[str, Member] = {}
        for name, statement, _ in _documented(node.body):
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                decorators = {_name(each) for each in statement.decorator_list}
                if not decorators & {"overload", "setter"}:
                    members.setdefault(name, Member(statement, node.name, types or {}))
        for base in node.bases:
            found = self.found.get(_name(base))
            if found is None or not isinstance(found.node, ast.ClassDef):
                continue
            if found.name in self.public:
                continue
            given = _type_arguments(found.node, base)
            for inherited in self.members(found.node, given):
                members.setdefault(inherited.node.name, inherited)
        return list(members.values())


def _is_described(member: Member) -> bool:
    return not member.doc.startswith(INTERNAL)


def _name(node: ast.expr) -> str:
    """Returns the last name of an expression: `list` for `builtins.list[int]`."""
    if isinstance(node, ast.Subscript):
        return _name(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _type_arguments(generic: ast.ClassDef, base: ast.expr) -> dict[str, str]:
    """Returns the types for the type variables of a class, where it is the base of another one."""
    for own in generic.bases:
        is_generic = isinstance(own, ast.Subscript) and _name(own) == "Generic"
        if is_generic and isinstance(own, ast.Subscript) and isinstance(base, ast.Subscript):
            return {ast.unparse(own.slice): ast.unparse(base.slice).strip("'")}
    return {}


def signature(node: Function, called: str | None = None) -> str:
    """Returns the signature of a function, without `self`; a long one takes a line for each
    parameter. A property is written like an attribute.
    """
    returned = "" if node.returns is None else f" -> {ast.unparse(node.returns)}"
    decorators = {_name(each) for each in node.decorator_list}
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
    if arguments.vararg is not None:
        yield f"*{_parameter(arguments.vararg, None)}"
    elif arguments.kwonlyargs:
        yield "*"
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        yield _parameter(each, default)
    if arguments.kwarg is not None:
        yield f"**{_parameter(arguments.kwarg, None)}"


def _parameter(argument: ast.arg, default: ast.expr | None) -> str:
    text = argument.arg
    if argument.annotation is not None:
        text += f": {ast.unparse(argument.annotation)}"
    if default is None:
        return text
    equals = " = " if argument.annotation is not None else "="
    return f"{text}{equals}{ast.unparse(default)}"


def _code(text: str) -> list[str]:
    return ["```python", *text.splitlines(), "```", ""]


def _wrapped(text: str) -> list[str]:
    return [*textwrap.wrap(text, COLUMNS_MAX, break_on_hyphens=False), ""]


def main() -> None:
    """Writes all pages, and removes those that no longer exist."""
    pages = Reference().pages()
    for old in DOCS.glob("reference/*.md"):
        if str(old.relative_to(DOCS)) not in pages:
            old.unlink()
    for path, text in pages.items():
        (DOCS / path).parent.mkdir(exist_ok=True)
        (DOCS / path).write_text(text, "utf-8")


if __name__ == "__main__":
    main()

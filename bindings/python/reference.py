"""Writes the reference of the Python package, which is made from its signatures and docstrings.

    python bindings/python/reference.py

writes `docs/REFERENCE.md`, the table of contents, and a page for each topic in `docs/reference`.
It reads the source code of the package and does not import it. A name is public if
`restway.__all__` has it. Members whose names begin with an underscore, and those whose docstrings
begin with "For this package", are left out. The members of a class that is not public stand at the
first public class that inherits from it. A docstring that the methods of several classes share
stands at the first of them, to which the others refer.
"""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

from source_text import COLUMNS_MAX, Function, documented, markdown, name_of, signature, text_of

FOLDER = Path(__file__).resolve().parent
PACKAGE = FOLDER / "restway"
DOCS = FOLDER / "docs"

NOTE = "<!-- Written by bindings/python/reference.py from the docstrings of the package. -->"
INTERNAL = "For this package"

#: The pages: a title and the modules whose public names it describes, in this order. A module that
#: is missing here gets a page of its own, called after the module.
TOPICS = {
    "api": ("API documents", ["_api"]),
    "functions": ("Functions of the program for API documents", ["_functions", "_parsing"]),
    "client": ("Clients", ["_client"]),
    "async-client": ("Clients for asyncio", ["_async_client"]),
    "clients": ("Methods of all clients", ["_client_base"]),
    "requests": (
        "Requests and files", ["_request", "_resource", "_base.headers", "_handles.outgoing"]
    ),
    "options": ("Options of requests", ["_body"]),
    "calls": ("Calls", ["_call", "_details"]),
    "responses": ("Responses", ["_response", "_handles"]),
    "objects": ("Objects and drafts", ["_object", "_draft"]),
    "store": ("Stores, queries, observers", ["_store", "_observers"]),
    "pages": ("Pages", ["_pages", "_pages_into"]),
    "scopes": ("Scopes, several clients", ["_scope", "_routing"]),
    "batch": ("Batch sessions", ["_batch"]),
    "streams": ("Streams and events", ["_stream"]),
    "auth": ("Credentials", ["_auth"]),
    "pipeline": ("Modifiers and interceptors", ["_pipeline"]),
    "cache": ("The response cache", ["_cache"]),
    "conflicts": ("Conflicts", ["_conflicts"]),
    "outbox": ("The outbox", ["_outbox", "_outbox_items"]),
    "network": (
        "Connections, time limits, credentials, cookies, rates", ["_network", "_config"]
    ),
    "lifecycle": ("The life of calls", ["_lifecycle"]),
    "exceptions": ("Exceptions", ["_errors"]),
    "status-exceptions": ("Exceptions of single statuses", ["_exceptions"]),
    "library": ("The library", ["_library", "_library.urls", "_ffi.conversion", "_enums"]),
}

#: Classes that clients inherit from, and the clients that do. Their members stand on the page of
#: their own topic.
PARTS_OF_CLIENTS = {
    "AsyncBytesMapping": "AsyncClient",
    "BytesMapping": "Client",
    "ClientAuth": "Client and AsyncClient",
    "ClientBase": "Client and AsyncClient",
    "ClientConflicts": "Client and AsyncClient",
    "ClientNetwork": "Client and AsyncClient",
    "ClientPipeline": "Client and AsyncClient",
    "GivesAwaitedPages": "AsyncClient, AsyncScope and AnyioClient",
    "GivesPages": "Client and Scope",
}

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
    #: The method that it overrides, and whose docstring stands for its own.
    overridden: Member | None = None

    @property
    def source(self) -> Member:
        """The method that has the docstring."""
        if self.overridden is None or text_of(self.node.body):
            return self
        return self.overridden.source

    @property
    def doc(self) -> str:
        return text_of(self.source.node.body)


def definitions() -> dict[str, Definition]:
    """Returns the definitions at the top of all modules by name. Of the modules that know ctypes,
    only the one with Python's values is public.
    """
    found: dict[str, Definition] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        module = module.removesuffix(".__init__")
        if module.startswith("_ffi.") and module != "_ffi.conversion":
            continue
        for name, node, doc in documented(ast.parse(path.read_text("utf-8")).body):
            if name not in found:
                found[name] = Definition(name, module, node, doc)
    return found


def public_names() -> list[str]:
    """Returns the names in `restway.__all__`."""
    return [name for name in exported("__init__") if not name.startswith("__")]


def exported(module: str) -> list[str]:
    """Returns the names in `__all__` of a module, which may contain those of another module."""
    names: list[str] = []
    for node in ast.parse((PACKAGE / f"{module}.py").read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and name_of(node.targets[0]) == "__all__":
            names += ast.literal_eval(node.value)
        elif isinstance(node, ast.AugAssign) and name_of(node.target) == "__all__":
            names += exported(ast.unparse(node.value).removesuffix(".__all__"))
    if not names:
        raise ValueError(f"restway/{module}.py has no __all__")
    return names


class Reference:
    """The reference: what is public, and which page describes it."""

    def __init__(self) -> None:
        self.found = definitions()
        self.public = public_names()
        #: Where the members of a class that is not public are described: the first public class
        #: that has them.
        self._described: dict[str, str] = {}
        #: The class at which the docstring of a method stands that other classes override.
        self._explained: dict[str, str] = {}

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
            lines = _head(title)
            if page == "exceptions":
                module = ast.parse((PACKAGE / "_exceptions.py").read_text("utf-8"))
                lines += [*markdown(text_of(module.body)), ""]
            for name in names:
                lines += self._section(self.found[name])
            for name in self._parts_on(page):
                lines += self._part(self.found[name])
            texts[path] = "\n".join(lines).rstrip("\n") + "\n"
        contents.append("| [Types in signatures](reference/types.md) | |")
        texts["reference/types.md"] = self._types(list(texts.values()))
        texts["REFERENCE.md"] = "\n".join(contents) + "\n"
        return texts

    def _types(self, texts: list[str]) -> str:
        """Returns the page of the types that signatures use, but that are not public."""
        blocks = re.findall(r"^```python\n(.*?)^```$", "\n".join(texts), re.MULTILINE | re.DOTALL)
        used = set(re.findall(r"\b[A-Z]\w+", " ".join(blocks))) - set(self.public)
        lines = _head("Types in signatures")
        lines += ["Signatures use these names for types. They are no members of `restway`.", ""]
        for name in sorted(used & set(self.found)):
            found = self.found[name]
            if found.doc and isinstance(found.node, (ast.Assign, ast.AnnAssign)):
                lines += self._section(found)
        return "\n".join(lines).rstrip("\n") + "\n"

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
        bases = [name_of(base) for base in node.bases]
        members = self.members(node)
        lines = []
        constructor = next((each for each in members if each.node.name == "__init__"), None)
        fields = self._fields(node)
        if constructor is not None and _is_described(constructor):
            lines += _code(_filled(signature(constructor.node, node.name), constructor.types))
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
        for name, statement, doc in documented(node.body):
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
        text = _filled(signature(node), member.types)
        place = self._explained.setdefault(f"{member.source.owner}.{node.name}", owner)
        is_here = place == owner or member.source is member
        doc = markdown(member.doc) if is_here else [f"As `{place}.{node.name}`."]
        return [f"### {owner}.{node.name}", "", *_code(text), *doc, ""]

    def _bases(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """Returns the classes of the package that a class inherits from."""
        found = [self.found.get(name_of(base)) for base in node.bases]
        return [each.node for each in found if each and isinstance(each.node, ast.ClassDef)]

    def members(self, node: ast.ClassDef, types: dict[str, str] | None = None) -> list[Member]:
        """Returns the methods and properties of a class and of the classes below it, without those
        of public ones, which are described there.
        """
        members: dict[str, Member] = {}
        for name, statement, _ in documented(node.body):
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                decorators = {name_of(each) for each in statement.decorator_list}
                if not decorators & {"overload", "setter"}:
                    members.setdefault(name, Member(statement, node.name, types or {}))
        for base in node.bases:
            found = self.found.get(name_of(base))
            if found is None or not isinstance(found.node, ast.ClassDef):
                continue
            if found.name in self.public:
                continue
            given = _type_arguments(found.node, base)
            for inherited in self.members(found.node, given):
                member = members.setdefault(inherited.node.name, inherited)
                is_public = not inherited.node.name.startswith("_")
                if is_public and member is not inherited and member.overridden is None:
                    member.overridden = inherited
        return list(members.values())


def _is_described(member: Member) -> bool:
    return not member.doc.startswith(INTERNAL)


def _filled(text: str, types: dict[str, str]) -> str:
    """Returns a signature with types in place of type variables."""
    for variable, given in types.items():
        text = re.sub(rf"\b{variable}\b", given, text)
    return text


def _type_arguments(generic: ast.ClassDef, base: ast.expr) -> dict[str, str]:
    """Returns the types for the type variables of a class, where it is the base of another one."""
    for own in generic.bases:
        is_generic = isinstance(own, ast.Subscript) and name_of(own) == "Generic"
        if is_generic and isinstance(own, ast.Subscript) and isinstance(base, ast.Subscript):
            return {ast.unparse(own.slice): ast.unparse(base.slice).strip("'")}
    return {}


def _head(title: str) -> list[str]:
    return [f"# {title}", "", NOTE, "", "Back to the [contents](../REFERENCE.md).", ""]


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

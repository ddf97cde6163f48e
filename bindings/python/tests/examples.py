"""The examples in the pages of `bindings/python/docs`, and how they are run.

A page has files, programs, shell commands and what they print, each as a block of code:

- The paragraph before a `json` or `ini` block, or before a `python` block that is only a file, ends
  with the name of the file, as in "Save this as `tracker.json`:".
- The other `python` blocks of an example are one program, in their order.
- A `text` block is what the block before it prints. "..." stands there for any text.
- An `sh` block is a command if a `text` block follows; otherwise the reader alone runs it. Commands
  run before the program.

An example is a whole page if its programs continue each other (`WHOLE_PAGES`), and otherwise a
section of a page.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
TOOLS = Path(__file__).resolve().parents[3] / "tools" / "restway-tools"
WHOLE_PAGES = {"CONCURRENCY.md", "PROGRESS.md", "QUICKSTART.md", "TUTORIAL.md", "VALUES.md"}

SERVER = "http://127.0.0.1:8080"
"""The server of the pages, in whose place the tests use a server on a free port."""

_BLOCK = re.compile(r"(?P<before>[^\n]*)\n+```(?P<language>\w+)\n(?P<code>.*?)^```$", re.M | re.S)
_NAMED = re.compile(r"`([\w.-]+\.(?:ini|json|py))`:$")
_MODULE_FILE = re.compile(r"(\w+)\.py\b")
_TOOLS = {"mypy", "pytest"}
_END_OF_OUTPUT = "\x1e\n"

_RUNNER = """
import json, sys
blocks = json.load(sys.stdin)
names = {"__name__": "__main__"}
for number, code in enumerate(blocks):
    exec(compile(code, f"<block {number}>", "exec"), names)
    print(end="\\x1e\\n", flush=True)
"""


@dataclass
class Block:
    """A program or a command, and what it prints."""

    language: str
    code: str
    expected: str | None = None


@dataclass
class Example:
    """Files, and blocks that are run in their order."""

    name: str
    files: dict[str, str] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)

    @property
    def programs(self) -> list[Block]:
        return [block for block in self.blocks if block.language == "python"]

    @property
    def commands(self) -> list[Block]:
        commands = [block for block in self.blocks if block.language == "sh"]
        return [block for block in commands if block.expected is not None]

    @property
    def modules(self) -> set[str]:
        """The names of the modules that the example needs: those that its programs and files import
        or its commands run, without those that its files are or its commands make.
        """
        commands = "\n".join(block.code for block in self.commands)
        found = _TOOLS & set(commands.split())
        texts = [text for name, text in self.files.items() if name.endswith(".py")]
        for text in [*texts, *(block.code for block in self.programs)]:
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Import):
                    found |= {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module:
                    found.add(node.module.partition(".")[0])
        return found - set(_MODULE_FILE.findall("\n".join([commands, *self.files])))


def pages() -> list[Path]:
    """Returns the pages whose examples are run; the reference is made from docstrings."""
    return sorted([*DOCS.glob("*.md"), *DOCS.glob("cookbook/*.md")])


def examples() -> Iterator[Example]:
    """Returns the examples of all pages."""
    for page in pages():
        name, text = str(page.relative_to(DOCS)), page.read_text("utf-8")
        if page.name in WHOLE_PAGES:
            parts = {name: text}
        else:
            sections = re.split(r"^## ", text, flags=re.M)
            parts = {f"{name}, {part.splitlines()[0]}": part for part in sections}
        for title, part in parts.items():
            example = _example(title, part)
            if example.blocks:
                yield example


def _example(name: str, text: str) -> Example:
    example = Example(name)
    for match in _BLOCK.finditer(text):
        language, code = match["language"], match["code"]
        named = _NAMED.search(match["before"])
        if named:
            example.files[named[1]] = code
        elif language in ("ini", "json"):
            raise ValueError(f"{name}: no file name before {code[:40]!r}")
        elif language == "text":
            example.blocks[-1].expected = code
        else:
            example.blocks.append(Block(language, code))
    return example


def run(example: Example, server: str, folder: Path, package: Path) -> list[tuple[Block, str]]:
    """Runs an example against a server, and returns each block with what it has printed.

    Raises AssertionError if a program or a command fails, or writes to standard error. Only tqdm
    may write there: it draws its bar.
    """
    may_write_errors = "tqdm" in example.modules
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join(
            [str(package), str(TOOLS), os.environ.get("PYTHONPATH", "")]
        ),
        "PYTHONIOENCODING": "utf-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        # The tests run without the installed package, so these tools are told where its parts are.
        "MYPYPATH": str(package),
        "PYTEST_PLUGINS": "restway.testing.plugin",
    }

    def output_of(command: list[str], given: str = "") -> str:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            input=given,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
        )
        is_quiet = may_write_errors or not done.stderr
        assert done.returncode == 0 and is_quiet, done.stdout + done.stderr
        return done.stdout.replace(server, SERVER)

    for name, text in example.files.items():
        (folder / name).write_text(text.replace(SERVER, server), "utf-8")
    results: list[tuple[Block, str]] = []
    for block in example.commands:
        command = block.code.replace(SERVER, server)
        results.append((block, output_of(["bash", "-e", "-c", command])))
    if example.programs:
        codes = [block.code.replace(SERVER, server) for block in example.programs]
        printed = output_of([sys.executable, "-c", _RUNNER], json.dumps(codes))
        results += zip(example.programs, printed.split(_END_OF_OUTPUT))
    return results

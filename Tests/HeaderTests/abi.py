"""The ABI as `abidw` describes it, and how a later one differs.

    abi.py write      writes the description of the headers in Include
    abi.py compare    prints how these headers differ from it; fails for what may not change

The library itself has no description of its types, because Swift's compiler writes none for C. So a
library is compiled from the headers alone, with a body for each function that is never called. The
tests of the headers compare the functions of the headers with the exports of the real library.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from tree import INCLUDE, run

FOLDER = Path(__file__).resolve().parent / "abi"
#: The description of version 0.1.0, the first one whose ABI is kept.
DESCRIPTION = FOLDER / "librestway.so.0.abi"
#: Changes that are allowed beside new functions: docs/ABI.md lists them.
ALLOWED = FOLDER / "allowed.ini"

#: A function of the library, or the one that a plugin defines.
_FUNCTION = re.compile(
    r"^(?:RESTWAY_API\s+(?:RESTWAY_MUST_USE\s+)?|(?=int32_t restway_plugin_v1))"
    r"(?P<head>[\w\s]+?[\s*]+restway_\w+)\s*\((?P<parameters>[^;{}]*)\)\s*;",
    re.MULTILINE,
)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
#: The bits of abidiff's status for errors and for changes.
_ERRORS, _CHANGES = 1 | 2, 4 | 8


def stub(include: Path) -> str:
    """Returns a C file that defines every function of the headers in a folder. The function that
    plugins define is among them, so their structs are in the description, too.
    """
    texts = [_COMMENT.sub(" ", path.read_text()) for path in sorted(include.glob("restway/*.h"))]
    found = [match for text in texts for match in _FUNCTION.finditer(text)]
    bodies = "".join(f"{m['head']}({m['parameters']}) {{ __builtin_trap(); }}\n" for m in found)
    return f"#include <restway/restway.h>\n#include <restway/plugin.h>\n{bodies}"


def describe(include: Path, description: Path) -> None:
    """Writes the description of the headers in a folder."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "stub.c"), Path(folder, "librestway.so.0")
        source.write_text(stub(include))
        compiled = run(
            "cc", "-std=c11", "-w", "-g", "-fPIC", "-shared", "-nostdlib", f"-I{include}", source,
            f"-Wl,-soname,{library.name}", f"-fdebug-prefix-map={folder}=.", "-o", library,
        )
        if compiled.returncode != 0:
            sys.exit(f"the headers do not compile:\n{compiled.stderr}")
        made = run(
            "abidw", "--headers-dir", include, "--drop-private-types", "--no-corpus-path",
            "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed", "--type-id-style", "hash",
            "--out-file", description, library,
        )
        if made.returncode != 0:
            sys.exit(f"abidw failed:\n{made.stdout}{made.stderr}")


def compare(old: Path, new: Path) -> tuple[bool, str]:
    """Tells whether the later ABI keeps the earlier one, and how it differs."""
    # A struct that only contains or leads to a changed one would count as allowed: each is judged
    # on its own.
    options: list[str | Path] = ["--leaf-changes-only", "--suppressions", ALLOWED]
    judged = run("abidiff", "--no-added-syms", *options, old, new)
    shown = run("abidiff", *options, old, new)
    if (judged.returncode | shown.returncode) & _ERRORS:
        sys.exit(f"abidiff failed:\n{judged.stderr}{shown.stderr}")
    return judged.returncode & _CHANGES == 0, shown.stdout


def main(verb: str) -> None:
    if verb == "write":
        describe(INCLUDE, DESCRIPTION)
        return
    with tempfile.TemporaryDirectory() as folder:
        present = Path(folder, "present.abi")
        describe(INCLUDE, present)
        is_kept, difference = compare(DESCRIPTION, present)
    print(difference.strip() or "The ABI is the same.")
    if not is_kept:
        sys.exit("The ABI has changed in a way that docs/ABI.md does not allow.")


if __name__ == "__main__":
    main(sys.argv[1])

"""How the C interface differs from the one that the changelog knows.

    abi.py compare    prints the difference

This is the interface of the last release. Before version 0.1.0 is released, it is the interface of
the last commit that changed the changelog. Include/restway.api.json describes the interface with
one line for each item, so the difference of two such files is readable. Documentation is left out.
Before version 0.1.0 is released, a difference is not a failure (docs/ABI.md).
"""

from __future__ import annotations

import difflib
import json
import re
import sys

from interface import without_docs
from tree import INCLUDE, ROOT, run

INTERFACE = INCLUDE / "restway.api.json"
_RELEASE = re.compile(r"v?\d+\.\d+\.\d+")


def last_release() -> str | None:
    """Returns the tag of the last release; None if nothing was released."""
    tags = run("git", "tag", "--list", "--sort=-v:refname", "--merged", cwd=ROOT).stdout.split()
    return next((tag for tag in tags if _RELEASE.fullmatch(tag)), None)


def difference(old: str, new: str) -> str:
    """Returns the lines that two descriptions of the interface do not share; empty if they are the
    same.
    """
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0))
    return "\n".join(line for line in lines[2:] if not line.startswith("@@"))


def known() -> str | None:
    """Returns the release or the commit whose interface the changelog knows; None outside of a
    repository.
    """
    written = run("git", "log", "-1", "--format=%h", "--", "CHANGELOG.md", cwd=ROOT).stdout.strip()
    return last_release() or written or None


def report() -> str:
    """Says how the interface differs from the one that the changelog knows."""
    revision = known()
    if revision is None:
        return "The C interface: there is no earlier one."
    earlier = run("git", "show", f"{revision}:{INTERFACE.relative_to(ROOT)}", cwd=ROOT).stdout
    changes = difference(_compared(earlier), _compared(INTERFACE.read_text()))
    if not changes:
        return f"The C interface is the same as that of {revision}."
    return f"The C interface differs from that of {revision}. List it in CHANGELOG.md:\n{changes}"


def _compared(text: str) -> str:
    return "\n".join(map(_without_docs, text.splitlines()))


def _without_docs(line: str) -> str:
    """Takes the documentation out of a line, which is an item or a pair of a name and an item."""
    bare = line.strip().removesuffix(",")
    for before, after in (("", ""), ("{", "}")):
        try:
            item = json.loads(before + bare + after)
        except ValueError:
            continue
        kept = json.dumps(without_docs(item))
        return line.replace(bare, kept.removeprefix(before).removesuffix(after))
    return line


if __name__ == "__main__":
    if sys.argv[1:] != ["compare"]:
        sys.exit(__doc__)
    print(report())

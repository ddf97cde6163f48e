"""Writes the last column of the tables of figures in the documents: the measured ratios."""

from __future__ import annotations

import json
import re
from pathlib import Path

from .programs import ROOT

_FIGURES = ROOT / "docs" / "performance" / "README.md"
_OTHERS = (ROOT / "README.md", ROOT / "docs" / "performance" / "missed.md")
_NAME = re.compile(r"`([a-z0-9_]+(?:\.[a-z0-9_]+)+)`")


def write(results: Path) -> None:
    """Writes the ratios of the list of figures. Rows with figures that the list does not have stay
    as they are.
    """
    ratios = {row["name"]: f"{row['ratio']:.2f}" for row in json.loads(results.read_text("utf-8"))}
    for path in (_FIGURES, *_OTHERS):
        lines = path.read_text("utf-8").splitlines()
        text = "\n".join(_with_ratios(line, ratios) for line in lines) + "\n"
        path.write_text(text, "utf-8")
    missing = ratios.keys() - set(_NAME.findall(_FIGURES.read_text("utf-8")))
    if missing:
        raise SystemExit(f"{_FIGURES} has no row for {', '.join(sorted(missing))}")


def _with_ratios(line: str, ratios: dict[str, str]) -> str:
    names = _NAME.findall(line.split("|")[1]) if line.startswith("| `") else []
    if not names or not ratios.keys() >= set(names):
        return line
    others = line.rstrip(" |").rpartition("|")[0]
    return f"{others}| {', '.join(ratios[name] for name in names)} |"

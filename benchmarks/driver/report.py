"""Prints and stores figures."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from .figure import Figure

_ROW = "{:56} {:>12} {:5}  {:>12}  {:>6}  {:>13}  {:>7}  {:6}  {}"


def header() -> str:
    return _ROW.format(
        "figure", "value", "", "reference", "ratio", "(all pairs)", "target", "", "compared with"
    )


def row(figure: Figure) -> str:
    return _ROW.format(
        figure.name, _number(figure.value), figure.unit, _number(figure.reference_value),
        f"{figure.ratio:.2f}", f"({figure.ratios[0]:.2f}-{figure.ratios[-1]:.2f})",
        str(figure.target or ""), figure.verdict, figure.reference,
    )


def write(figures: Iterable[Figure], path: Path, keeps_others: bool) -> None:
    """Writes the list of figures that other programs read.

    Args:
        figures: What was measured.
        path: The file of the list.
        keeps_others: Rows of other figures stay as they were, as only a part was measured.
    """
    rows = [
        {
            "name": figure.name,
            "value": round(figure.value, 3),
            "unit": figure.unit,
            "reference": figure.reference,
            "reference_value": round(figure.reference_value, 3),
            "ratio": round(figure.ratio, 4),
        }
        for figure in figures
    ]
    if keeps_others and path.exists():
        measured = {row["name"]: row for row in rows}
        known = json.loads(path.read_text(encoding="utf-8"))
        kept = [measured.pop(row["name"], row) for row in known]
        rows = kept + list(measured.values())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:,.1f}"

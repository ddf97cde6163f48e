"""Writes the API document of an OpenAPI description: `python -m restway_tools.openapi FILE`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .checking import CheckResult, check
from .importer import Imported, import_openapi
from .overrides import Overrides, read_overrides
from .reading import ReadError

_SHARE = 95.0
"""Which share of the values of a check arrives at least, in percent."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status: 1 for a file that cannot be read or written, and
    for a check that fails, 2 for wrong arguments.
    """
    given = _parser().parse_args(arguments)
    try:
        overrides = read_overrides(given.overrides) if given.overrides else Overrides()
        imported = import_openapi(given.file, overrides)
    except ReadError as error:
        print(f"restway-openapi: {error}", file=sys.stderr)
        return 1
    result = check(imported) if given.check else None
    try:
        _write(imported, result, given)
    except OSError as error:
        print(f"restway-openapi: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    return 1 if result is not None and _is_bad(result, given.share) else 0


def _is_bad(result: CheckResult, percent: float) -> bool:
    """Returns whether a check fails, and prints why if it is the share of the values."""
    if result.share is not None and result.share * 100 < percent:
        print(
            f"restway-openapi: {result.share:.2%} of the values arrived, less than {percent:g}%",
            file=sys.stderr,
        )
        return True
    return bool(result.problems or result.failures)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="restway-openapi",
        description="Writes the API document of a description of OpenAPI 3.0 or 3.1, or of "
        "Swagger 2, and reports all that was bent, merged or left out.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="the description: JSON or YAML")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE",
        help="the API document; without it and without --check, standard output",
    )  # fmt: skip
    parser.add_argument(
        "--report", type=Path, metavar="FILE",
        help="the report: JSON if the name ends with .json, else text; "
        "without it, standard error",
    )  # fmt: skip
    parser.add_argument(
        "--overrides", type=Path, metavar="FILE", help="what the importer would get wrong"
    )
    parser.add_argument(
        "--check", action="store_true",
        help="call every operation by name, answered with its examples, and compare the objects",
    )  # fmt: skip
    parser.add_argument(
        "--share", type=float, default=_SHARE, metavar="PERCENT",
        help="with --check, the share of the values that have to arrive; by default %(default)s",
    )  # fmt: skip
    return parser


def _write(imported: Imported, result: CheckResult | None, given: argparse.Namespace) -> None:
    document = json.dumps(imported.document, ensure_ascii=False, indent=2) + "\n"
    if given.output is not None:
        given.output.write_text(document, "utf-8")
    elif result is None:
        sys.stdout.write(document)
    if given.report is None:
        sys.stderr.write(imported.report.to_text())
    elif given.report.suffix == ".json":
        report: dict[str, Any] = imported.report.to_json()
        if result is not None:
            report["check"] = result.to_json()
        given.report.write_text(json.dumps(report, ensure_ascii=False, indent=2) + "\n", "utf-8")
    else:
        given.report.write_text(imported.report.to_text(), "utf-8")
    if result is not None:
        sys.stdout.write(result.to_text())


if __name__ == "__main__":
    sys.exit(main())

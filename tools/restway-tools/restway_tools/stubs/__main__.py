"""Writes the types of an API document: `python -m restway_tools.stubs DOCUMENT`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from restway import API, RestwayError

from .c import write_c_header
from .classes import KINDS, write_classes
from .cpp import write_header
from .model import Document, document_of
from .python import write_module
from .swift import write_source


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status: 1 for a document that cannot be read, 2 for wrong
    arguments.
    """
    parser = argparse.ArgumentParser(
        prog="restway-stubs",
        description="Writes a Python module with the types of an API document: its entities, "
        "routes, variables and drafts. With --classes it writes classes of its entities for "
        "`into=`. With --swift it writes the same as Swift source, and with "
        "--c or --cpp a header of C or C++ with its entities.",
    )
    parser.add_argument("document", metavar="DOCUMENT", help="the path of the API document")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="the file; without it, standard output"
    )
    parser.add_argument(
        "--pyi",
        action="store_true",
        help="write a stub file (.pyi) in place of a module, as for an output that ends with .pyi",
    )
    parser.add_argument(
        "--classes",
        choices=KINDS,
        help="write a module with a class for each entity, for `into=`: dataclasses, Structs of "
        "msgspec, models of pydantic or subclasses of TypedDict",
    )
    parser.add_argument(
        "--swift",
        action="store_true",
        help="write a Swift file with a struct for each entity and for its drafts, and the routes; "
        "as for an output that ends with .swift",
    )
    parser.add_argument(
        "--cpp",
        action="store_true",
        help="write a C++ header with a struct for each entity, in a namespace with the name of "
        "the output or of the document",
    )
    parser.add_argument(
        "--c",
        action="store_true",
        help="write a C header with a struct and a table of fields for each entity; their names "
        "begin with the name of the output or of the document",
    )
    given = parser.parse_args(arguments)
    if sum(map(bool, (given.c, given.cpp, given.swift, given.pyi, given.classes))) > 1:
        parser.error(
            "--c, --cpp, --swift, --pyi and --classes are different outputs: run the command for "
            "each"
        )
    try:
        document = document_of(API.load(given.document))
    except RestwayError as error:
        for problem in getattr(error, "details", []):
            print(f"{given.document}: {problem.path}: {problem.message}", file=sys.stderr)
        print(f"restway-stubs: {given.document}: {error}", file=sys.stderr)
        return 1
    text = _written(document, given)
    if given.output is None:
        sys.stdout.write(text)
        return 0
    try:
        given.output.write_text(text, "utf-8")
    except OSError as error:
        print(f"restway-stubs: {given.output}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


def _written(document: Document, given: argparse.Namespace) -> str:
    """Returns the text that the arguments ask for."""
    if given.c or given.cpp:
        named = Path(given.document) if given.output is None else given.output
        write = write_c_header if given.c else write_header
        return write(document, named.name.partition(".")[0])
    if given.classes:
        return write_classes(document, given.classes)
    if given.swift or (given.output is not None and given.output.suffix == ".swift"):
        return write_source(document)
    is_stub = given.pyi or (given.output is not None and given.output.suffix == ".pyi")
    return write_module(document, is_stub=is_stub)


if __name__ == "__main__":
    sys.exit(main())

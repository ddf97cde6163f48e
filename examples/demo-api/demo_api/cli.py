"""The command line, and the start and stop of the process."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Callable

from .database import Database
from .resources.crud import BASE
from .routes import route_table
from .server import HOST, Server

BODY_BYTES_MAX = 16 * 1024 * 1024
COMPANIES_MAX = 1_000_000
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def _count(minimum: int, maximum: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        value = int(text)
        if not minimum <= value <= maximum:
            raise argparse.ArgumentTypeError(f"must be from {minimum} to {maximum}")
        return value

    return number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="demo-api", description="Serves the demo API on 127.0.0.1 and prints its base URL."
    )
    parser.add_argument(
        "--port", type=_count(0, 65535), default=0, help="0, the default, takes any free port"
    )
    parser.add_argument("--seed", type=int, default=1, help="selects the sample data (1)")
    parser.add_argument(
        "--companies", type=_count(0, COMPANIES_MAX), default=300, help="how many to make (300)"
    )
    parser.add_argument(
        "--max-body-bytes",
        type=_count(0, 1 << 40),
        default=BODY_BYTES_MAX,
        help=f"larger request bodies get 413 ({BODY_BYTES_MAX})",
    )
    parser.add_argument(
        "--exit-with-stdin", action="store_true", help="stop when standard input ends"
    )
    parser.add_argument("--verbose", action="store_true", help="log requests to standard error")
    return parser


def _stop_with_stdin() -> None:
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serves until it is told to stop; returns the exit status."""
    options = _parser().parse_args(arguments)
    # The signals are blocked before the first thread starts, so that all threads leave them to
    # sigwait() below.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    if options.exit_with_stdin:
        threading.Thread(target=_stop_with_stdin, daemon=True).start()
    table = route_table(Database(options.seed, options.companies))
    try:
        server = Server(table, options.port, options.max_body_bytes, options.verbose)
    except OSError as error:
        print(f"demo-api: cannot listen on port {options.port}: {error}", file=sys.stderr)
        return 1
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://{HOST}:{server.port}/{BASE}", flush=True)
    signal.sigwait(STOP_SIGNALS)
    server.close()
    return 0

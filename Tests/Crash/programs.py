"""Compiles the victim, and the library that is preloaded to kill it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).parent
FLAGS = ["-g", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread"]


@dataclass(frozen=True)
class Programs:
    victim: Path
    interrupt: Path


def compile_programs(folder: Path) -> Programs:
    """The victim is linked to the staged library, as pkg-config finds it."""
    found = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "restway"], check=True, capture_output=True, text=True
    )
    programs = Programs(folder / "victim", folder / "interrupt.so")
    victim, interrupt = str(SOURCES / "victim.c"), str(SOURCES / "interrupt.c")
    _compile(victim, "-std=c99", "-D_GNU_SOURCE", "-o", str(programs.victim), *found.stdout.split())
    _compile(interrupt, "-shared", "-fPIC", "-o", str(programs.interrupt), "-ldl")
    return programs


def _compile(source: str, *flags: str) -> None:
    subprocess.run(["cc", *FLAGS, source, *flags], check=True)

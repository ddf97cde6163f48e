"""The source tree, compilers, and an installed Restway."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "Include"
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror"]

#: (compiler, standard); gcc 12 and older call C23 c2x.
C_DIALECTS = [(cc, std) for cc in ("gcc", "clang") for std in ("c99", "c11", "c17", "c2x")]
CXX_DIALECTS = [
    (cxx, std) for cxx in ("g++", "clang++") for std in ("c++11", "c++14", "c++17", "c++20")
]


def run(
    *command: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None,
    timeout_seconds: float = 120,
) -> subprocess.CompletedProcess[str]:
    """Runs a command; the caller checks the result."""
    return subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **(env or {})},
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_seconds,
        check=False,
    )


def output(*command: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None) -> str:
    """Returns the output of a command; if it fails, the test fails with the whole output."""
    result = run(*command, env=env, cwd=cwd)
    assert result.returncode == 0, (
        f"{' '.join(str(word) for word in command)} gave {result.returncode}\n"
        f"{result.stdout}{result.stderr}"
    )
    return result.stdout


def language(compiler: str) -> str:
    """The language that a compiler assumes for its input, whatever the file's name is."""
    return "c++" if compiler.endswith("++") else "c"


@dataclass(frozen=True)
class Stage:
    """Restway, installed below `prefix`."""

    prefix: Path

    @property
    def library(self) -> Path:
        return self.prefix / "lib" / "librestway.so"

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a program that uses this Restway, and of the Python packages."""
        packages = (ROOT / "bindings" / "python", ROOT / "tools" / "restway-tools")
        return {
            "PKG_CONFIG_PATH": str(self.prefix / "lib" / "pkgconfig"),
            "LD_LIBRARY_PATH": str(self.prefix / "lib"),
            "RESTWAY_LIBRARY": str(self.library),
            "PYTHONPATH": os.pathsep.join(map(str, packages)),
        }

    def pkg_config(self, *words: str) -> list[str]:
        return output("pkg-config", *words, "restway", env=self.environment).split()

    def compile(
        self, compiler: str, standard: str, source: Path, program: Path, *others: str,
        words: Sequence[str] = (),
    ) -> None:
        """Compiles like any program, with the flags of pkg-config for Restway and `others`."""
        output(
            compiler, f"-std={standard}", *STRICT, *words, "-x", language(compiler), source,
            "-o", program, *self.pkg_config("--cflags", "--libs", *others),
        )

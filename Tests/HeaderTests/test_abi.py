"""A change of the C interface is shown."""

from __future__ import annotations

import json
from pathlib import Path

import abi
import pytest
from tree import output, run

_OLD = abi.INTERFACE.read_text()


def test_the_same_interface_has_no_difference() -> None:
    assert abi.difference(_OLD, _OLD) == ""


def test_a_changed_function_is_shown_and_nothing_else() -> None:
    line = next(line for line in _OLD.splitlines() if '"name": "restway_abi_version"' in line)
    other = line.replace('"result": "int32_t"', '"result": "int64_t"')
    assert other != line
    assert abi.difference(_OLD, _OLD.replace(line, other)) == f"-{line}\n+{other}"
    assert abi.difference(_OLD, _OLD.replace(line + "\n", "")) == f"-{line}"


def _released(folder: Path, text: str) -> None:
    """Makes a repository whose commit has the interface `text`."""
    path = folder / "Include" / "restway.api.json"
    path.parent.mkdir()
    path.write_text(text)
    author = ["-c", "user.name=a", "-c", "user.email=a@b.test"]
    output("git", "init", "-q", folder)
    output("git", "add", ".", cwd=folder)
    output("git", *author, "commit", "-q", "--no-verify", "-m", "a", cwd=folder)


def test_the_last_release_is_compared_with_the_present_headers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(abi, "ROOT", tmp_path)
    monkeypatch.setattr(abi, "INTERFACE", tmp_path / "Include" / "restway.api.json")
    _released(tmp_path, json.dumps({"abi": 0}))
    output("git", "tag", "before-the-first", cwd=tmp_path)
    assert abi.report() == "The C interface: nothing was released that it could differ from."
    for tag in ("0.2.0", "v0.10.0"):
        output("git", "tag", tag, cwd=tmp_path)
    assert abi.report() == "The C interface is the same as that of v0.10.0."
    abi.INTERFACE.write_text(json.dumps({"abi": 1}))
    assert abi.report() == (
        "The C interface differs from that of v0.10.0. The changelog lists it:\n"
        '-{"abi": 0}\n+{"abi": 1}'
    )


def test_the_difference_is_printed_and_does_not_fail() -> None:
    shown = run("python3", abi.__file__, "compare")
    assert (shown.returncode, shown.stdout.strip()) == (0, abi.report())

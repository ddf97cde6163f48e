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


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that `abi` takes for the project, without a commit."""
    monkeypatch.setattr(abi, "ROOT", tmp_path)
    monkeypatch.setattr(abi, "INTERFACE", tmp_path / "Include" / "restway.api.json")
    abi.INTERFACE.parent.mkdir()
    output("git", "init", "-q", tmp_path)
    return tmp_path


def _commit(repository: Path, number: int, changelog: str) -> None:
    """Commits an interface and a changelog."""
    abi.INTERFACE.write_text(json.dumps({"abi": number}))
    (repository / "CHANGELOG.md").write_text(changelog)
    author = ["-c", "user.name=a", "-c", "user.email=a@b.test"]
    output("git", "add", ".", cwd=repository)
    output("git", *author, "commit", "-q", "--no-verify", "-m", "a", cwd=repository)


def _differs(shown: str) -> bool:
    return shown.endswith('. List it in CHANGELOG.md:\n-{"abi": 0}\n+{"abi": 1}')


def test_before_a_release_the_changelog_says_what_is_known(repository: Path) -> None:
    assert abi.report() == "The C interface: there is no earlier one."
    _commit(repository, 0, "first")
    output("git", "tag", "before-the-first", cwd=repository)
    assert abi.report().startswith("The C interface is the same as that of ")
    _commit(repository, 1, "first")
    assert _differs(abi.report())
    _commit(repository, 1, "second")
    assert abi.report().startswith("The C interface is the same as that of ")


def test_the_last_release_is_compared_with_the_present_headers(repository: Path) -> None:
    _commit(repository, 0, "first")
    for tag in ("0.2.0", "v0.10.0"):
        output("git", "tag", tag, cwd=repository)
    assert abi.report() == "The C interface is the same as that of v0.10.0."
    _commit(repository, 1, "second")
    assert abi.report().startswith("The C interface differs from that of v0.10.0.")
    assert _differs(abi.report())


def test_the_difference_is_printed_and_does_not_fail() -> None:
    shown = run("python3", abi.__file__, "compare")
    assert (shown.returncode, shown.stdout.strip()) == (0, abi.report())

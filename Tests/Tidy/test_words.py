"""Words and characters that do not belong in the repository."""

from __future__ import annotations

import re
from pathlib import Path

from source_tree import ROOT, expect_none, files, lines_of, name_of, text_files

# The patterns are composed here, so that they do not find themselves.
_OPEN_ENDS = re.compile(r"\b(?:TO" + "DO|FIX" + "ME|X" + "XX|HA" + r"CK)\b")
_MACHINE_PATHS = re.compile(r"(?<![\w.:/$}*-])/(?:ho" + r"me|ro" + r"ot|wo" + r"rk|Us" + r"ers)/\w")
_PRIVATE_HOSTS = re.compile(
    r"https?://[\w.-]*(?:artif" + r"actory|nex" + r"us|jf" + r"rog|\.int" + r"ernal|\.co" + r"rp\b"
    r"|\.la" + r"n\b)|--(?:extra-)?index-u" + r"rl"
)
_SLEEPS = re.compile(
    r"\b(?:u|nano|clock_nano)?sle" + r"ep\s*\((?!0\))|(?:Thread|Task|asyncio|time)\.sle" + r"ep\b"
    r"|\bfrom time import\b[^\n]*\bsle" + r"ep\b"
)
_VAGUE_FOLDERS = {"utils", "util", "helpers", "helper", "common", "misc", "managers", "manager"}


def _lines_with(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    return [
        f"{name_of(path)}:{number}: {line.strip()}"
        for path in paths
        for number, line in enumerate(lines_of(path), start=1)
        if pattern.search(line)
    ]


def test_no_open_ends() -> None:
    expect_none(_lines_with(_OPEN_ENDS, text_files()))


def test_no_machine_paths() -> None:
    expect_none(_lines_with(_MACHINE_PATHS, text_files()))


def test_no_private_hosts() -> None:
    expect_none(_lines_with(_PRIVATE_HOSTS, text_files()))


def test_tests_do_not_sleep() -> None:
    tests = [
        path
        for path in text_files()
        if path.suffix in {".swift", ".c", ".h", ".cpp", ".hpp", ".py"}
        and (ROOT / "Tests" in path.parents or "tests" in path.parts)
    ]
    expect_none(_lines_with(_SLEEPS, tests))


def test_comments_begin_with_their_subject() -> None:
    """A comment that begins with "What" has no subject: it is half of a sentence."""
    pattern = re.compile(r"(?:^\s*(?://+|#:?|r?\"{3})|/\*\*?<?) ?(?:What|Who|Whose)\b")
    folders = {"Sources", "Include", "Plugins", "bindings", "tools"}
    suffixes = {".swift", ".h", ".hpp", ".c", ".cpp", ".py"}
    paths = [
        path
        for path in text_files()
        if path.suffix in suffixes
        and path.relative_to(ROOT).parts[0] in folders
        and "tests" not in path.parts
    ]
    expect_none(_lines_with(pattern, paths))


def test_no_trailing_whitespace() -> None:
    expect_none(_lines_with(re.compile(r"[ \t\r]$"), text_files()))


def test_no_tabs_but_in_makefiles() -> None:
    # Debian's packages want a makefile of the name "rules".
    names = {"Makefile", "rules", ".gitmodules"}
    paths = [path for path in text_files() if path.name not in names and path.suffix != ".mk"]
    expect_none(_lines_with(re.compile("\t"), paths))


def test_files_end_with_one_line_end() -> None:
    expect_none(
        name_of(path)
        for path in text_files()
        if path.stat().st_size > 0
        and (lines_of(path)[-1] != "" or (len(lines_of(path)) > 1 and lines_of(path)[-2] == ""))
    )


def test_the_licence_stands_in_one_place() -> None:
    pattern = re.compile(r"Copy" + r"right|SP" + r"DX-L")
    # The copyright file of Debian's packages names the licences of others, too.
    paths = [path for path in text_files() if path.name not in ("LICENSE", "copyright")]
    expect_none(_lines_with(pattern, paths))


def test_headers_have_guards() -> None:
    wrong = []
    for path in text_files():
        if path.suffix not in {".h", ".hpp"}:
            continue
        guard = re.search(r"^#ifndef (\w+)\n#define (\w+)$", path.read_text(), re.MULTILINE)
        if not guard or guard[1] != guard[2] or not guard[1].startswith(("RESTWAY_", "C")):
            wrong.append(name_of(path))
    expect_none(wrong)


def test_folders_are_nouns_of_the_domain() -> None:
    folders = {parent for path in files() for parent in path.relative_to(ROOT).parents}
    expect_none(str(folder) for folder in folders if folder.name.lower() in _VAGUE_FOLDERS)


def test_scripts_can_be_run() -> None:
    scripts = [path for path in text_files() if lines_of(path)[0].startswith("#!")]
    expect_none(name_of(path) for path in scripts if not path.stat().st_mode & 0o100)


def test_no_text_says_that_a_completion_always_runs() -> None:
    """A call completes exactly once; its `done` does not run if the program drops the notice."""
    pattern = re.compile(r"(?:done|ended|flushed|callback)\W.{0,60}exactly once", re.IGNORECASE)
    public = [ROOT / name for name in ("Include", "docs", "bindings/python/docs")]
    paths = [
        path
        for path in text_files()
        if path.name == "README.md"
        or any(folder in path.parents for folder in public)
        or ROOT / "bindings" / "python" / "restway" in path.parents
        or ROOT / "tools" / "restway-tools" in path.parents
    ]
    wrong = []
    for path in paths:
        for sentence in re.split(r"(?<=[.:;])\s", " ".join(path.read_text().split())):
            if pattern.search(sentence) and "destroy" not in sentence:
                wrong.append(f"{name_of(path)}: {sentence[:100]}")
    expect_none(wrong)

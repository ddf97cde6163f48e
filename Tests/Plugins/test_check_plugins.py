"""restway-plugin-check finds plugins that start, describe themselves or take options wrongly. It
accepts plugins of other versions, and the plugins that ship.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from checker import check, compile_bad, faults_of, run_tool

#: The check that fails, and words of its reason.
FINDINGS: dict[str, tuple[str, str]] = {
    "DOES_NOT_START": ("plugin.starts", "does not start: the stars are wrong"),
    "CRASHES_AT_START": ("plugin.starts", "crashes: Aborted; while it starts"),
    "USES_EXCHANGES": ("plugin.starts", "calls exchange_rewind of the host that it was started"),
    "OTHER_MAJOR": ("plugin.version", "made for version 2.0 of the plugin interface; 1.x fits"),
    "READS_BEHIND_HOST": ("plugin.older-host", "using memory after the host's table"),
    "REFUSES_NEWER_HOST": ("plugin.newer-host", "does not start on a newer host, 1.7"),
    "WRITES_BEHIND_PLUGIN": ("plugin.newer-host", "writes after the end of the plugin's table"),
    "CHANGES_SIZE": ("plugin.tables", "changes the size of the table that it fills to 8"),
    "NO_NAME": ("plugin.texts", "its name is missing"),
    "BAD_NAME": ("plugin.texts", "its name is not made of letters, digits, - and _"),
    "VERSION_IS_NO_UTF8": ("plugin.texts", "its version is not UTF-8"),
    "UNKNOWN_CAPABILITY": ("plugin.capabilities", "requires unknown capabilities: 0x10000000000"),
    "NO_CAPABILITY": ("plugin.capabilities", "does not require RESTWAY_PLUGIN_CAN_MAP"),
    "BRINGS_NOTHING": ("plugin.tables", "provides no mapper and no transport"),
    "NULL_MAPPER": ("plugin.tables", "mapper 0 is NULL"),
    "TOO_MANY_MAPPERS": ("plugin.tables", "its list of 1000 mappers is invalid"),
    "SMALL_MAPPER": ("plugin.tables", "mapper 0 has the size 24"),
    "MAPPER_WITHOUT_NAME": ("mapper.table", "its name is missing"),
    "MAPPERS_OF_ONE_NAME": ("mapper.table", 'another mapper is called "zero"'),
    "NO_DECODE": ("mapper.table", "it has no function to decode"),
    "NO_MEDIA_TYPES": ("mapper.table", "are missing"),
    "UPPER_CASE_MEDIA_TYPE": ("mapper.table", "are not in lower case"),
    "MEDIA_TYPE_WITH_PARAMETER": ("mapper.table", "are with parameters"),
    "MEDIA_TYPE_WITHOUT_SLASH": ("mapper.table", "are neither type/subtype nor *+suffix"),
    "MEDIA_TYPES_WITH_COMMA": ("mapper.table", "are not separated by one space each"),
    "NO_OPTIONS": ("options.accepted", "takes no options"),
    "REFUSES_OPTIONS": ("options.accepted", "options are refused: not today"),
    "ACCEPTS_UNKNOWN": ("options.unknown", "an unknown key is accepted"),
    "DOES_NOT_NAME_KEY": ("options.unknown", "without naming"),
    "ACCEPTS_OTHER_TYPES": ("options.types", "a value of another type is accepted"),
}
#: Good plugins that were made for another version of the interface.
GOOD = {"NONE", "OLDER_TABLES", "LARGER_TABLES"}

#: Faults that are found without running the plugin.
SHOWN: dict[str, tuple[str, str]] = {
    "OTHER_ENTRY": ("plugin.loads", "does not export restway_plugin_v1"),
    "SHOWS_MORE": ("plugin.exports", "exports 1 more symbol, such as zero_shows_this"),
    "LINKS_LIBRARY": ("plugin.loads", "links librestway"),
}


@pytest.fixture(name="sample", scope="module")
def _sample(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    path = tmp_path_factory.mktemp("sample") / "zero"
    path.write_text("0")
    return ["--sample", str(path), "--options", '{"size": 1}']


def test_every_fault_is_expected_here() -> None:
    assert faults_of("plugin.c") == {*GOOD, *FINDINGS}


@pytest.mark.parametrize("fault", sorted(GOOD))
def test_tables_of_other_versions_pass(fault: str, tmp_path: Path, sample: list[str]) -> None:
    report = check(compile_bad("plugin.c", tmp_path / "zero.so", f"-DFAULT={fault}"), *sample)
    assert report.failed() == {}
    assert report.result("options.types") == "ok"
    assert report.result("mapper.samples") == "ok"


@pytest.mark.parametrize("fault", FINDINGS)
def test_a_fault_is_found(fault: str, tmp_path: Path, sample: list[str]) -> None:
    report = check(compile_bad("plugin.c", tmp_path / "zero.so", f"-DFAULT={fault}"), *sample)
    name, words = FINDINGS[fault]
    assert set(report.failed()) == {name}
    assert words in report.failed()[name]


@pytest.mark.parametrize("define", SHOWN)
def test_what_the_file_shows_is_looked_at(define: str, tmp_path: Path, sample: list[str]) -> None:
    library = Path(os.environ["RESTWAY_PREFIX"], "lib")
    links = [f"-L{library}", "-lrestway", f"-Wl,-rpath,{library}"]
    flags = [f"-D{define}", *(links if define == "LINKS_LIBRARY" else [])]
    report = check(compile_bad("plugin.c", tmp_path / "zero.so", *flags), *sample)
    name, words = SHOWN[define]
    assert set(report.failed()) == {name}
    assert words in report.failed()[name]


def test_a_file_that_is_no_plugin(tmp_path: Path) -> None:
    text = tmp_path / "text.so"
    text.write_text("hello")
    assert "plugin.loads" in check(text).failed()


SHIPPED = sorted(Path(os.environ["RESTWAY_PREFIX"], "lib/restway/plugins").glob("*.so"))

#: The options of plugins that need options; CASSETTE is a file of its own. The replay plugin plays
#: back the recording of a URL.
RUNS: dict[str, list[list[str]]] = {
    "replay": [
        ["--options", '{"cassette": "CASSETTE", "mode": "record"}'],
        ["--options", '{"cassette": "CASSETTE", "mode": "record"}', "--only", "transport.once",
         "--url", "http://shop.example/chunked"],
        ["--options", '{"cassette": "CASSETTE", "mode": "play", "match": "loose"}',
         "--url", "http://shop.example/chunked"],
    ],
}


@pytest.mark.parametrize("plugin", SHIPPED, ids=lambda path: path.stem)
def test_the_plugins_that_ship_pass(plugin: Path, tmp_path: Path) -> None:
    for words in RUNS.get(plugin.stem, [[]]):
        told = [word.replace("CASSETTE", str(tmp_path / "cassette.json")) for word in words]
        report = check(plugin, "--time-out", "300", *told)
        assert report.failed() == {}
        assert report.name == plugin.stem


def test_the_report_has_a_line_for_each_check(tmp_path: Path, sample: list[str]) -> None:
    plugin = compile_bad("plugin.c", tmp_path / "zero.so", "-DFAULT=BRINGS_NOTHING")
    ended = run_tool(plugin, *sample, "--only", "plugin")
    assert ended.returncode == 1
    lines = ended.stdout.splitlines()
    assert lines[0] == f"{plugin} (zero 1.0)"
    assert "FAILED   plugin.tables       : provides no mapper and no transport" in lines
    assert "skipped  plugin.exit         : plugin.tables failed" in lines
    assert lines[-1] == "10 checks: 6 ok, 1 FAILED, 3 skipped"


def test_the_report_as_json_is_json(tmp_path: Path, sample: list[str]) -> None:
    plugin = compile_bad("plugin.c", tmp_path / 'z"\n.so', "-DFAULT=NO_NAME")
    ended = run_tool(plugin, *sample, "--json", "--only", "plugin.texts,options")
    said = json.loads(ended.stdout)
    assert said["plugin"] == str(plugin)
    assert [item["check"] for item in said["checks"]] == [
        "plugin.texts", "options.accepted", "options.unknown", "options.types",
    ]
    assert said["checks"][0] == {
        "check": "plugin.texts", "subject": "", "result": "FAILED", "why": "its name is missing",
    }
    assert (said["ok"], said["failed"], said["skipped"]) == (3, 1, 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "usage: restway-plugin-check PLUGIN.so"),
        (["missing.so"], "No such file or directory: missing.so"),
        (["a.so", "b.so"], "usage:"),
        (["--options", "[]", "a.so"], "the options are not a JSON object: []"),
        (["--options", '{"a": }', "a.so"], "the options are not a JSON object"),
        (["--sample", "missing", "a.so"], "No such file or directory: missing"),
        (["--time-out", "0", "a.so"], "not a number of seconds from 1 to 3600: 0"),
        (["--only", "mapper,nothing", "a.so"], "no check has this name (see --list): nothing"),
    ],
    ids=str,
)
def test_what_the_tool_cannot_run_ends_with_2(words: list[str], said: str) -> None:
    ended = run_tool(*words)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert ended.stdout == ""


def test_the_checks_are_listed_with_what_they_claim() -> None:
    ended = run_tool("--list")
    assert ended.returncode == 0
    names = [line.split()[0] for line in ended.stdout.splitlines()]
    assert len(names) == len(set(names)) > 30
    document = Path(__file__).resolve().parents[2] / "docs" / "PLUGINS.md"
    text = document.read_text()
    assert [name for name in names if f"`{name}`" not in text] == []

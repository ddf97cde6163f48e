"""Plugins that load, plugins that are refused, and the reasons."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import MakePlugin, RunProgram

_LOAD = "error_of(restway.load_plugin, sys.argv[2])"


def test_a_plugin_describes_itself(make_plugin: MakePlugin, run_program: RunProgram) -> None:
    path = make_plugin()
    printed = run_program(
        "restway.load_plugin(sys.argv[2]); restway.load_plugin(sys.argv[2]);"
        "print(restway.plugins())",
        path,
    )
    assert printed == (
        "[Plugin(name='number', version='2.1', licence='MIT', description='Reads numbers.', "
        f"path='{path}')]\n"
    )


REFUSALS: dict[tuple[str, ...], str] = {
    ("OTHER_ENTRY",): "does not export restway_plugin_v1",
    ("MAJOR=2",): "made for version 2.0 of the plugin interface; this library takes 1.x",
    ("NAME=NULL",): "its name is missing",
    ('NAME="a b"',): "its name is missing or not of letters",
    ("DOES_NOT_START",): "does not start: the stars are wrong",
    ("CAPABILITIES=0xF00000",): "needs capabilities that this library does not have (0xf00000)",
    ("NULL_MAPPER",): "mapper 0 is NULL",
}


@pytest.mark.parametrize("defines", REFUSALS, ids=" ".join)
def test_what_is_wrong_is_refused_and_named(
    defines: tuple[str, ...], make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    path = make_plugin(*defines)
    printed = run_program(_LOAD + "; print(restway.plugins())", path)
    assert printed.startswith("PluginError ")
    assert REFUSALS[defines] in printed
    assert str(path) in printed or '"number"' in printed
    assert printed.endswith("[]\n")


def test_a_file_that_is_no_plugin(run_program: RunProgram, tmp_path: Path) -> None:
    text = tmp_path / "text.so"
    text.write_text("hello")
    assert "PluginError" in run_program(_LOAD, text)
    assert "No such file" in run_program(_LOAD, tmp_path / "missing.so")
    assert "neither an absolute path nor a name" in run_program(_LOAD, "../number.so")
    assert "UsageError" in run_program(_LOAD, "")


def test_a_name_is_looked_for_in_the_path(
    make_plugin: MakePlugin, run_program: RunProgram, tmp_path: Path
) -> None:
    make_plugin()
    assert run_program(_LOAD, "number", path=f"relative:{tmp_path}") == "no error\n"
    missing = run_program(_LOAD, "nowhere", path=f"relative:{tmp_path}")
    assert f"{tmp_path}/nowhere.so" in missing
    assert "relative/" not in missing
    assert run_program(_LOAD, "simdjson") == "no error\n", "the installed plugin is found"


def test_a_name_that_is_taken(make_plugin: MakePlugin, run_program: RunProgram) -> None:
    first, second = make_plugin(), make_plugin(name="second")
    printed = run_program(
        "restway.load_plugin(sys.argv[2]); error_of(restway.load_plugin, sys.argv[3])",
        first, second,
    )
    assert 'is called "number", like plugin' in printed


def test_options_reach_the_plugin_and_a_wrong_key_is_named(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    takes, takes_none = make_plugin("OPTIONS"), make_plugin(name="none")
    with_options = "error_of(restway.load_plugin, sys.argv[2], {sys.argv[3]: 1})"
    assert 'options: unknown key "colour"' in run_program(with_options, takes, "colour")
    assert run_program(with_options, takes, "size") == "no error\n"
    none = run_program(with_options, takes_none, "size")
    assert 'plugin "number": options: unknown key "size": the plugin takes no options' in none
    twice = "restway.load_plugin(sys.argv[2], {'a': 1});" + with_options
    assert "loaded already, with other options" in run_program(twice, takes, "b")


def test_the_same_options_are_the_same_however_they_are_spelled(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    takes, takes_none = make_plugin("OPTIONS"), make_plugin(name="none")
    printed = run_program(
        "document = api(plugins=[{'path': sys.argv[2], 'options': {'size': 1}}]);"
        "restway.load_plugin(sys.argv[2], {'size': 1});"
        "restway.Client(document, load_plugins=True).close();"
        "error_of(restway.load_plugin, sys.argv[2], {'size': 2});"
        "error_of(restway.load_plugin, sys.argv[2])",
        takes,
    )
    assert printed.count("loaded already, with other options") == 2
    none = run_program(
        "document = api(plugins=[{'path': sys.argv[2], 'options': {}}]);"
        "restway.Client(document, load_plugins=True).close();"
        "restway.load_plugin(sys.argv[2]);"
        "error_of(restway.load_plugin, sys.argv[2], {})",
        takes_none,
    )
    assert none == "no error\n"


def test_a_document_asks_for_plugins_and_the_client_must_allow_it(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    path = make_plugin("OPTIONS")
    document = "document = api(plugins=[{'path': sys.argv[2], 'options': {sys.argv[3]: 1}}]);"
    refused = run_program(document + "error_of(restway.Client, document)", path, "size")
    assert "$.plugins[0]: the document asks for plugins" in refused
    wrong = run_program(
        document + "error_of(restway.Client, document, load_plugins=True)", path, "colour"
    )
    assert '$.plugins[0]: plugin "number": options: unknown key "colour"' in wrong
    allowed = run_program(
        document + "restway.Client(document, load_plugins=True).close();"
        "print(restway.plugins()[0].name)",
        path, "size",
    )
    assert allowed == "number\n"


def test_unknown_mappers_are_named(run_program: RunProgram) -> None:
    printed = run_program(
        "error_of(restway.Client, api(dataMapper='simdjsn'));"
        "error_of(restway.Client, api(routes={'a': {'path': 'a', 'dataMapper': 'x'}}))"
    )
    first, second = printed.splitlines()
    assert first.endswith('$.dataMapper: no data mapper is called "simdjsn" (there are: jansson)')
    assert '$.routes.a.dataMapper: no data mapper is called "x"' in second

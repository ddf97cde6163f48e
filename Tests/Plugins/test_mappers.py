"""Mappers of plugins: chosen by media type, document or route; and bad mappers."""

from __future__ import annotations

import pytest
from conftest import MakePlugin, RunProgram

_CLIENT = "restway.load_plugin(sys.argv[2]); client = restway.Client(api());"


def test_a_mapper_is_chosen_by_media_type(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    printed = run_program(
        _CLIENT + "print(client.get('x-number/42').object['id'])", make_plugin()
    )
    assert printed == "42\n"


def test_without_the_plugin_the_type_is_refused(run_program: RunProgram) -> None:
    printed = run_program("error_of(restway.Client(api()).get, 'x-number/42')")
    assert "MappingError" in printed
    assert "application/x-number" in printed


def test_a_route_and_the_document_choose_by_name(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    printed = run_program(
        "restway.load_plugin(sys.argv[2]);"
        "route = {'path': 'json/5', 'response': {'entity': 'Thing'}, 'dataMapper': 'number'};"
        "client = restway.Client(api(routes={'five': route}));"
        "print(client.perform(restway.Request.route('five')).objects[0]['id']);"
        "client = restway.Client(api(dataMapper='number'));"
        "print(client.get('x-number/6').object['id'])",
        make_plugin(),
    )
    assert printed == "5\n6\n"


@pytest.mark.parametrize("define", ["OLDER", "LARGER"])
def test_tables_of_other_versions_work(
    define: str, make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    printed = run_program(
        _CLIENT + "print(client.get('x-number/42').object['id'])", make_plugin(define)
    )
    assert printed == "42\n"


def test_a_failure_is_reported_with_the_mappers_name(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    printed = run_program(
        _CLIENT + "error_of(client.get, 'x-number/42'); print(client.store.count())",
        make_plugin("FAILS"),
    )
    assert 'mapper "number": no number at all' in printed
    assert printed.endswith("\n0\n")


@pytest.mark.parametrize(
    ("define", "breach"),
    [
        ("BROKEN", "it ended what was not open, at id"),
        ("UNFINISHED", "it ended within an object or a list, at id"),
        ("NO_VALUE", "it ended without a value, at the top"),
        ("TWO_ROOTS", "it gave a second value behind the first, at the top"),
        ("KEYLESS", "it gave a value without a key, at id"),
        ("TWO_KEYS", "it gave a key without a value, at id"),
    ],
)
def test_a_mapper_that_breaks_its_contract_fails_the_call_and_is_told_where(
    define: str, breach: str, make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    printed = run_program(
        _CLIENT + "error_of(client.get, 'x-number/42'); print(client.store.count())",
        make_plugin(define),
    )
    assert printed.startswith("PluginError ")
    assert f'mapper "number" broke its contract: {breach}' in printed
    assert printed.endswith("\n0\n")


def test_the_place_of_a_breach_is_the_field_of_the_error(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    printed = run_program(
        _CLIENT + "\n"
        "try: client.get('x-number/42')\n"
        "except restway.PluginError as error:\n"
        "    print(error.field, error.status.name, error.domain.name, error.http_status)\n",
        make_plugin("TWO_KEYS"),
    )
    assert printed == "id PLUGIN PLUGIN 200\n"


def test_a_breach_in_the_body_of_a_failure_leaves_the_failure_and_is_logged(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    printed = run_program(
        "lines = Lines();"
        "restway.load_plugin(sys.argv[2]);"
        "client = restway.Client(api(responses=[{'entity': 'Thing', 'status': '4xx'}]));"
        "error_of(client.get, 'x-number/42?404');"
        "print([line[1] for line in lines.all() if line[0] == 'restway.plugin'])",
        make_plugin("TWO_KEYS"),
    )
    assert printed.startswith("NotFoundError ")
    assert "broke its contract: it gave a key without a value, at id" in printed


def test_reasons_of_plugins_forge_no_line(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    printed = run_program(
        _CLIENT + "error_of(client.get, 'x-number/42')", make_plugin("FAILS", "FORGES")
    )
    assert "no number at all\\n#1 \\u001b[31mforged" in printed
    assert printed.count("\n") == 1


def test_values_that_come_late_are_dropped_and_reported(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    printed = run_program(
        "lines = Lines();"
        + _CLIENT
        + "[client.get('x-number/%d' % n) for n in (1, 2)];"
        "print(lines.all()); print(client.store.count())",
        make_plugin("LATE"),
    )
    assert "late: 2" in printed
    assert (
        "('restway.plugin', 'plugin \"number\": pushes values although decode has returned')"
        in printed
    )
    assert printed.endswith("\n2\n")

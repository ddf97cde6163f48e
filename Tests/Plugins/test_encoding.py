"""Bodies that mappers of plugins write: which mapper writes, the values that it gets, and bad
mappers.
"""

from __future__ import annotations

import json

import pytest
from conftest import MakePlugin, RunProgram

_CLIENT = (
    "restway.load_plugin(sys.argv[2]); client = restway.Client(api(**json.loads(sys.argv[3])));"
)
_SEND = """
def sent(call, *arguments, **more):
    try:
        told = call(*arguments, **more).json()
    except restway.RestwayError as error:
        print(type(error).__name__, error.field, error)
    else:
        print(told["type"], "|", told["body"])
"""


def _api(**more: object) -> str:
    return json.dumps(more)


_ROUTE = {"path": "things", "method": "POST", "dataMapper": "number"}
_NUMBER = "application/x-number"


def test_a_route_a_document_and_a_content_type_choose_who_writes(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    routes = {
        "mapper": _ROUTE,
        "type": {"path": "things", "method": "POST", "headers": {"content-type": "text/x-number"}},
        "both": {**_ROUTE, "headers": {"Content-Type": "application/vnd.a+json; v=1"}},
        "neither": {"path": "things", "method": "POST"},
        "stranger": {"path": "things", "method": "POST", "headers": {"Content-Type": "a/b"}},
    }
    program = _CLIENT + _SEND + """
for route in ("mapper", "type", "both", "neither", "stranger"):
    sent(client.perform, restway.Request.route(route, params={"a": 1}))
sent(client.post, "things", params={"a": 1}, headers={"Content-Type": "Application/X-Number; q=1"})
sent(client.post, "things", params={"a": 1}, headers={"Content-Type": "x/y"})
sent(client.post, "things", body=b"raw", media_type="x/y")
sent(client.perform, restway.Request.route("mapper", body=b"raw", media_type="x/y"))
"""
    printed = run_program(program, make_plugin("WRITES"), _api(routes=routes)).splitlines()
    steps = "{1 key a integer 1 } "
    assert printed == [
        f"{_NUMBER} | {steps}",
        f"text/x-number | {steps}",
        'application/vnd.a+json; v=1 | {"a":1}',
        'application/json | {"a":1}',
        'UsageError Content-Type no mapper writes "a/b", which the request\'s Content-Type '
        'asks for: name an encoder of the program as "encode" of the route, or give the body as '
        "bytes",
        f"Application/X-Number; q=1 | {steps}",
        'UsageError Content-Type no mapper writes "x/y", which the request\'s Content-Type '
        'asks for: name an encoder of the program as "encode" of the route, or give the body as '
        "bytes",
        "x/y | raw",
        "x/y | raw",
    ]
    of_document = run_program(
        _CLIENT + _SEND + "sent(client.post, 'things', params={'a': 1})",
        make_plugin("WRITES"), _api(dataMapper="number"),
    )
    assert of_document == f"{_NUMBER} | {steps}\n"


def test_answers_are_asked_for_in_the_type_of_the_mapper(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    program = _CLIENT + (
        "[print(client.perform(request).json()['accept']) for request in ("
        "restway.Request.route('a', body=b''), restway.Request.route('b', body=b''),"
        "restway.Request.route('a', body=b'', headers={'Accept': 'x/y'}))]"
    )
    routes = {
        "a": {"path": "things", "method": "POST", "dataMapper": "number"},
        "b": {"path": "things", "method": "POST"},
    }
    # The answers are JSON, which has no effect on the mapper: the descriptor is for another status.
    api = {"responses": [{"entity": "Thing", "path": "things", "status": 202}], "routes": routes}
    path = make_plugin("WRITES")
    number, text, anything = _NUMBER, "application/json", "*/*;q=0.1"
    asked = run_program(program, path, _api(**api)).splitlines()
    assert asked == [f"{number}, {anything}", f"{text}, {anything}", "x/y"]
    chosen = run_program(program, path, _api(**api, dataMapper="number")).splitlines()
    assert chosen == [f"{number}, {anything}", f"{number}, {text};q=0.9, {anything}", "x/y"]


def test_every_kind_of_value_comes_as_it_is(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    entity = {
        "Kinds": {
            "attributes": {
                "date": {"type": "date"}, "day": {"type": "date", "format": "yyyy-MM-dd"},
                "epoch": {"type": "date", "format": "epoch"},
                "iso": {"type": "date", "format": "iso8601"},
                "bytes": {"type": "bytes"},
                "text": {"type": "bytes", "transform": "base64"},
                "json": {"type": "json"}, "real": {"type": "double"},
            }
        }
    }
    program = _CLIENT + _SEND + """
from datetime import datetime, timezone
then = datetime(1969, 12, 31, 23, 59, 59, 250000, tzinfo=timezone.utc)
draft = client.draft("Kinds", date=then, day=then, epoch=then, iso=then, bytes=b"\\x00\\xff",
                     text=b"\\x00\\xff", json={"list": [None, True, -1.5, ""]},
                     real=float("inf"))
sent(client.post, draft, params={"p.date": then, "p.bytes": b"\\x01", "p.list": [then]})
"""
    route = {"add": {**_ROUTE, "entity": "Kinds"}}
    printed = run_program(program, make_plugin("WRITES"), _api(entities=entity, routes=route,
                                                               responses=[]))
    second = -750_000
    assert printed.strip().split(" | ")[1].split() == (
        f"{{9 key date date {second} key day string 1969-12-31 key epoch real -0.75 "
        "key iso string 1969-12-31T23:59:59.250Z key bytes bytes 00 ff key text string AP8= "
        "key json {1 key list [4 null true real -1.5 string ] "
        f"}} key real real inf key p {{3 key date date {second} key bytes bytes 01 "
        f"key list [1 date {second} ] }} }}"
    ).split()


_VIOLATIONS = {
    "ENCODE_FAILS": 'mapper "number": no value for numbers',
    "ENCODE_FAILS_SILENTLY": 'mapper "number": out of memory',
    "ENCODE_PART": 'plugin "number": has encoded a part of the value only',
    "ENCODE_BEHIND": 'plugin "number": asks for values behind the end',
    "ENCODE_NULL_ITEM": 'plugin "number": asks for a value without an item',
    "ENCODE_SMALL_ITEM": "asks for a value without an item, or its struct_size is too small",
    "ENCODE_NULL": 'plugin "number": writes bytes that are NULL, or too many of them',
    "ENCODE_HUGE": 'plugin "number": writes bytes that are NULL, or too many of them',
    "ENCODE_ENDLESS": 'plugin "number": writes more than 268435456 bytes',
    "ENCODE_ELSEWHERE": 'plugin "number": has encoded on another thread',
}


@pytest.mark.parametrize("define", _VIOLATIONS)
@pytest.mark.parametrize("more", [(), ("ENCODE_UNHEEDING",)], ids=["heeding", "unheeding"])
def test_what_breaks_the_contract_sends_nothing_and_is_named(
    define: str, more: tuple[str, ...], make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    printed = run_program(
        _CLIENT + _SEND + "sent(client.perform, restway.Request.route('r', params={'a': 1}));"
        "sent(client.post, 'things', params={'a': 1})",
        make_plugin("WRITES", define, *more), _api(routes={"r": _ROUTE}),
    )
    failed, fine = printed.splitlines()
    assert failed.startswith("MappingError None the body of the request: ")
    assert _VIOLATIONS[define] in failed
    assert fine == 'application/json | {"a":1}', "others are not touched by it"


def test_calls_that_come_late_fail_and_are_reported(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    printed = run_program(
        "lines = Lines();"
        + _CLIENT + _SEND
        + "[sent(client.perform, restway.Request.route('r', params={'a': n})) for n in (1, 2)];"
        "print([line[1] for line in lines.all()])",
        make_plugin("WRITES", "ENCODE_LATE"), _api(routes={"r": _ROUTE}),
    )
    assert "late: 1 1" in printed
    assert f"{_NUMBER} | {{1 key a integer 2 }} " in printed
    for what in ("asks for values", "writes"):
        assert f'plugin "number": {what} although encode has returned' in printed


def test_a_value_that_cannot_be_read_is_the_hosts_complaint(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    for more in ((), ("ENCODE_UNHEEDING",)):
        printed = run_program(
            "restway.load_plugin(sys.argv[2]);"
            "client = restway.Client(api(**json.loads(sys.argv[3])), nesting_depth_max=3);"
            + _SEND
            + "sent(client.perform, restway.Request.route('r', params={'a': [[[1]]]}))",
            make_plugin("WRITES", *more), _api(routes={"r": _ROUTE}),
        )
        assert printed == (
            "MappingError None the body of the request: nested deeper than 3 levels\n"
        )


def test_a_mapper_that_only_reads_cannot_write(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    path = make_plugin()
    with_request = {**_ROUTE, "entity": "Thing", "request": {}}
    printed = run_program(
        "restway.load_plugin(sys.argv[2]);"
        "error_of(restway.Client, api(**json.loads(sys.argv[3])))",
        path, _api(routes={"r": with_request}),
    )
    assert printed == (
        'PluginError $.routes.r.dataMapper: mapper "number" only reads, and a body would have to '
        "be written\n"
    )
    printed = run_program(
        _CLIENT + _SEND + "sent(client.perform, restway.Request.route('r', params={'a': 1}));"
        "sent(client.perform, restway.Request.route('r', body=b'raw', media_type='x/y'));"
        "sent(client.perform, restway.Request.route('json', params={'a': 1}))",
        path,
        _api(
            routes={
                "r": _ROUTE,
                "json": {**with_request, "headers": {"Content-Type": "application/json"}},
            }
        ),
    )
    refused, raw, labelled = printed.splitlines()
    assert refused == (
        'PluginError dataMapper mapper "number" only reads, and a body would have to be written'
    )
    assert (raw, labelled) == ("x/y | raw", 'application/json | {"a":1}')
    # The document chooses a mapper for answers only; bodies are then JSON.
    printed = run_program(
        _CLIENT + _SEND + "sent(client.post, 'things', params={'a': 1})",
        path, _api(dataMapper="number"),
    )
    assert printed == 'application/json | {"a":1}\n'


def test_a_mapper_of_json_that_only_reads_leaves_the_writing_to_the_built_in_one(
    run_program: RunProgram,
) -> None:
    route = {**_ROUTE, "dataMapper": "simdjson", "entity": "Thing", "request": {},
             "response": {"entity": "Thing"}}
    program = (
        "restway.load_plugin('simdjson');"
        "client = restway.Client(api(**json.loads(sys.argv[2])));" + _SEND
        + "draft = client.draft('Thing', id=1);"
        "sent(client.post, draft); print(draft.snapshot()['id'])"
    )
    for more in ({}, {"dataMapper": "simdjson"}):
        printed = run_program(program, _api(routes={"r": route}, responses=[], **more))
        assert printed == 'application/json | {"id":1}\n1\n'


def test_a_type_that_is_written_must_be_one(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    load = "error_of(restway.load_plugin, sys.argv[2])"
    wild = 'TYPES="*+number application/x-number"'
    assert '"*+number" is not a single type' in run_program(load, make_plugin("WRITES", wild))
    assert run_program(load, make_plugin(wild)) == "no error\n", "it only reads"


def test_errors_are_read_in_the_format_of_the_mapper(
    make_plugin: MakePlugin, run_program: RunProgram
) -> None:
    printed = run_program(
        _CLIENT + "error_of(client.get, 'x-number/42?422')",
        make_plugin(), _api(errors={"code": "id"}),
    )
    assert "(API code 42)" in printed

"""The interface as data says what the types leave open, and the headers say it in the forms that
docs/ABI.md lists.
"""

from __future__ import annotations

import re
from typing import Any

import meanings
import plugin_interface
from every import for_each
from interface import Function, Variable, callbacks, flag_prefixes, functions, interface, structs
from statuses import for_all_languages

DATA = interface()
FUNCTIONS: dict[str, dict[str, Any]] = {f["name"]: f for f in DATA["functions"]}
CALLBACKS: dict[str, dict[str, Any]] = {f["name"]: f for f in DATA["callbacks"]}
CALLED = [*functions(), *callbacks()]


def named(function: Function) -> str:
    return function.name


def described(function: Function) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (FUNCTIONS | CALLBACKS)[function.name]["parameters"]
    return found


def fields_of(struct: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = DATA["structs"][struct]["fields"]
    return found


def _expect_clear(values: tuple[Variable, ...], data: list[dict[str, Any]]) -> None:
    pairs = zip(values, data, strict=True)
    unclear = [meanings.unclear(v.type, each.get("doc", ""), v.name) for v, each in pairs]
    assert not any(unclear), "; ".join(filter(None, unclear))


def _expect_lengths(values: tuple[Variable, ...], data: list[dict[str, Any]]) -> None:
    for value, each in zip(values, data, strict=True):
        assert "length" in each or not meanings.is_array(value), f"{value.name} has no length"


@for_each(CALLED, named)
def test_integers_of_functions_say_what_they_mean(function: Function) -> None:
    _expect_clear(function.parameters, described(function))


@for_each(structs())
def test_integers_of_structs_say_what_they_mean(struct: str) -> None:
    _expect_clear(structs()[struct], fields_of(struct))


@for_each(CALLED, named)
def test_data_of_functions_has_a_length_and_lengths_have_data(function: Function) -> None:
    _expect_lengths(function.parameters, described(function))
    data = [*described(function), (FUNCTIONS | CALLBACKS)[function.name].get("returns", {})]
    assert meanings.unclaimed(function.parameters, data) == []


@for_each(structs())
def test_data_of_structs_has_a_length_and_lengths_have_data(struct: str) -> None:
    _expect_lengths(structs()[struct], fields_of(struct))
    assert meanings.unclaimed(structs()[struct], fields_of(struct)) == []


@for_each(callbacks(), named)
def test_arguments_of_callbacks_have_an_owner(callback: Function) -> None:
    for parameter in described(callback):
        assert parameter["ownership"], f"the comment does not say who owns {parameter['name']}"
        if parameter["ownership"] == "owned":
            assert parameter["release"] in FUNCTIONS


@for_each(["functions", "callbacks"])
def test_functions_are_documented(section: str) -> None:
    assert [each["name"] for each in DATA[section] if not each.get("doc")] == []


@for_each(["handles", "enums", "structs"])
def test_types_are_documented(section: str) -> None:
    assert [name for name, each in DATA[section].items() if not each.get("doc")] == []


def test_flags_are_grouped_and_documented() -> None:
    assert len(flag_prefixes()) > 10
    for prefix, each in DATA["flags"].items():
        assert each.get("doc"), f'no comment "Bits of" stands above {prefix}*'
        assert set(each["docs"]) == set(each["values"])


def test_a_refresh_belongs_to_its_function_and_an_error_does_not() -> None:
    owned = {
        (callback["name"], parameter["name"])
        for callback in DATA["callbacks"]
        for parameter in callback["parameters"]
        if parameter["ownership"] == "owned"
    }
    assert owned == {("restway_refresh_fn", "refresh")}


def test_meanings_are_found() -> None:
    resume = {p["name"]: p for p in CALLBACKS["restway_body_receive_fn"]["parameters"]}
    assert resume["out_pauses"]["boolean"] and resume["bytes"]["length"] == "length"
    read = {p["name"]: p for p in FUNCTIONS["restway_list_read"]["parameters"]}
    assert read["out_values"]["length"] == "count * column_count"
    assert FUNCTIONS["restway_response_body"]["returns"]["length"] == "out_length"
    assert FUNCTIONS["restway_call_is_complete"]["returns"]["boolean"]
    fields = {field["name"]: field for field in fields_of("restway_client_options")}
    assert fields["flags"]["flags"] == "RESTWAY_CLIENT_"
    assert fields["delivery"]["enum"] == "restway_delivery"
    assert fields["languages"]["length"] == "language_count"


def test_an_unclear_integer_is_refused() -> None:
    for name, text in (("flags", "Some bits."), ("kind", "The kind."), ("is_big", "Big or not.")):
        assert meanings.unclear("uint32_t", text, name)
    for name, kind, text in (
        ("flags", "uint32_t", "RESTWAY_ROUTE_* bits."),
        ("kind", "uint32_t", "A restway_event_kind."),
        ("status", "int32_t", "The HTTP status."),
        ("is_big", "int32_t", "1 if it is big, else 0."),
    ):
        assert not meanings.unclear(kind, text, name)


def test_a_length_without_data_is_refused() -> None:
    values = (Variable("json", "const char *"), Variable("length", "size_t"))
    described = [meanings.length(values[0], "A text. *Copied*.", values), {}]
    assert meanings.unclaimed(values, described) == ["length"]
    described = [meanings.length(values[0], "@p length bytes. *Copied*.", values), {}]
    assert meanings.unclaimed(values, described) == []


def test_the_tables_of_plugins_are_complete() -> None:
    data = plugin_interface.interface()
    host = {field["name"]: field for field in data["structs"]["restway_plugin_host"]["fields"]}
    assert host["exchange_body"]["values"] == ["RESTWAY_PLUGIN_BODY_"]
    assert data["constants"]["RESTWAY_PLUGIN_CAN_TRANSPORT"]["value"] == 4
    assert [function["name"] for function in data["functions"]] == ["restway_plugin_v1"]
    for name, struct in data["structs"].items():
        assert struct.get("doc"), f"{name} is not documented"
        for field in struct["fields"]:
            values = [Variable(p["name"], p["type"]) for p in field.get("parameters", ())]
            assert not meanings.unclaimed(values, field.get("parameters", ())), field["name"]


def test_comments_have_no_other_marks_in_the_data() -> None:
    docs = [each["doc"] for each in (*DATA["functions"], *DATA["callbacks"])]
    assert not [doc for doc in docs if re.search(r"@p |@param|Threads:|Blocks:|\*/", doc)]


def test_every_status_has_a_domain_a_text_and_names_of_its_own() -> None:
    domains = set(DATA["enums"]["restway_domain"]["values"])
    for name, status in DATA["statuses"].items():
        assert status["domain"] in domains, f'{name}: the comment does not say "Domain: ..."'
        assert status["doc"], f"{name}: the comment has no sentence that names nothing of C"
    for language in ("swift", "python"):
        names = [status["names"][language] for status in DATA["statuses"].values()]
        assert len(set(names)) == len(names)


def test_sentences_that_name_something_of_c_are_left_out() -> None:
    comment = "It failed. See restway_x(). It may be NULL. Try again. Domain: RESTWAY_DOMAIN_HTTP."
    assert for_all_languages(comment) == "It failed. Try again."

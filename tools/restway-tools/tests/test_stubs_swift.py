"""The Swift source that `restway-stubs --swift` writes. Tests/SwiftPackage compiles it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from restway_tools.stubs.__main__ import main
from restway_tools.stubs.swift_text import identifier, literal


def source(folder: Path, document: dict[str, object], name: str = "Made.swift") -> str:
    """Returns the Swift source of a document."""
    path = folder / "document.json"
    path.write_text(json.dumps({"restway": 1, **document}), "utf-8")
    assert main([str(path), "--swift", "--output", str(folder / name)]) == 0
    return (folder / name).read_text("utf-8")


def test_an_entity_is_a_struct_with_a_property_for_each_attribute(tmp_path: Path) -> None:
    attributes = {"number": {"type": "int"}, "created at": {"type": "date"}}
    text = source(tmp_path, {"entities": {"Issue": {"attributes": attributes}}})
    assert "import FoundationEssentials\nimport Restway\n" in text
    assert "struct Issue: Codable, Mapped, Sendable {" in text
    assert '    static var entity: String { "Issue" }\n' in text
    assert "    /// The attribute `number`.\n    var number: Int?\n" in text
    assert '    /// The attribute "created at".\n    var createdAt: Date?\n' in text
    assert '            \\.createdAt: "created at",\n' in text
    assert '        case createdAt = "created at"\n' in text


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("any", "JSON"), ("bool", "Bool"), ("double", "Double"), ("string", "String"),
        ("bytes", "Data"), ("json", "JSON"), (["string"], "[String]"),
        ([["double"]], "[[Double]]"), ({"*": ["date"]}, "[String: [Date]]"),
    ],
)
def test_a_property_has_the_type_of_its_attribute(
    tmp_path: Path, kind: object, written: str
) -> None:
    text = source(tmp_path, {"entities": {"Thing": {"attributes": {"one": {"type": kind}}}}})
    assert f"    var one: {written}?\n" in text
    assert f"    func set(one value: {written}?) throws(RestwayError) {{\n" in text
    assert ("import FoundationEssentials" in text) == ("Dat" in written)


def test_relationships_are_structs_and_drafts_lead_to_objects(tmp_path: Path) -> None:
    relationships = {"user": {"entity": "User"}, "labels": {"entity": "Label", "many": True}}
    entities = {
        "Issue": {"attributes": {}, "relationships": relationships},
        "User": {"attributes": {}},
        "Label": {"attributes": {}},
    }
    text = source(tmp_path, {"entities": entities})
    assert "    var user: User?\n" in text
    assert "    var labels: [Label]?\n" in text
    assert "    func set(user object: Object?) throws(RestwayError) {\n" in text
    assert "    func set(labels objects: [Object]) throws(RestwayError) {\n" in text


def test_a_relationship_that_closes_a_circle_is_read_from_an_object(tmp_path: Path) -> None:
    entities = {
        "Company": {"attributes": {}, "relationships": {
            "employees": {"entity": "Person", "many": True}, "parent": {"entity": "Company"}}},
        "Person": {"attributes": {}, "relationships": {
            "company": {"entity": "Company"}, "friends": {"entity": "Person", "many": True}}},
    }
    text = source(tmp_path, {"entities": entities})
    assert re.findall(r"^    var (\w+): ", text, re.MULTILINE) == ["employees"]
    assert re.findall(r"static func (\w+)\(of object: Object\).*-> (\S+) {", text) == [
        ("parent", "Company?"), ("company", "Company?"), ("friends", "[Person]"),
    ]
    assert "func set(company object: Object?)" in text


def test_routes_are_functions_with_their_variables(tmp_path: Path) -> None:
    entities = {"Issue": {"identity": "number", "attributes": {"number": {"type": "int"}}}}
    routes = {
        "issue": {"path": "issues/:number{?page}", "method": ["GET", "PATCH"], "entity": "Issue",
                  "response": {"entity": "Issue"}},
        "status": {"path": "status"},
    }
    text = source(tmp_path, {"entities": entities, "routes": routes})
    assert (
        "    static func issue(\n"
        "        _ method: IssueMethod = .get,\n"
        "        number: Int,\n"
        "        page: JSON? = nil,\n"
        "        body: RequestBody? = nil,\n"
        "        parameters: Values = [:]\n"
        "    ) -> Request {\n"
        '        var request = Request(method.value, .route("issue"))\n'
        "        var variables: [String: JSON] = [:]\n"
        '        variables["number"] = JSON(number)\n'
        '        if let page { variables["page"] = page }\n'
        "        request.variables = Values(variables)\n"
    ) in text
    assert "/// `GET, PATCH issues/:number{?page}`, whose answers have objects of" in text
    assert '        case patch = "PATCH"\n' in text
    assert '        var request = Request(.get, .route("status"))\n' in text


def test_a_method_without_a_constant_is_a_text(tmp_path: Path) -> None:
    routes = {
        "search": {"path": "search", "method": "M-SEARCH"},
        "both": {"path": "both", "method": ["M-SEARCH", "QUERY"]},
    }
    text = source(tmp_path, {"routes": routes})
    assert '        var request = Request("M-SEARCH", .route("search"))\n' in text
    assert "body: RequestBody? = nil" in text.partition("func search(")[2].partition("->")[0]
    assert "        _ method: BothMethod = .mSearch" in text
    assert '        case mSearch = "M-SEARCH"\n' in text
    assert '        case query = "QUERY"\n' in text


def test_names_are_names_of_swift_and_differ(tmp_path: Path) -> None:
    names = ["class", "self", "a-b", "aB", "3d", "\u00e9t\u00e9", "\u20ac", 'q"\\\n', "init"]
    entities = {
        "client": {"attributes": dict.fromkeys(names, "x")},
        "Client": {"attributes": {}},
        "\u20ac": {"attributes": {}},
    }
    text = source(tmp_path, {"entities": entities})
    properties = re.findall(r"^    var (\S+): JSON\?$", text, re.MULTILINE)
    assert properties == [
        "`class`", "self_", "aB", "aB_2", "_3d", "\u00e9t\u00e9", "value", "q", "init_",
    ]
    assert '        case q = "q\\"\\\\\\u{a}"\n' in text
    assert re.findall(r"^struct (\w+): Codable", text, re.MULTILINE) == [
        "Client_", "Client__", "Unnamed",
    ]


def test_a_literal_has_no_interpolation() -> None:
    assert literal("\\(x)\u202e") == '"\\\\(x)\\u{202e}"'


def test_an_identifier_is_taken_once() -> None:
    taken: set[str] = set()
    assert [identifier("default", taken) for _ in range(2)] == ["`default`", "default_2"]


def test_an_output_of_swift_needs_no_option(tmp_path: Path) -> None:
    document = tmp_path / "document.json"
    document.write_text('{"restway": 1}', "utf-8")
    assert main([str(document), "-o", str(tmp_path / "Made.swift")]) == 0
    assert (tmp_path / "Made.swift").read_text("utf-8").endswith("\nimport Restway\n")

"""The C++ header that `restway-stubs --cpp` writes. Tests/HeaderTests compile it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from restway_tools.stubs.__main__ import main


def header(folder: Path, entities: object, name: str = "made.hpp") -> str:
    """Returns the header of a document with these entities."""
    document = folder / "document.json"
    document.write_text(json.dumps({"restway": 1, "entities": entities}), "utf-8")
    assert main([str(document), "--cpp", "--output", str(folder / name)]) == 0
    return (folder / name).read_text("utf-8")


def test_an_entity_is_a_struct_with_a_field_for_each_attribute(tmp_path: Path) -> None:
    text = header(
        tmp_path,
        {"Issue": {"attributes": {"number": {"type": "int"}, "created at": {"type": "date"}}}},
    )
    assert "namespace made {" in text
    assert 'static constexpr std::string_view entity = "Issue";' in text
    assert "    std::optional<std::int64_t> number;\n" in text
    assert "    std::optional<restway::date> created_at;\n" in text
    assert '        visit("created at", self.created_at);\n' in text


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        ("any", "restway::value"), ("bool", "bool"), ("double", "double"),
        ("string", "std::string"), ("bytes", "restway::bytes"), ("json", "restway::json"),
    ],
)
def test_a_field_has_the_type_of_its_attribute(tmp_path: Path, kind: str, field: str) -> None:
    text = header(tmp_path, {"Thing": {"attributes": {"one": {"type": kind}}}})
    assert f"    std::optional<{field}> one;\n" in text


def test_names_are_names_of_cpp_and_differ(tmp_path: Path) -> None:
    attributes = dict.fromkeys(["class", "a-b", "a_b", "3d", "visit", "x__y", 'q"\\'], "x")
    text = header(tmp_path, {"new": {"attributes": attributes}, "new_": {"attributes": {}}})
    for field in ("class_", "a_b", "a_b_2", "_3d", "visit_2", "x_y", "q_"):
        assert f"> {field};\n" in text
    assert 'visit("q\\"\\\\", self.q_);' in text
    assert "struct new_ {" in text
    assert "struct new_2 {" in text


def test_the_namespace_has_the_name_of_the_document_without_an_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = tmp_path / "my-shop.restway.json"
    document.write_text('{"restway": 1}', "utf-8")
    assert main([str(document), "--cpp"]) == 0
    assert "namespace my_shop {" in capsys.readouterr().out

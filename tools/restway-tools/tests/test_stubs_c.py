"""The C header that `restway-stubs --c` writes. Tests/HeaderTests compile it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from restway_tools.stubs.__main__ import main


def header(folder: Path, entities: object, name: str = "made.h") -> str:
    """Returns the header of a document with these entities."""
    document = folder / "document.json"
    document.write_text(json.dumps({"restway": 1, "entities": entities}), "utf-8")
    assert main([str(document), "--c", "--output", str(folder / name)]) == 0
    return (folder / name).read_text("utf-8")


def test_an_entity_is_a_struct_with_a_table(tmp_path: Path) -> None:
    text = header(
        tmp_path,
        {"IssueNote": {"attributes": {"number": {"type": "int"}, "created at": {"type": "date"}}}},
    )
    assert "struct made_issue_note {\n    int64_t number;\n    int64_t created_at;\n" in text
    assert "        uint8_t created_at;\n    } states;\n} made_issue_note;\n" in text
    assert '    RESTWAY_FIELD(made_issue_note, created_at, "created at", DATE),\n' in text
    assert '    RESTWAY_FIELDS(made_issue_note, "IssueNote", made_issue_note_list);\n' in text


@pytest.mark.parametrize(
    ("kind", "member", "type_of"),
    [
        ("any", "restway_value ", "VALUE"), ("bool", "int32_t ", "BOOL"),
        ("double", "double ", "DOUBLE"), ("string", "const char *", "STRING"),
        ("bytes", "restway_bytes ", "BYTES"), ("json", "const char *", "JSON"),
        (["string"], "const char *", "JSON"),
    ],
)
def test_a_member_has_the_type_of_its_attribute(
    tmp_path: Path, kind: object, member: str, type_of: str
) -> None:
    text = header(tmp_path, {"Thing": {"attributes": {"one": {"type": kind}}}})
    assert f"    {member}one;\n" in text
    assert f'(made_thing, one, "one", {type_of})' in text


def test_names_are_names_of_c_and_differ(tmp_path: Path) -> None:
    names = ["class", "restrict", "a-b", "a_b", "3d", "states", "_Bool", "EOF", "errno", 'q"\\']
    text = header(
        tmp_path,
        {
            "new": {"attributes": dict.fromkeys([*names, "what??!"], "x")},
            "New": {"attributes": {}},
            "newFields": {"attributes": {}},
            "t": {"attributes": {}},
        },
        "size.h",
    )
    for member in (
        "class_", "restrict_", "a_b", "a_b_2", "_3d", "states_2", "Bool", "eof", "errno_"
    ):
        assert f"    restway_value {member};\n" in text
    assert '"q\\"\\\\"' in text
    assert '"what\\?\\?!"' in text
    for struct in ("size_new", "size_new_2", "size_new_fields_2", "size_t_2"):
        assert f"}} {struct};\n" in text


def test_a_name_that_restway_has_is_not_taken(tmp_path: Path) -> None:
    text = header(tmp_path, {"Client": {"attributes": {}}}, "restway.h")
    assert "typedef struct restway_2_client {" in text


def test_there_is_one_output_at_a_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = tmp_path / "my-shop.restway.json"
    document.write_text('{"restway": 1}', "utf-8")
    with pytest.raises(SystemExit) as exit_of:
        main([str(document), "--c", "--cpp"])
    assert exit_of.value.code == 2
    assert "are different outputs" in capsys.readouterr().err
    assert main([str(document), "--c"]) == 0
    assert "#ifndef MY_SHOP_ENTITIES_H\n" in capsys.readouterr().out

"""What `restway-stubs` writes of documents that the tests of the binding have, too: entities that
extend others, lists and maps of values, unions, and listed values.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import restway
from restway_tools.stubs.__main__ import main
from restway_tools.stubs.model import document_of
from restway_tools.stubs.python import write_module
from restway_tools.stubs.swift import write_source
from restway_tools.stubs.text import union
from tests import (
    test_extends,
    test_identity_parts,
    test_shapes,
    test_union_shapes,
    test_unions,
    test_value_rules,
)
from tests.test_extends import receive


def test_stubs_inherit(tmp_path: Path) -> None:
    source = tmp_path / "document.json"
    source.write_text(json.dumps(test_extends.DOCUMENT), "utf-8")
    assert main([str(source), "--output", str(tmp_path / "made.py")]) == 0
    text = (tmp_path / "made.py").read_text("utf-8")
    assert 'class Member(User, entity="Member"):' in text
    assert text.index("class User(TypedObject") < text.index("class Member(User")
    assert text.index("class Member(User") < text.index("class Admin(Member")
    spec = importlib.util.spec_from_file_location("made", tmp_path / "made.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    with restway.Client(restway.API.from_json(test_extends.DOCUMENT)) as client:
        (admin,) = receive(client, "Admin", {"id": 1})
        (bot,) = receive(client, "Bot", {"id": 2})
        for name, expected in [("User", True), ("Member", True), ("Admin", True), ("Bot", False)]:
            assert isinstance(admin, getattr(made, name)) is expected
        assert isinstance(bot, made.User) and not isinstance(bot, made.Member)
    entities = document_of(restway.API.from_json(test_extends.DOCUMENT)).entities
    entity = next(one for one in entities if one.name == "Admin")
    assert [one.name for one in entity.attributes] == ["id", "login", "plan", "rights"]
    assert entity.bases == ("Member", "User")
    for option, name, part in [
        ("--swift", "made.swift", 'object.isA("Admin")'),
        ("--c", "made.h", "rights"),
        ("--cpp", "made.hpp", "rights"),
    ]:
        assert main([str(source), option, "--output", str(tmp_path / name)]) == 0
        assert part in (tmp_path / name).read_text("utf-8")


def test_stubs_declare_lists_and_dicts() -> None:
    text = write_module(document_of(restway.API.from_json(test_shapes.DOCUMENT)), is_stub=True)
    assert "list[str] | None" in text and "list[datetime] | None" in text
    assert "list[list[float]] | None" in text and "dict[str, bytes] | None" in text


def test_stubs_of_unions_know_shapes() -> None:
    document = document_of(restway.API.from_json(test_union_shapes.DOCUMENT))
    text = write_module(document, is_stub=True)
    assert "entries: Attribute[TypedObjects[Member | Bot | Task]]" in text
    assert (
        "entries: Sequence[Member | Bot | Task | MemberDraft | AdminDraft | BotDraft | TaskDraft]"
        in text
    )
    swift = write_source(document)
    assert 'if object.isA("Member") {' in swift and '} else if object.isA("Bot") {' in swift


def test_stubs_declare_the_parts_of_an_identity(tmp_path: Path) -> None:
    document = document_of(restway.API.from_json(test_identity_parts.DOCUMENT))
    text = " ".join(write_module(document, is_stub=True).split())
    assert 'entity: Literal["Issue"], identity: tuple[str, str, int]' in text
    assert 'entity: Literal["Repository"], identity: tuple[str, str]' in text
    source = tmp_path / "document.json"
    source.write_text(json.dumps(test_identity_parts.DOCUMENT), "utf-8")
    assert main([str(source), "--classes", "dataclass", "--output", str(tmp_path / "made.py")]) == 0
    made = (tmp_path / "made.py").read_text("utf-8")
    assert "    owner: str\n    repo: str\n    number: int\n    title: Optional[str] = None" in made


def test_stubs_declare_unions() -> None:
    document = document_of(restway.API.from_json(test_unions.DOCUMENT))
    text = write_module(document, is_stub=True)
    assert "items: Attribute[TypedObjects[Bug | Story]]" in text
    assert "top: Attribute[Bug | Story | None]" in text
    assert "top: Bug | Story | BugDraft | StoryDraft | None" in text
    assert "TypedResponse[Bug | Story]" in text and "TypedPages[Bug | Story]" in text
    swift = write_source(document)
    assert "enum Item: Sendable {" in swift and 'case "Bug": self = .bug(' in swift
    assert "static func items(of object: Object) throws(RestwayError) -> [Item] {" in swift


def test_python_stubs_name_the_values() -> None:
    text = write_module(document_of(restway.API.from_json(test_value_rules.DOCUMENT)), is_stub=True)
    assert 'kind: Attribute[Literal["issues"] | None]' in text
    assert 'state: Attribute[Literal["open", "closed"] | str | None]' in text
    assert 'size: Literal["S", "M"] | None' in text
    assert 'tags: list[Literal["a", "b"] | str] | None' in text
    assert "level: Literal[1, 2] | int | None" in text


def test_unions_keep_literals_whole() -> None:
    kind = 'list[Literal["a | b", "]", "\\" | "] | str] | None'
    assert union([kind, "int | None"]) == kind.replace(" | None", " | int | None")


def test_swift_stubs_have_enums() -> None:
    text = write_source(document_of(restway.API.from_json(test_value_rules.DOCUMENT)))
    assert "var state: StateValue?" in text and "var tags: [TagsValue]?" in text
    assert "enum StateValue: Codable, Hashable, RawRepresentable, Sendable {" in text
    assert "case unknown(String)" in text
    assert "enum SizeValue: String, CaseIterable, Codable, Hashable, Sendable {" in text
    assert "func set(state value: Issue.StateValue?) throws(RestwayError) {" in text
    assert 'try draft.set("state", to: value.rawValue)' in text
    assert 'try draft.set("tags", to: JSON(encoding: value))' in text

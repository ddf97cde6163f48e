"""Lists of plain classes, which are built from columns: what they hold is what the walk builds."""

# Python 3.9 does not evaluate `X | None` when the types of a class are read.
# ruff: noqa: UP045

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, make_dataclass
from datetime import date, datetime, timezone
from typing import Annotated, Any, Optional

import msgspec
import pytest

import restway
from restway._values import reading

ATTRIBUTES: dict[str, Any] = {
    "id": {"type": "int"},
    "name": {"type": "string"},
    "open": {"type": "bool"},
    "size": {"type": "double"},
    "day": {"type": "date"},
    "data": {"type": "bytes"},
    "extra": {"type": "json"},
    "mixed": "mixed",
}
DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"live": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Shop": {"identity": "id", "attributes": ATTRIBUTES},
        "Town": {"identity": "id", "attributes": {"name": {"type": "string"}, "id": "id"}},
        "Person": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}, "name": {"type": "string"}},
        },
        "Bot": {"extends": "Person", "attributes": {"token": {"type": "string"}}},
        "Member": {"extends": "Person", "attributes": {"plan": {"type": "string"}}},
    },
    "routes": {
        "both": {
            "path": "both",
            "response": [
                {"entity": "Town", "keyPath": "towns"},
                {"entity": "Shop", "keyPath": "shops"},
            ],
        }
    },
}
FULL = [
    {"id": 1, "name": "Bäckerei", "open": True, "size": 1.5, "day": "2026-11-26T04:05:06Z"},
    {"id": 2, "name": "", "open": False, "size": 2.0, "day": "1969-01-01T00:00:00Z"},
    {"id": -(2**62), "name": "a\0b", "open": True, "size": -0.25, "day": "2026-11-26T04:05:06Z"},
]


@dataclass
class Shop:
    id: int
    name: str
    open: bool
    size: float
    day: date


@dataclass
class Optionals:
    id: int
    name: Optional[str]
    size: Optional[float]
    day: Optional[datetime]


@dataclass
class Defaults:
    id: float
    name: str = "unnamed"
    open: Optional[bool] = True


@dataclass
class Renamed:
    title: str = field(metadata={"name": "name"})
    number: int = field(metadata={"name": "id"})


class ShopStruct(msgspec.Struct):
    id: int
    name: str
    day: date
    size: Optional[float] = None


@pytest.fixture
def client() -> Iterator[restway.Client]:
    with restway.Client(DOCUMENT) as client:
        yield client


@pytest.fixture
def walked(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, Any], Any]:
    """Reads objects into a class without columns."""

    def read(objects: restway.Objects, of: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(reading, "built_of_columns", lambda *_: None)
            return objects.into(list[of])

    return read


@pytest.fixture
def without_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise AssertionError("the objects were read one by one")

    monkeypatch.setattr(reading, "read_object", refuse)


@pytest.mark.usefixtures("without_walk")
@pytest.mark.parametrize("of", [Shop, ShopStruct, Renamed, Optionals])
def test_plain_classes_are_built_from_columns(client: restway.Client, of: Any) -> None:
    assert len(client.map("Shop", FULL, into=list[of])) == 3
    assert client.map("Shop", FULL, into=list[Shop])[2] == Shop(
        -(2**62), "a\0b", True, -0.25, date(2026, 11, 26)
    )


ROWS = [
    FULL,
    # More objects than are read together: missing values first, then values.
    [{"id": number} for number in range(1_000)] + [{"id": 1_000, "name": "last", "size": 1.5}],
    [{"id": number, "name": "ä", "day": "2026-11-26T04:05:06Z"} for number in range(2_001)],
    [{"id": 1, "name": "x"}],
    [{"id": 1, "name": None, "size": 3, "day": None}, {"id": 2, "name": "ö", "size": None}],
    [{"id": 1}, {"id": 2, "name": "only one"}],
    [{"id": number, "name": "é" * number, "size": number / 4} for number in range(200)],
]


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("of", [Optionals, Defaults, Renamed, ShopStruct, Shop])
def test_columns_give_what_the_walk_gives(
    client: restway.Client, walked: Callable[[Any, Any], Any], of: Any, rows: Any
) -> None:
    def outcome(read: Callable[[], Any]) -> Any:
        try:
            return read()
        except restway.MappingError as error:
            return str(error), error.field

    objects = client.map("Shop", rows, commit=False).objects
    for part in (objects, objects[1:], objects[::-1], objects[:0]):
        assert outcome(lambda part=part: part.into(list[of])) == outcome(  # type: ignore[misc]
            lambda part=part: walked(part, of)  # type: ignore[misc]
        )


@pytest.mark.parametrize(
    ("name", "kind", "given", "message"),
    [
        ("extra", str, {"a": 1}, r"\[0\]\.extra: expected a str, not an object"),
        ("data", str, "AQI=", r"\[0\]\.data: expected a str, not bytes"),
        ("id", str, 7, r"\[0\]\.id: expected a str, not an int"),
        ("size", int, 1.5, r"\[0\]\.size: expected an int, not a float"),
        ("open", int, True, r"\[0\]\.open: expected an int, not a bool"),
        ("name", str, None, r"\[0\]\.name: expected a str, not null"),
        (
            "nowhere", str, None,
            r"\[0\]\.nowhere: a value is missing \(Shop has no attribute 'nowhere'\)",
        ),
    ],
)
def test_a_value_that_does_not_fit_is_named(
    client: restway.Client, name: str, kind: Any, given: Any, message: str
) -> None:
    made: Any = make_dataclass("Made", [(name, kind)])
    with pytest.raises(restway.MappingError, match=f"^{message}$"):
        client.map("Shop", [{"id": 1, name: given}], into=list[made])


def test_values_of_several_types_are_read_one_by_one(client: restway.Client) -> None:
    made: Any = make_dataclass("Made", [("mixed", str)])
    texts = client.map("Shop", [{"id": 1, "mixed": "a"}, {"id": 2, "mixed": "b"}])
    assert texts.into(list[made]) == [made("a"), made("b")]
    with pytest.raises(restway.MappingError, match=r"^\[1\]\.mixed: expected a str, not an int$"):
        client.map("Shop", [{"id": 1, "mixed": "a"}, {"id": 2, "mixed": 3}], into=list[made])


def test_objects_of_several_entities_are_read_one_by_one(client: restway.Client) -> None:
    both = {"towns": [{"id": 3, "name": "Rome"}], "shops": [{"id": 4, "name": "Rossi"}]}
    made: Any = make_dataclass("Made", [("id", int), ("name", str)])
    response = client.map(None, both, route="both")
    assert response.into(list[made]) == [made(3, "Rome"), made(4, "Rossi")]


def test_tuples_of_several_entities_have_the_attributes_that_were_asked_for(
    client: restway.Client,
) -> None:
    """The two entities have their attributes at different places."""
    both = {
        "towns": [{"id": 3, "name": "Rome"}],
        "shops": [{"id": 4, "name": "Rossi", "day": "2026-11-26T04:05:06Z", "extra": [1]}],
    }
    objects = client.map(None, both, route="both").objects
    expected = [("Rome", 3), ("Rossi", 4)]
    assert list(objects.values("name", "id")) == expected
    assert list(objects[::-1].values("name", "id")) == expected[::-1]
    assert [len(row) for row in objects.values()] == [2, len(ATTRIBUTES)]
    with pytest.raises(restway.UnknownAttributeError, match="Town has no attribute 'day'"):
        objects.values("day")
    assert list(objects[1:].values("day", "extra")) == [
        (datetime(2026, 11, 26, 4, 5, 6, tzinfo=timezone.utc), [1])
    ]


@pytest.mark.usefixtures("without_walk")
def test_objects_of_one_family_are_read_together(client: restway.Client) -> None:
    """The attributes of a family have the same places, whichever shapes have brought an object."""
    client.map("Person", [{"id": 1, "name": "Ada"}])
    client.map("Member", [{"id": 2, "name": "Bob", "plan": "pro"}])
    client.map("Bot", [{"id": 3, "name": "Cy", "token": "t"}])
    people = client.store.query("Person").order_by("id").all()
    assert [each.entity for each in people] == ["Person", "Member", "Bot"]
    made: Any = make_dataclass(
        "Made", [("id", int), ("name", str), ("plan", Optional[str]), ("token", Optional[str])]
    )
    expected = [
        made(1, "Ada", None, None), made(2, "Bob", "pro", None), made(3, "Cy", None, "t"),
    ]
    assert people.into(list[made]) == expected
    assert people[1:].into(list[made]) == expected[1:]


def test_constraints_of_structs_hold(client: restway.Client) -> None:
    small = msgspec.defstruct("Small", [("id", Annotated[int, msgspec.Meta(le=5)])])
    with pytest.raises(restway.MappingError, match=r"^\[1\]\.id: Expected `int` <= 5$"):
        client.map("Shop", [{"id": 5}, {"id": 6}], into=list[small])  # type: ignore[valid-type]


def test_fields_that_are_given_by_name_are_given_by_name(client: restway.Client) -> None:
    struct: Any = msgspec.defstruct("Named", [("name", str), ("id", int)], kw_only=True)
    assert client.map("Shop", FULL[:1], into=list[struct]) == [struct(name="Bäckerei", id=1)]

    @dataclass
    class Swapped:
        id: int
        name: str

        def __init__(self, name: str, id: int) -> None:
            self.name, self.id = name.upper(), id

    made = client.map("Shop", FULL[:1], into=list[Swapped])
    assert (made[0].id, made[0].name) == (1, "BÄCKEREI")


def test_an_exception_of_the_class_names_the_object(client: restway.Client) -> None:
    @dataclass
    class Choosy:
        id: int

        def __post_init__(self) -> None:
            if self.id == 2:
                raise ValueError("two is too much")

    with pytest.raises(restway.MappingError, match=r"^\[1\]: two is too much$") as caught:
        client.map("Shop", FULL, into=list[Choosy])
    assert type(caught.value.__cause__) is ValueError


def test_one_attribute_may_have_two_fields(client: restway.Client) -> None:
    @dataclass
    class Twice:
        day: date
        moment: datetime = field(metadata={"name": "day"})

    made = client.map("Shop", FULL, into=list[Twice])[1]
    assert made == Twice(date(1969, 1, 1), datetime(1969, 1, 1, tzinfo=timezone.utc))


@pytest.mark.usefixtures("without_walk")
def test_a_column_of_texts_with_nuls_and_nulls(client: restway.Client) -> None:
    names = ["\0", None, "a\0\0b", "", "ö\0", "plain"]
    rows = [{"id": number, "name": name} for number, name in enumerate(names)]
    made: Any = make_dataclass("Made", [("name", Optional[str])])
    assert [each.name for each in client.map("Shop", rows, into=list[made])] == names

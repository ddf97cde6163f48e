"""Transforms, hooks, and entities that are built step by step."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import pytest

import restway
from restway._ffi import callbacks as _callbacks

MEETINGS = {
    "restway": 1,
    "entities": {
        "Meeting": {
            "identity": "id",
            "attributes": {
                "id": {"type": "int"},
                "title": {"type": "string", "transform": "shout"},
                "note": {"type": "string"},
                "extra": {"type": "json", "source": "unseen"},
            },
            "relationships": {
                "attendees": {"source": "attendee_ids", "entity": "Employee", "many": True}
            },
        },
        "Employee": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}, "rank": {"type": "int"}},
            "relationships": {"meeting": {"entity": "Meeting"}},
        },
    },
    "responses": [
        {"path": "meetings/:id", "entity": "Meeting", "hook": "family"},
        {"path": "employees/:id", "entity": "Employee"},
    ],
}


@pytest.fixture(autouse=True)
def every_function_ends_with_its_api() -> Iterator[None]:
    yield
    gc.collect()  # a caught exception keeps its frames alive, and so the api
    assert _callbacks.functions.wait_until_empty(30)


def client_of(api: restway.API, demo_url: str) -> restway.Client:
    return restway.Client(api, base_url=demo_url, timeout=30.0)


def shout(value: Any) -> Any:
    return value.upper()


def ignore(rows: restway.Rows) -> None:
    pass


def test_a_transform_makes_values(demo_url: str) -> None:
    api = restway.API.from_json(MEETINGS)
    api.add_hook("family", ignore)

    @api.transform("shout")
    def louder(value: Any) -> Any:
        return value.upper()

    assert louder("a") == "A"
    with client_of(api, demo_url) as client:
        response = client.get("meetings/1")
        assert response.object is not None
        assert response.object.title.isupper() and not response.issues


@pytest.mark.parametrize(
    ("answer", "expected", "is_known"),
    [(None, None, True), (restway.NOTHING, None, False), ("", "", True), ("é", "é", True)],
)
def test_a_transform_answers_null_or_nothing(
    demo_url: str, answer: Any, expected: Any, is_known: bool
) -> None:
    api = restway.API.from_json(MEETINGS)
    api.add_hook("family", ignore)
    api.add_transform("shout", lambda value: answer)
    with client_of(api, demo_url) as client:
        meeting = client.get("meetings/1").object
        assert meeting is not None
        assert meeting.title == expected and ("title" in meeting) == is_known


@pytest.mark.parametrize("answer", [1, 1.5, True, b"x", [1], {"a": 1}, object()])
def test_what_a_transform_cannot_answer_is_an_issue(demo_url: str, answer: Any) -> None:
    api = restway.API.from_json(MEETINGS)
    api.add_hook("family", ignore)
    api.add_transform("shout", lambda value: answer)
    with client_of(api, demo_url) as client:
        response = client.get("meetings/1")
        assert response.object is not None and "title" not in response.object
        (issue,) = response.issues
        assert issue.key_path == "title" and "shout" in issue.reason


def test_what_a_transform_raises_is_an_issue_and_in_strict_mode_an_error(demo_url: str) -> None:
    def fail(value: Any) -> Any:
        raise KeyError("no\0good")

    for is_strict in (False, True):
        api = restway.API.from_json(MEETINGS)
        api.add_hook("family", ignore)
        api.add_transform("shout", fail)
        with restway.Client(api, base_url=demo_url, strict_mapping=is_strict) as client:
            if is_strict:
                with pytest.raises(restway.MappingError, match="KeyError"):
                    client.get("meetings/1")
            else:
                (issue,) = client.get("meetings/1").issues
                assert "KeyError: 'no" in issue.reason


def test_transforms_are_added_once_and_in_time(demo_url: str) -> None:
    api = restway.API.from_json(MEETINGS)
    with pytest.raises(restway.ConfigError) as caught:
        client_of(api, demo_url)
    assert len(caught.value.details) == 2
    api.add_hook("family", ignore)
    with pytest.raises(TypeError):
        api.add_transform("shout", 5)  # type: ignore[arg-type]
    with pytest.raises(restway.UsageError):
        api.add_transform("shout")
    with pytest.raises(restway.UsageError):
        api.add_transform("epoch", shout)
    api.add_transform("shout", encode=shout)
    with pytest.raises(restway.DuplicateError):
        api.add_transform("shout", shout)
    with client_of(api, demo_url), pytest.raises(restway.FrozenError):
        api.add_transform("late", shout)


# Hooks


def test_a_hook_gives_each_child_its_parent(demo_url: str) -> None:
    api = restway.API.from_json(MEETINGS)
    api.add_transform("shout", shout)
    seen: list[Any] = []

    @api.hook("family")
    def family(rows: restway.Rows) -> None:
        seen.append((len(rows), [row.entity for row in rows], rows.own_result))
        for parent in rows.results[rows.own_result]:
            seen.append(("note" in parent, parent["note"], parent["title"].isupper()))
            parent["note"] = "seen"
            parent["extra"] = {"deep": [1]}
            seen.append((parent["note"], parent["extra"]))
            for rank, child in enumerate(parent.related("attendees")):
                child["rank"] = rank
                child.relate("meeting", [parent])

    with client_of(api, demo_url) as client:
        meeting = client.get("meetings/1").object
        assert meeting is not None
        assert seen == [
            (4, ["Meeting", "Employee", "Employee", "Employee"], 0),
            (False, None, True),
            ("seen", {"deep": [1]}),
        ]
        assert meeting.note == "seen" and meeting.extra == {"deep": [1]}
        attendees = list(meeting.attendees)
        assert [employee.rank for employee in attendees] == [0, 1, 2]
        assert all(employee.meeting == meeting for employee in attendees)


def test_a_hook_links_objects_of_the_store(demo_url: str) -> None:
    api = restway.API.from_json(MEETINGS)
    api.add_transform("shout", shout)
    known: list[restway.Object] = []

    @api.hook("family")
    def family(rows: restway.Rows) -> None:
        rows[0].relate("attendees", known)

    with client_of(api, demo_url) as client:
        employee = client.get("employees/9").object
        assert employee is not None
        known.append(employee)
        meeting = client.get("meetings/1").object
        assert meeting is not None and list(meeting.attendees) == [employee]
        known.clear()
        again = client.get("meetings/1").object
        assert again is not None and list(again.attendees) == []


def test_a_hook_that_raises_discards_the_response(demo_url: str) -> None:
    api = restway.API.from_json(MEETINGS)
    api.add_transform("shout", shout)
    errors = [
        ValueError("an orphan"),
        restway.StoreError("mine", status=restway.Status.STORE),
    ]

    @api.hook("family")
    def family(rows: restway.Rows) -> None:
        raise errors.pop(0)

    with client_of(api, demo_url) as client:
        with pytest.raises(restway.MappingError, match="ValueError: an orphan"):
            client.get("meetings/1")
        with pytest.raises(restway.RestwayError, match="mine") as caught:
            client.get("meetings/1")
        assert caught.value.status == restway.Status.STORE
        assert client.store.count("Meeting") == 0
        del caught


def test_hooks_of_a_route_and_of_a_descriptor_are_asked_in_their_order(demo_url: str) -> None:
    api = restway.API.from_json(MEETINGS)
    api.add_transform("shout", shout)
    asked: list[tuple[str, int]] = []
    api.add_hook("family", lambda rows: asked.append(("family", rows.own_result)))
    with client_of(api, demo_url) as client:
        # Routes may be added to a frozen api, together with the hooks that they name.
        api.add_hook("own", lambda rows: asked.append(("own", rows.own_result)))
        api.add_route(
            "meeting",
            {"path": "meetings/:id", "response": {"entity": "Meeting", "hook": "own"}},
        )
        client.get("employees/1")
        assert asked == []
        client.route("meeting", variables={"id": 1})
        assert asked == [("own", 0), ("family", 1)]


def test_rows_refuse_what_does_not_fit_and_end_with_their_hook(demo_url: str) -> None:
    api = restway.API.from_json(MEETINGS)
    api.add_transform("shout", shout)
    kept: list[restway.Rows] = []
    raised: list[type[BaseException]] = []

    @api.hook("family")
    def family(rows: restway.Rows) -> None:
        kept.append(rows)
        steps: list[Any] = [
            lambda: rows[99],
            lambda: rows[0]["nothing"],
            lambda: rows[0].__setitem__("note", 5),
            lambda: rows[0].related("nobody"),
            lambda: rows[1].relate("meeting", [rows[1]]),
            lambda: rows[1].relate("meeting", [rows[0], rows[0]]),
            lambda: rows[1].relate("meeting", ["row"]),
        ]
        for step in steps:
            try:
                step()
            except Exception as error:
                raised.append(type(error))
        assert [row.number for row in rows[1:]] == [1, 2, 3]

    with client_of(api, demo_url) as client:
        client.get("meetings/1")
    assert raised == [
        IndexError,
        restway.UnknownAttributeError,
        restway.UsageError,
        restway.UnknownAttributeError,
        restway.UsageError,
        restway.UsageError,
        TypeError,
    ]
    with pytest.raises(ValueError, match="returned"):
        len(kept.pop())


# Entities by function


def test_entities_are_built_step_by_step(demo_url: str) -> None:
    api = restway.API.empty()
    api.add_entity("Meeting", {})
    api.add_entity("Employee", {})
    api.add_response({"path": "meetings/:id", "entity": "Meeting"})
    api.add_attribute("Meeting", "id", type="int")
    api.add_attribute("Meeting", "begin", source="starts_at", type="date", format="iso8601")
    api.add_attribute(
        "Meeting", "number", source="id", type="string", transform={"name": "numberText"}
    )
    api.add_attribute("Employee", "id", type="int")
    api.set_identity("Meeting", "id")
    api.set_identity("Employee", "id")
    api.add_relationship(
        "Meeting", "attendees", "Employee", source="attendee_ids", many=True, policy="merge"
    )
    api.add_relationship("Employee", "meeting", "Meeting", by_identity=True)
    with client_of(api, demo_url) as client:
        meeting = client.get("meetings/1").object
        assert meeting is not None
        assert meeting.identity == 1 and meeting.number == "1"
        assert isinstance(meeting.begin, datetime) and meeting.begin.tzinfo == timezone.utc
        assert [employee.identity for employee in meeting.attendees] == [1, 2, 3]
        with pytest.raises(restway.FrozenError):
            api.add_attribute("Meeting", "late")


def test_steps_that_are_wrong_say_so() -> None:
    api = restway.API.empty()
    api.add_entity("A", {"attributes": {"a": "a"}})
    with pytest.raises(restway.UnknownEntityError):
        api.add_attribute("B", "b")
    with pytest.raises(restway.DuplicateError):
        api.add_attribute("A", "a")
    with pytest.raises(restway.ConfigError) as caught:
        api.add_attribute("A", "b", type="int", transform="url")
    assert caught.value.details[0].path == "$.transform"
    with pytest.raises(ValueError, match="expected one of any, bool"):
        api.add_attribute("A", "b", type="integer")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected one of assign"):
        api.add_relationship("A", "b", "A", policy="append")  # type: ignore[arg-type]
    with pytest.raises(restway.UnknownEntityError):
        api.add_relationship("A", "b", "B")
    with pytest.raises(restway.UnknownAttributeError):
        api.set_identity("A", "b")

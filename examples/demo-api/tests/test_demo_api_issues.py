"""The issues, which have the shape of GitHub's API."""

from __future__ import annotations

from typing import Any

import pytest
from demo_client import Client

ISSUES = "repos/octo/hello/issues"


def test_link_headers_lead_through_all_pages(client: Client) -> None:
    numbers: list[int] = []
    url: str | None = f"{ISSUES}?state=all&labels=bug&per_page=2"
    while url is not None:
        answer = client.get(url)
        numbers += [issue["number"] for issue in answer.json]
        link = answer.headers["Link"]
        url = None if link is None else link.partition(">")[0].partition("/v2/")[2]
    assert numbers == [1, 3, 6, 8, 10, 12]
    assert answer.headers["X-Total-Count"] == "6"


def test_an_issue_is_opened_changed_and_discussed(client: Client) -> None:
    made = client.send("POST", ISSUES, {"title": "New", "labels": ["bug"]})
    assert made.status == 201
    path = made.headers["Location"].partition("/v2/")[2]
    changed = client.send("PATCH", path, {"state": "closed", "labels": []}).json
    assert (changed["title"], changed["state"], changed["labels"]) == ("New", "closed", [])
    assert client.send("POST", f"{path}/comments", {"body": "Done"}).status == 201
    assert [each["body"] for each in client.get(f"{path}/comments").json] == ["Done"]
    assert client.get(path).json["comments"] == 1


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["title"]),
        ({"title": ""}, ["title"]),
        ({"title": "x" * 101, "state": "lost"}, ["title", "state"]),
        ({"title": "x", "labels": ["no label"]}, ["labels"]),
        ({"title": "x", "labels": [{}]}, ["labels"]),
        ({"title": "x", "state": []}, ["state"]),
        ({"title": "x", "body": 1}, ["body"]),
    ],
)
def test_a_wrong_issue_is_refused_with_all_its_problems(
    client: Client, body: Any, fields: list[str]
) -> None:
    answer = client.send("POST", ISSUES, body)
    assert answer.status == 422
    assert answer.json["message"] == "Validation Failed"
    assert [problem["field"] for problem in answer.json["errors"]] == fields


@pytest.mark.parametrize(
    "path", ["repos/octo/other/issues", "repos/ada/hello/events", f"{ISSUES}/99", f"{ISSUES}/x"]
)
def test_what_does_not_exist_is_404(client: Client, path: str) -> None:
    assert client.get(path).status == 404


def test_all_issues_come_as_a_file_and_the_first_as_events(client: Client) -> None:
    table = client.get(f"{ISSUES}.csv")
    assert table.headers["Content-Disposition"] == 'attachment; filename="issues.csv"'
    assert table.body.startswith(b"number,state,title\n1,open,The window does not open\n")
    events = client.get("repos/octo/hello/events")
    assert events.headers["Content-Type"] == "text/event-stream"
    assert events.body.startswith(b"id: 1\nevent: opened\ndata: {")

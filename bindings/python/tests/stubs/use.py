"""A program that uses the module made of tracker.restway.json. It is checked and never run: each
line that ends with the word `error` after a comment sign has an error, and no other line has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import tracker
from typing_extensions import assert_type

import restway
from restway.stubs import TypedObjects, TypedResponse


@dataclass
class Title:
    title: str


def by_path(client: tracker.Client) -> None:
    issue = client.get("issues/12").object
    print(issue.title, issue.login)
    print(issue.titel)  # error
    print(client.get("issues/12").object.titel)  # error
    for found in client.get("whatever").objects:
        print(found.titel)  # error


def by_template(client: tracker.Client) -> None:
    response = client.get("issues/:number", variables={"number": 12}, timeout=3)
    assert_type(response, TypedResponse[tracker.Issue])
    print(response.status, response.object.title)
    print(response.object.titel)  # error
    print(response.object.login)  # error
    client.get("issues/:number", variables={"nummer": 12})  # error
    client.get("issues/:number", variables={"number": "twelve"})  # error
    client.get("issues/12", variables={"number": 12})  # error
    client.get("issues/:number", variables={"number": 12}, timeuot=3)  # error
    client.patch("issues/:number", variables={"number": 12}, json={"title": "new"})
    client.get("repos/{owner}/{repo}/issues{?page}", variables={"owner": "o", "repo": "r"})
    client.get("repos/{owner}/{repo}/issues{?page}", variables={"owner": "o"})  # error


def by_name(client: tracker.Client) -> None:
    assert_type(client.route("issue", variables={"number": 12}), TypedResponse[tracker.Issue])
    client.route("issue", "PATCH", variables={"number": 12}, json={"title": "new"})
    client.route("issue", "PUT", variables={"number": 12})  # error
    client.route("issue", variables={"numbr": 12})  # error
    client.route("issue")  # error
    client.route("isue", variables={"number": 12})  # error
    client.route("health", variables={"number": 12})  # error
    client.route("issues", variables={"owner": "o", "repo": "r", "page": 2})
    client.route("issues", variables={"owner": "o", "repo": "r", "pages": 2})  # error
    assert_type(client.route("search"), TypedResponse[tracker.User])
    assert_type(client.route("search", variables={"q": "x"}), TypedResponse[tracker.User])
    mixed = client.route("mixed")
    assert_type(mixed, TypedResponse["tracker.Issue | tracker.User"])
    for item in mixed.objects:
        print(item.number)
        print(item.title)  # error
        if isinstance(item, tracker.Issue):
            print(item.title)
    owner = client.route("owner", variables={"item.id": 7})
    assert_type(owner, TypedResponse[tracker.User])
    client.route("owner", "PUT", variables={"item.id": 7})
    client.route("owner", variables={"item_id": 7})  # error
    assert_type(client.route("report"), TypedResponse[Any])
    assert_type(client.route("health"), TypedResponse[Any])


def into(client: tracker.Client) -> None:
    variables: tracker.IssueVariables = {"number": 12}
    assert_type(client.get("issues/:number", variables=variables, into=Title), Title)
    assert_type(client.get("issues/12", into=Title, depth=1), Title)
    assert_type(client.get("mixed", into=list[Title]), "list[Title]")
    assert_type(client.route("issue", variables=variables, into=Title), Title)
    assert_type(client.route("search", into=list[Title]), "list[Title]")
    client.get("issues/:number", variables={"nummer": 12}, into=Title)  # error
    client.route("issue", variables={"numbr": 12}, into=Title)  # error
    client.get("issues/12", into=Title, dept=1)  # error


def objects(client: tracker.Client, issue: tracker.Issue) -> None:
    assert_type(issue.number, "int | None")
    assert_type(issue.title, "str | None")
    assert_type(issue.created_at, "datetime | None")
    assert_type(issue.weight, "float | None")
    assert_type(issue.locked, "bool | None")
    assert_type(issue.extra, Any)
    assert_type(issue.anything, Any)
    assert_type(issue.user, "tracker.User | None")
    assert_type(issue.labels, TypedObjects[tracker.IssueLabel])
    assert_type(issue.labels[0].name, "str | None")
    assert_type(issue["size.cm"], Any)
    assert_type(issue.keys(), "list[str]")
    issue.title = "new"  # error
    print(issue.user.login)  # error
    assert_type(client.get(issue), TypedResponse[tracker.Issue])
    assert_type(client.store.newest(issue), "restway.Object | None")
    print(next(iter(issue.labels)).name, issue.related("labels"))
    assert_type(attribute_of(issue), Any)


def attribute_of(item: restway.Object) -> Any:
    """An object of an entity is accepted wherever any object is."""
    return item.titel


def drafts(client: tracker.Client, issue: tracker.Issue, user: tracker.User) -> None:
    draft = client.draft("Issue", title="new", weight=2, user=user)
    assert_type(draft, tracker.IssueDraft)
    client.draft("Issue", title=3)  # error
    client.draft("Issue", titel="new")  # error
    client.draft("Isue", title="new")  # error
    client.draft("Issue", user=issue)  # error
    draft.title = "other"
    draft.title = None
    draft.title = 3  # error
    draft.titel = "other"  # error
    draft.created_at = datetime.now()
    draft.created_at = "2026-11-26"  # error
    draft.labels = [client.draft("issue-label", name="bug"), *issue.labels]
    draft.labels = [user]  # error
    draft.update(title="other", locked=True)
    draft.update(locked="yes")  # error
    print(draft.title, draft.changed)
    print(draft.titel)  # error
    assert_type(draft.insert(), tracker.Issue)
    assert_type(client.post(draft), TypedResponse[tracker.Issue])
    assert_type(client.draft(issue, title="new"), tracker.IssueDraft)
    client.draft(issue, title=3)  # error


async def awaited(client: tracker.AsyncClient) -> None:
    issue = (await client.get("issues/:number", variables={"number": 12})).object
    print(issue.title)
    print(issue.titel)  # error
    await client.get("issues/:number", variables={"nummer": 12})  # error
    assert_type(await client.route("search"), TypedResponse[tracker.User])
    await client.route("issue", variables={"numbr": 12})  # error
    assert_type(await client.get("issues/12", into=Title), Title)
    client.draft("Issue", title=3)  # error

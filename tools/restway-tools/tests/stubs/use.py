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
from restway.typed import (
    AsyncPagesInto,
    PagesInto,
    TypedAsyncPagedList,
    TypedObjects,
    TypedPagedList,
    TypedPages,
    TypedQuery,
    TypedQueryChanges,
    TypedResponse,
)


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
    assert_type(client.store.newest(issue), "tracker.Issue | None")
    print(next(iter(issue.labels)).name, issue.related("labels"))
    assert_type(attribute_of(issue), Any)


def attribute_of(item: restway.Object) -> Any:
    """An object of an entity is accepted wherever any object is."""
    return item.titel


def stored(client: tracker.Client) -> None:
    store = client.store
    query = store.query("Issue").where("number", ">", 3).filter("title like ?", "%a%")
    query = query.order_by("-number").limit(20, 2).rejected(None).unloaded(None)
    query = query.pending(None).pending_deletes("show").conflicted(None)
    assert_type(query, TypedQuery[tracker.Issue])
    for issue in query:
        print(issue.title)
        print(issue.titel)  # error
    first = query.first()
    assert_type(first, "tracker.Issue | None")
    print(first.title)  # error
    assert_type(query[0].title, "str | None")
    print(query[0].titel)  # error
    assert_type(query[2:4], TypedQuery[tracker.Issue])
    print(query[2:4][0].titel)  # error
    assert_type(query.all(), TypedObjects[tracker.Issue])
    assert_type(query.all().into(list[Title]), "list[Title]")
    assert_type(query.count(), int)
    print(len(query), query.counts(by="title"), query.to_dicts(), query.to_arrow())
    store.query("Isue")  # error
    assert_type(store.find("User", "octo"), "tracker.User | None")
    print(store.find("Isue", 7))  # error
    assert_type(store.all("issue-label"), TypedObjects[tracker.IssueLabel])
    print(store.all("User")[0].title)  # error
    print(store.all("User").to_dicts(), store.all("User").to_pandas())

    def changed(changes: TypedQueryChanges[tracker.Issue]) -> None:
        print(changes.insertions, changes.objects[0].title)
        print(changes.objects[0].titel)  # error

    observer = client.observe_query(changed, query)
    assert_type(observer.objects, TypedObjects[tracker.Issue])
    client.observe_query(lambda changes: print(changes.objects[0].title), query)
    client.observe_query(lambda changes: print(changes.objects[0].titel), query)  # error
    client.observe_query(changed, store.query("User"))  # error


def paged(client: tracker.Client) -> None:
    repo: tracker.IssuesVariables = {"owner": "o", "repo": "r"}
    pages = client.pages("issues", variables=repo, objects_max=50, timeout=3)
    assert_type(pages, TypedPages[tracker.Issue])
    for issue in pages:
        print(issue.title)
        print(issue.titel)  # error
    for page in pages.pages:
        print(page.total, page.objects[0].title)
        print(page.objects[0].titel)  # error
    following = pages.next_page()
    if following is not None:
        print(following.objects[0].titel)  # error
    client.pages("issues")  # error
    client.pages("issues", variables={"owner": "o"})  # error
    client.pages("search")  # error
    client.pages("issues", variables=repo, object_max=50)  # error
    for user in client.pages("people"):
        print(user.login)
        print(user.title)  # error
    for found in client.pages(restway.Request.route("people"), pages_max=2):
        print(found.titel)  # error
    titles = client.pages("issues", variables=repo, into=Title, depth=1)
    assert_type(titles, PagesInto[Title])
    for title in titles:
        print(title.title)
        print(title.number)  # error
    client.pages("people", into=Title, dept=1)  # error
    kept = client.list("issues", variables=repo)
    assert_type(kept, TypedPagedList[tracker.Issue])
    kept.load_more()
    print(kept.objects[0].titel)  # error
    client.list("issues")  # error
    client.list("search")  # error


def scoped(client: tracker.Client) -> None:
    scope = client.scope(owner="o", repo="r")
    assert_type(scope, tracker.ClientScope)
    assert_type(scope.scope(number=7), tracker.ClientScope)
    client.scope(ownr="o")  # error
    scope.scope(number="seven")  # error
    print(scope.get("issues/:number", variables={"number": 7}).object.title)
    print(scope.get("issues/:number").object.titel)  # error
    print(scope.get("issues/12").object.titel)  # error
    assert_type(scope.route("issues"), TypedResponse[tracker.Issue])
    assert_type(scope.route("issues", variables={"page": 2}), TypedResponse[tracker.Issue])
    scope.route("issues", variables={"pages": 2})  # error
    assert_type(scope.route("issue", into=Title), Title)
    assert_type(scope.pages("issues"), TypedPages[tracker.Issue])
    assert_type(scope.pages("issues", into=Title), PagesInto[Title])
    assert_type(scope.list("issues").objects, TypedObjects[tracker.Issue])
    print([issue.titel for issue in scope.pages("issues")])  # error


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
    assert_type(client.store.find("Issue", 7), "tracker.Issue | None")
    async for user in client.pages("people"):
        print(user.login)
        print(user.title)  # error
    async for page in client.pages("people").pages:
        print(page.objects[0].title)  # error
    assert_type(client.pages("people", into=Title), AsyncPagesInto[Title])
    assert_type(client.list("people"), TypedAsyncPagedList[tracker.User])
    scope = client.scope(owner="o")
    assert_type(scope, tracker.AsyncClientScope)
    assert_type(await scope.get("issues/:number"), TypedResponse[tracker.Issue])
    print((await scope.get("issues/12")).object.titel)  # error
    print([issue.titel async for issue in scope.pages("issues")])  # error
    observer = client.observe_query(print, client.store.query("Issue"))
    assert_type(observer.objects, TypedObjects[tracker.Issue])

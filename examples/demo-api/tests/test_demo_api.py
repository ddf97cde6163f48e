"""The resources of the demo API: lists, objects, validation, versions."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from demo_client import Answer, Client

ADA = {"first_name": "Ada", "last_name": "Łoś"}


def add(client: Client, path: str, body: object) -> Any:
    answer = client.send("POST", path, body)
    assert answer.status == 201, answer.body
    assert answer.headers["Location"] == f"/v2/{path}/{answer.json['id']}"
    return answer.json


def test_status_counts_what_the_seed_made(client: Client) -> None:
    status = client.get("status").json
    assert status["status"] == "ok"
    assert status["enterprises"] >= 300
    assert status["people"] > 0 and status["employees"] > 0 and status["meetings"] > 0


def test_enterprise_has_the_documented_shape(client: Client) -> None:
    enterprise = client.get("enterprises/17").json
    assert list(enterprise) == [
        *("id", "name", "address", "owner", "owner_id", "tags", "creation_date", "updated_at"),
        *("employee_count", "rating", "active", "website", "parent_id"),
    ]
    assert list(enterprise["address"]) == [
        *("street_number", "street", "city", "zip", "country", "location"),
    ]
    assert list(enterprise["address"]["location"]) == ["lat", "lon"]
    assert client.get(f"people/{enterprise['owner_id']}").json == enterprise["owner"]


def test_sample_names_are_not_only_ascii(client: Client) -> None:
    answer = client.get("enterprises")
    assert any(not item["name"].isascii() for item in answer.json["array_of_enterprises"])
    assert b"\\u" not in answer.body


def test_pages_partition_the_list(client: Client) -> None:
    first = client.get("enterprises?sort=id&page=1&per_page=7").json
    second = client.get("enterprises?sort=id&page=2&per_page=7").json
    ids = [item["id"] for item in first["array_of_enterprises"] + second["array_of_enterprises"]]
    assert ids == list(range(1, 15))
    assert first["total"] == second["total"] >= 300
    assert client.get("enterprises?page=100000").json["array_of_enterprises"] == []
    assert len(client.get("enterprises?page=1").json["array_of_enterprises"]) == 20


def test_filters_narrow_the_list_and_its_total(client: Client) -> None:
    everything = client.get("enterprises").json["array_of_enterprises"]
    found = client.get("enterprises?q=m%C3%9CLLER&per_page=2").json
    expected = [item for item in everything if "müller" in item["name"].casefold()]
    assert found["total"] == len(expected) > 0
    assert found["array_of_enterprises"] == expected[:2]
    city = client.get("enterprises?city=m%C3%BCnchen&active=true").json["array_of_enterprises"]
    assert city and all(item["address"]["city"] == "München" for item in city)
    assert all(item["active"] for item in city)


def test_sort_orders_in_both_directions(client: Client) -> None:
    ratings = [
        item["rating"]
        for item in client.get("enterprises?sort=-rating&active=false").json["array_of_enterprises"]
    ]
    assert ratings == sorted(ratings, reverse=True)
    cities = [
        item["address"]["city"]
        for item in client.get("enterprises?sort=city&active=false").json["array_of_enterprises"]
    ]
    assert cities == sorted(cities)


@pytest.mark.parametrize(
    "query", ["page=0", "page=x", "per_page=-1", "per_page=", "sort=shoe", "active=maybe"]
)
def test_wrong_list_parameter_is_422_and_named(client: Client, query: str) -> None:
    answer = client.get(f"enterprises?{query}")
    assert (answer.status, answer.error_code) == (422, 42201)
    assert query.partition("=")[0] in answer.json["error"]["error_description"]


@pytest.mark.parametrize("wrap", [False, True])
def test_post_creates_with_a_new_id_from_a_bare_or_wrapped_body(client: Client, wrap: bool) -> None:
    body = {"id": 1, "name": "Neue Brücke", "owner": {"id": 2}, "unknown": 1, "updated_at": None}
    made = add(client, "enterprises", {"enterprise": body} if wrap else body)
    assert made["id"] > 300
    assert made["owner"] == client.get("people/2").json
    assert (made["tags"], made["active"], made["website"]) == ([], True, None)
    assert client.get(f"enterprises/{made['id']}").json == made
    listed = client.get("enterprises").json["array_of_enterprises"]
    assert made in listed


def test_put_replaces_and_patch_merges(client: Client) -> None:
    address = {"city": "Lyon", "zip": "69001", "location": {"lat": 1, "lon": 2}}
    path = f"enterprises/{add(client, 'enterprises', {'name': 'A', 'address': address})['id']}"
    merged = client.send("PATCH", path, {"address": {"zip": None, "location": {"lat": 5}}}).json
    assert merged["name"] == "A"
    assert merged["address"]["city"] == "Lyon" and merged["address"]["zip"] is None
    assert merged["address"]["location"] == {"lat": 5, "lon": 2}
    replaced = client.send("PUT", path, {"name": "B"}).json
    assert replaced["address"]["city"] is None and replaced["address"]["location"] is None
    assert client.get(path).json == replaced


def test_what_get_gives_can_be_put_back(client: Client) -> None:
    made = add(client, "enterprises", {"name": "Echo", "owner_id": 3, "rating": 4.5})
    answer = client.send("PUT", f"enterprises/{made['id']}", made)
    assert answer.status == 200
    assert {**answer.json, "updated_at": ""} == {**made, "updated_at": ""}


def test_delete_is_204_then_404_and_ids_are_not_used_again(client: Client) -> None:
    made = add(client, "employees", ADA)
    path = f"employees/{made['id']}"
    gone = client.send("DELETE", path)
    assert (gone.status, gone.body, gone.headers["Content-Length"]) == (204, b"", None)
    assert client.get(path).error_code == 40401
    assert client.send("DELETE", path).status == 404
    assert add(client, "employees", ADA)["id"] > made["id"]


@pytest.mark.parametrize(
    ("path", "body", "where"),
    [
        ("enterprises", {}, "name"),
        ("enterprises", {"name": " "}, "name"),
        ("enterprises", {"name": 7}, "name"),
        ("enterprises", {"name": "\ud800"}, "name"),
        ("enterprises", {"name": "A", "rating": 5.1}, "rating"),
        ("enterprises", {"name": "A", "rating": True}, "rating"),
        ("enterprises", {"name": "A", "address": []}, "address"),
        (
            "enterprises",
            {"name": "A", "address": {"location": {"lat": 91}}},
            "address.location.lat",
        ),
        ("enterprises", {"name": "A", "tags": ["a", 1]}, "tags[1]"),
        ("enterprises", {"name": "A", "creation_date": "2001-02-30"}, "creation_date"),
        ("enterprises", {"name": "A", "employee_count": 1.5}, "employee_count"),
        ("enterprises", {"name": "A", "owner_id": 999999}, "owner_id"),
        ("enterprises", {"name": "A", "owner_id": 1, "owner": {"id": 2}}, "owner.id"),
        ("employees", {**ADA, "hired_at": "2020-01-01T10:00:00"}, "hired_at"),
        ("employees", {**ADA, "email": "nobody"}, "email"),
        ("meetings", {"title": "T", "attendee_ids": [1, 0]}, "attendee_ids[1]"),
        ("meetings", {"title": "T", "notes": [{"id": 1}]}, "notes[0].text"),
        ("inspections", {"place": "P", "result": "lost"}, "result"),
        ("inspections", {"place": "P", "result": "failed"}, "remark"),
    ],
)
def test_invalid_field_is_422_and_named_by_key_path(
    client: Client, path: str, body: object, where: str
) -> None:
    answer = client.send("POST", path, body)
    assert (answer.status, answer.error_code) == (422, 42200)
    assert answer.json["error"]["error_description"].startswith(f"{where}: ")


def test_employees_and_chiefs_belong_to_their_enterprise(client: Client) -> None:
    staff = client.get("enterprises/5/employees").json["employees"]
    assert len(staff) >= 3 and all(one["enterprise_id"] == 5 for one in staff)
    chiefs = client.get("enterprises/5/chiefs").json["chiefs"]
    assert chiefs == [one for one in staff if one["chief"]] != []
    assert client.get("employees?enterprise_id=5").json["employees"] == staff
    assert client.get(f"employees/{staff[0]['id']}").json == staff[0]
    assert client.get("enterprises/999999/chiefs").status == 404


def test_employee_instants_keep_their_offset_and_sort_by_time(client: Client) -> None:
    early = add(client, "employees", {**ADA, "hired_at": "1990-01-01T23:30:00+02:00"})
    late = add(client, "employees", {**ADA, "hired_at": "1990-01-01T22:00:00.5Z"})
    assert early["hired_at"] == "1990-01-01T23:30:00+02:00"
    order = [item["id"] for item in client.get("employees?sort=hired_at").json["employees"]]
    assert order.index(early["id"]) < order.index(late["id"])


def test_notes_are_added_read_and_removed(client: Client) -> None:
    path = f"meetings/{add(client, 'meetings', {'title': 'Übergabe'})['id']}"
    first = add(client, f"{path}/notes", {"text": "one", "author_id": 1})
    second = add(client, f"{path}/notes", {"note": {"text": "two"}})
    assert client.get(f"{path}/notes").json == {"notes": [first, second]}
    assert client.get(path).json["notes"] == [first, second]
    assert client.get(f"{path}/notes/{second['id']}").json == second
    assert client.send("DELETE", f"{path}/notes/{first['id']}").status == 204
    assert client.get(path).json["notes"] == [second]
    assert client.send("DELETE", f"{path}/notes/{first['id']}").error_code == 40401


def test_notes_keep_their_ids_when_a_meeting_is_put_back(client: Client) -> None:
    made = add(client, "meetings", {"title": "T", "notes": [{"text": "a"}, {"id": 1, "text": "b"}]})
    assert len({note["id"] for note in made["notes"]} - {1}) == 2
    made["notes"].append({"text": "c"})
    again = client.send("PUT", f"meetings/{made['id']}", made).json
    assert again["notes"][:2] == made["notes"][:2] and again["notes"][2]["id"] is not None


def test_a_failed_inspection_needs_a_remark(client: Client) -> None:
    made = add(client, "inspections", {"place": "Roof ladder"})
    path = f"inspections/{made['id']}"
    assert (made["result"], made["remark"]) == ("open", None)
    refused = client.send("PATCH", path, {"result": "failed"})
    assert (refused.status, refused.error_code) == (422, 42200)
    assert client.get(path).json == made
    failed = {"result": "failed", "remark": "A rung is loose."}
    assert client.send("PATCH", path, failed).json == {**made, **failed}


@pytest.mark.parametrize("path", ["enterprises/3", "enterprises", "enterprises/3/chiefs"])
def test_if_none_match_answers_304_without_a_body(client: Client, path: str) -> None:
    first = client.get(path)
    for condition in (first.etag, f'"x", W/{first.etag}', "*"):
        again = client.get(path, If_None_Match=condition)
        assert (again.status, again.body, again.etag) == (304, b"", first.etag)
    assert client.get(path, If_None_Match='"other"').status == 200


def test_a_write_changes_the_tags_of_object_and_list(client: Client) -> None:
    path = f"employees/{add(client, 'employees', ADA)['id']}"
    before, list_before = client.get(path).etag, client.get("employees").etag
    after = client.send("PATCH", path, {"salary": 1})
    assert before != after.etag == client.get(path).etag
    assert client.get("employees").etag != list_before


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_if_match_guards_writes(client: Client, method: str) -> None:
    path = f"employees/{add(client, 'employees', ADA)['id']}"

    def write(condition: str) -> Answer:
        return client.send(method, path, None if method == "DELETE" else ADA, If_Match=condition)

    tag = client.get(path).etag
    for condition in ('"stale"', f"W/{tag}"):
        assert write(condition).error_code == 41200
    assert client.get(path).etag == tag
    assert write(tag).status in (200, 204)


def test_concurrent_guarded_writes_have_one_winner(client: Client) -> None:
    path = f"employees/{add(client, 'employees', ADA)['id']}"
    tag = client.get(path).etag
    statuses: list[int] = []

    def write(salary: int) -> None:
        answer = Client(client.port).send("PATCH", path, {"salary": salary}, If_Match=tag)
        statuses.append(answer.status)

    threads = [threading.Thread(target=write, args=(salary,)) for salary in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] + [412] * 7

"""Several requests in one call."""

from __future__ import annotations

import json
from typing import Any

import pytest
from demo_client import Answer, Client


def post(client: Client, *items: object) -> Answer:
    return client.send(
        "POST",
        "batch",
        json.dumps({"batch": list(items)}).encode(),
        **{"Content-Type": "application/json"},
    )


def get(uri: str, **more: Any) -> dict[str, Any]:
    return {"method": "GET", "uri": uri, **more}


def test_each_request_is_answered_by_position(client: Client) -> None:
    own = client.send("POST", "enterprises", {"name": "Own"}).json["id"]
    answer = post(
        client,
        get("/enterprises/3"),
        get("/enterprises/999999"),
        get("/enterprises?page=1&per_page=2"),
        {"method": "PATCH", "uri": f"/enterprises/{own}", "body": '{"name": "Other"}'},
        {"method": "DELETE", "uri": f"/enterprises/{own}"},
    )
    assert answer.status == 200
    assert [each["code"] for each in answer.json] == [200, 404, 200, 200, 204]
    bodies = [each["body"] and json.loads(each["body"]) for each in answer.json]
    assert bodies[0]["id"] == 3
    assert bodies[1]["error"]["error_code"] == 40401
    assert len(bodies[2]["array_of_enterprises"]) == 2
    assert bodies[3]["name"] == "Other"
    assert bodies[4] is None
    assert answer.json[0]["headers"]["Content-Type"] == "application/json"


def test_headers_of_the_batch_count_for_all_and_own_ones_stand_over_them(client: Client) -> None:
    answer = client.send(
        "POST",
        "batch",
        json.dumps({"batch": [get("/echo"), get("/echo", headers={"x-a": "own"})]}).encode(),
        **{"Content-Type": "application/json", "X-A": "outer"},
    )
    echoes = [json.loads(each["body"])["headers"] for each in answer.json]
    assert echoes[0]["X-A"] == "outer"
    assert echoes[1]["x-a"] == "own" and "X-A" not in echoes[1]
    assert "Content-Type" not in echoes[0]


def test_an_empty_batch_has_no_answers(client: Client) -> None:
    assert post(client).json == []


def test_a_batch_has_a_limit_and_none_within(client: Client) -> None:
    assert post(client, *[get("/status")] * 21).error_code == 41300
    inner = post(client, {"method": "POST", "uri": "/batch", "body": "{}"}).json[0]
    assert inner["code"] == 400


@pytest.mark.parametrize(
    "item",
    [3, {}, {"method": "GET"}, get("status"), get("/status", body=1), get("/status", headers=[])],
)
def test_what_is_no_request_is_refused(client: Client, item: object) -> None:
    assert post(client, item).error_code == 42200

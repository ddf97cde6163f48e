"""The mapping rules over a real connection: documents, answers, and the content of the store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Optional

import pytest

import restway

from .mapping_cases import (
    CASES,
    STORES,
    Exchange,
    contents,
    document_of,
    draft_of,
    exact,
    exchanges_of,
    reference,
    unsent,
)
from .peer import Peer

each_store = pytest.mark.parametrize("kind", STORES)
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)

Outcome = tuple[Optional[restway.Response], Optional[restway.RestwayError]]


@pytest.mark.no_library
def test_the_cases_are_there() -> None:
    assert len(CASES) > 20


@each_store
@each_case
def test_the_store_is_as_the_case_says(
    case: Path, kind: str, peer: Peer, tmp_path: Path
) -> None:
    document = document_of(case, kind, tmp_path)
    api = restway.API.from_json(document)
    with restway.Client(api, base_url=peer.url, timeout=30) as client:
        for exchange in exchanges_of(case):
            response, error = perform(client, peer, exchange)
            check_outcome(exchange, error)
            assert response is not None
            assert tuple(issue.key_path for issue in response.issues) == exchange.issues
            assert response.issue_count == len(exchange.issues)
            if exchange.objects != "unchecked":
                check_objects(client.store, response, exchange)
            if exchange.store is not None:
                assert exact(contents(client.store, document)) == exact(
                    {entity: objects for entity, objects in exchange.store.items() if objects}
                ), exchange.about
                assert unsent(client.store, document) == (exchange.unsent or {})


@each_store
@each_case
def test_in_strict_mode_an_issue_leaves_the_store_as_it_was(
    case: Path, kind: str, peer: Peer, tmp_path: Path
) -> None:
    document = document_of(case, kind, tmp_path)
    api = restway.API.from_json(document)
    with restway.Client(api, base_url=peer.url, timeout=30, strict_mapping=True) as client:
        for exchange in exchanges_of(case):
            before = contents(client.store, document)
            _, error = perform(client, peer, exchange)
            if not exchange.issues:
                check_outcome(exchange, error)
                continue
            assert contents(client.store, document) == before
            if exchange.status // 100 == 2:
                assert isinstance(error, restway.MappingError)
                assert tuple(path for path, _ in error.details) == exchange.issues
            else:
                assert isinstance(error, restway.HTTPStatusError)


def perform(client: restway.Client, peer: Peer, exchange: Exchange) -> Outcome:
    method, path = exchange.request.split(" ")
    peer.respond((exchange.text or "").encode(), status=exchange.status)
    request = restway.Request.path(method, path)
    if exchange.draft is not None:
        draft = draft_of(client, exchange.draft)
        if exchange.inserted:
            draft.insert()
        request.about(draft)
    try:
        return client.perform(request), None
    except restway.RestwayError as error:
        return error.response, error
    finally:
        if exchange.sent is not None:
            assert json.loads(peer.requests[-1].partition(b"\r\n\r\n")[2]) == exchange.sent


def check_outcome(exchange: Exchange, error: restway.RestwayError | None) -> None:
    if exchange.error:
        assert isinstance(error, restway.MappingError)
    elif exchange.status // 100 == 2:
        assert error is None
    else:
        assert isinstance(error, restway.HTTPStatusError)


def check_objects(store: restway.Store, response: restway.Response, exchange: Exchange) -> None:
    assert response.is_mapped == (exchange.objects is not None)
    expected = exchange.objects or []
    assert len(response.results) == len(expected)
    for found, named in zip(response.results, expected):
        assert isinstance(named, dict)
        ((entity, references),) = named.items()
        assert exact([reference(store, item) for item in found]) == exact(references)
        assert {item.entity for item in found} <= {entity}

"""Properties that hold for any JSON and any mapping."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import restway

from .mapping_cases import contents
from .mapping_model import Model
from .mapping_strategies import api_documents, exchanges, modelled_documents
from .peer import Peer

JSON = Any
"""A value that `json.loads` returns."""

Exchange = tuple[dict[str, JSON], list[JSON]]

EXAMPLES = os.environ.get("RESTWAY_EXAMPLES")
"""How many examples each test takes, chosen anew each time; for long searches."""

# Every run uses the same examples, so that no run fails by chance.
bounded = settings(
    max_examples=int(EXAMPLES or 150),
    derandomize=EXAMPLES is None,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def fetch(client: restway.Client, peer: Peer, body: JSON) -> restway.Response:
    peer.respond(json.dumps(body).encode())
    return client.get("it")


def client_of(document: JSON, peer: Peer, strict: bool = False) -> restway.Client:
    api = restway.API.from_json(document)
    return restway.Client(api, base_url=peer.url, timeout=30, strict_mapping=strict)


def everything(store: restway.Store, document: JSON) -> Iterator[restway.Object]:
    for entity in document["entities"]:
        yield from store.query(entity).unloaded(None)


@bounded
@given(exchange=exchanges(api_documents()))
def test_no_json_makes_phantoms_or_a_second_of_the_same(exchange: Exchange, peer: Peer) -> None:
    document, bodies = exchange
    with client_of(document, peer) as client:
        response = [fetch(client, peer, body) for body in bodies][-1]
        assert response.is_mapped
        store, seen = client.store, set()
        for item in everything(store, document):
            related = {name: item.related_keys(name) for name in item.relationships()}
            assert item.attributes() or any(keys is not None for keys in related.values())
            for name, keys in related.items():
                found = [other.store_key for other in item.related(name)]
                assert found == [key for key in keys or [] if key in found]
                if len(bodies) == 1:  # no object has been replaced
                    assert found == (keys or [])
            assert item.identity is None or (item.entity, item.identity) not in seen
            seen.add((item.entity, item.identity))
        # Every object of the response is the newest snapshot in the store.
        for item in response.objects:
            newest = store.newest(item)
            assert newest is not None and newest.attributes() == item.attributes()


@bounded
@given(exchange=exchanges(api_documents()))
def test_mapping_twice_equals_mapping_once(exchange: Exchange, peer: Peer) -> None:
    document, bodies = exchange
    with client_of(document, peer) as client:
        first = [fetch(client, peer, body) for body in bodies][-1]
        once = contents(client.store, document)
        identified = [item for item in everything(client.store, document) if item.identity]
        isolated = all(item.identity is not None for item in everything(client.store, document))
        second = fetch(client, peer, bodies[-1])
        assert len(second.objects) == len(first.objects)
        assert second.issues == first.issues
        if isolated:
            assert contents(client.store, document) == once
        for item in identified:
            again = client.store.newest(item)
            assert again is not None and again.attributes() == item.attributes()


@bounded
@given(exchange=exchanges(api_documents()))
def test_strict_mode_refuses_exactly_what_has_issues(exchange: Exchange, peer: Peer) -> None:
    document, (body, *_) = exchange
    with client_of(document, peer) as lenient, client_of(document, peer, strict=True) as strict:
        issues = fetch(lenient, peer, body).issues
        if issues:
            with pytest.raises(restway.MappingError) as caught:
                fetch(strict, peer, body)
            assert [path for path, _ in caught.value.details] == [path for path, _ in issues]
            assert strict.store.count() == 0
            del caught
        else:
            fetch(strict, peer, body)
            assert contents(strict.store, document) == contents(lenient.store, document)


@bounded
@given(exchange=exchanges(modelled_documents()))
def test_the_store_is_what_the_rules_say(exchange: Exchange, peer: Peer) -> None:
    document, bodies = exchange
    model = Model(document)
    with client_of(document, peer) as client:
        for body in json.loads(json.dumps(bodies)):
            fetch(client, peer, body)
            model.map(body)
            found = Counter(str(shown(item)) for item in everything(client.store, document))
            assert found == model.contents()


def shown(item: restway.Object) -> JSON:
    """Returns an object in the form of the model."""
    values: dict[str, JSON] = {"": item.entity}
    values.update((name, repr(value)) for name, value in item.attributes().items())
    for name in item.relationships():
        found = item[name]
        if found is None or isinstance(found, restway.Object):
            if item.related_keys(name) is not None:
                values[name] = None if found is None else end_shown(found)
        elif item.related_keys(name) is not None:
            values[name] = [end_shown(end) for end in found]
    return sorted(values.items())


def end_shown(item: restway.Object) -> JSON:
    return shown(item) if item.identity is None else repr(item.identity)

"""Properties of any tree of new objects that is sent as one request: each object is created exactly
once.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import restway

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Node": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}, "name": {}},
            "relationships": {
                "assigned": {"entity": "Node", "many": True},
                "merged": {"entity": "Node", "many": True, "policy": "merge"},
                "owned": {"entity": "Node", "many": True, "policy": "replace"},
                "one": {"entity": "Node"},
            },
        }
    },
    "routes": {
        "add": {
            "method": "POST",
            "path": "nodes",
            "entity": "Node",
            "response": {"entity": "Node"},
        }
    },
}

MANY = ("assigned", "merged", "owned")

bounded = settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@dataclass
class Node:
    """An object that is sent, and its part of the answer."""

    ends: dict[str, list[Node]] = field(default_factory=dict)
    is_stub: bool = False
    """The answer only has its identity."""
    untold: frozenset[str] = frozenset()
    """The relationships that the answer does not tell about."""
    draft: restway.Draft | None = None
    identity: int | None = None

    def all(self) -> Iterator[Node]:
        yield self
        for end in itertools.chain.from_iterable(self.ends.values()):
            yield from end.all()


def nodes(ends: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    """Generates nodes whose relationships lead to nodes of this kind."""
    lists = {name: st.lists(ends, max_size=3) for name in MANY}
    return st.builds(
        Node,
        st.fixed_dictionaries({}, optional={**lists, "one": st.lists(ends, max_size=1)}),
        st.booleans(),
        st.frozensets(st.sampled_from([*MANY, "one"]), max_size=1),
    )


trees = st.recursive(st.builds(Node), nodes, max_leaves=12)


def draft_of(client: restway.Client, node: Node, numbers: Iterator[int]) -> restway.Draft:
    node.draft = client.draft("Node", name=f"n{next(numbers)}")
    for name, ends in node.ends.items():
        node.draft[name] = [draft_of(client, end, numbers) for end in ends]
    return node.draft


def answer_of(node: Node, numbers: Iterator[int], is_root: bool = True) -> Any:
    node.identity = next(numbers)
    if node.is_stub and not is_root:
        return node.identity
    answer: dict[str, Any] = {"id": node.identity}
    for name, ends in node.ends.items():
        if name not in node.untold:
            told = [answer_of(end, numbers, False) for end in ends]
            answer[name] = told if name != "one" else told[0] if told else None
    return answer


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@pytest.mark.parametrize("is_inserted", [False, True])
@bounded
@given(tree=trees)
def test_each_new_object_is_exactly_one_afterwards(
    tree: Node, kind: str, is_inserted: bool, peer: Peer
) -> None:
    api = restway.API.from_json(DOCUMENT)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "objects.db" if kind == "sqlite" else None
        with restway.Client(api, base_url=peer.url, store_path=path, timeout=30) as client:
            draft = draft_of(client, tree, itertools.count())
            if is_inserted:
                draft.insert()
            peer.respond(json.dumps(answer_of(tree, itertools.count(1))).encode())
            client.post(draft)
            assert client.store.count("Node") == len(list(tree.all()))
            for node in tree.all():
                assert node.draft is not None and node.draft.store_key > 0
                found = node.draft.snapshot()
                assert found.identity == node.identity
                assert node.draft.changed == []
                assert not client.store.is_unsent(found)
                newest = client.store.newest(found)
                assert newest is not None and newest.name == node.draft.name
                for name, ends in node.ends.items():
                    keys = newest.related_keys(name)
                    assert keys == [end.draft.store_key for end in ends if end.draft is not None]
        for node in tree.all():
            node.draft = None

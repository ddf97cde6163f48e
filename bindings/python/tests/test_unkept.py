"""Objects of answers that no store keeps: the examples of the documents, and how long they live."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

import restway

from .peer import Peer

DOCS = Path(__file__).parents[3] / "docs"


def blocks(page: str, language: str) -> list[str]:
    """The blocks of one language in the section of a page about objects that are not kept."""
    text = (DOCS / page).read_text("utf-8").split("# Objects that are not kept\n")[1]
    text = re.split(r"\n##+ ", text)[0]
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


DOCUMENT, ANSWER = map(json.loads, blocks("API-DOCUMENT.md", "json"))


def client_of(document: Any, peer: Peer, path: Path | None = None) -> restway.Client:
    store = None if path is None else str(path / "objects.db")
    api = restway.API.from_json(json.dumps(document))
    return restway.Client(api, base_url=peer.url, store_path=store)


@pytest.fixture(params=["memory", "file"])
def client(
    request: pytest.FixtureRequest, peer: Peer, tmp_path: Path
) -> contextlib.AbstractContextManager[restway.Client]:
    peer.respond(json.dumps(ANSWER).encode())
    return client_of(DOCUMENT, peer, tmp_path if request.param == "file" else None)


def test_the_example_of_the_document_prints_what_the_page_says(
    client: contextlib.AbstractContextManager[restway.Client],
) -> None:
    output = io.StringIO()
    with client as used, contextlib.redirect_stdout(output):
        exec(blocks("API-DOCUMENT.md", "python")[0], {"client": used})
    assert output.getvalue() == blocks("API-DOCUMENT.md", "text")[0]


def test_the_example_of_mapping_prints_what_the_page_says(peer: Peer) -> None:
    code, output = blocks("MAPPING.md", "python")[0], io.StringIO()
    lines = code.splitlines()
    found = {"id": 1, "title": "<b>Sign</b> in fails", "author": {"id": 2, "name": "Ann"}}
    answers = [{"id": 1, "title": "Sign in fails"}, {"hits": [found]}]
    with client_of(json.loads(blocks("MAPPING.md", "json")[0]), peer) as client:
        names: dict[str, Any] = {"client": client}
        with contextlib.redirect_stdout(output):
            for line, answer in zip(lines[:2], answers, strict=True):
                peer.respond(json.dumps(answer).encode())
                exec(line, names)
            exec("\n".join(lines[2:]), names)
    assert output.getvalue() == blocks("MAPPING.md", "text")[0]


def order_of(client: restway.Client) -> restway.Object:
    order = client.get("orders").object
    assert order is not None
    return order


@dataclasses.dataclass
class Product:
    sku: str


@dataclasses.dataclass
class Line:
    count: int
    product: Product


@dataclasses.dataclass
class Order:
    id: int
    lines: list[Line]


def test_an_object_outlives_its_response_and_is_read_in_each_way(
    client: contextlib.AbstractContextManager[restway.Client],
) -> None:
    with client as used:
        before = restway.debug_handle_kinds()
        order = order_of(used)
        line = order.lines[0]
        assert order.to_dict(depth=2) == ANSWER[0]
        assert line.product["name"] == "Pen"
        assert order.related("lines")[0].same_as(line)
        assert not order_of(used).same_as(order)
        assert used.store.newest(order) is None
        del order
        assert line.to_dict(depth=1) == ANSWER[0]["lines"][0]
        del line
        assert restway.debug_handle_kinds() == before
        read = used.get("orders", into=list[Order])
        assert read == [Order(1, [Line(2, Product("p-1"))])]


def test_a_draft_of_it_is_refused(
    client: contextlib.AbstractContextManager[restway.Client],
) -> None:
    with client as used:
        order = order_of(used)
        for of in "Order", order:
            with pytest.raises(restway.UsageError, match="no store keeps this Order"):
                used.draft(of)

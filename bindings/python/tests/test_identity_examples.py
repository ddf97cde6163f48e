"""The examples of the documents about identities: a document, the answers of the server in the
order of the requests, a program, and what it prints."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

import restway

from .peer import Peer

DOCS = Path(__file__).parents[3] / "docs"

EXAMPLES = [
    ("API-DOCUMENT.md", "Attributes from elsewhere"),
    ("API-DOCUMENT.md", "Identities of several parts"),
    ("API-DOCUMENT.md", "One object for each path"),
    ("MAPPING.md", "Objects that get another identity"),
    ("QUERIES.md", "Objects that are known by their identity alone"),
]


def blocks(page: str, section: str, language: str) -> list[str]:
    text = re.split(rf"\n##+ {section}\n", (DOCS / page).read_text("utf-8"))[1]
    return re.findall(rf"```{language}\n(.*?)```", re.split(r"\n##+ ", text)[0], re.DOTALL)


@pytest.mark.parametrize("is_file", [False, True], ids=["memory", "file"])
@pytest.mark.parametrize(("page", "section"), EXAMPLES, ids=[name for _, name in EXAMPLES])
def test_an_example_prints_what_the_page_says(
    peer: Peer, tmp_path: Path, page: str, section: str, is_file: bool
) -> None:
    document, *answers = blocks(page, section, "json")
    (program,), (expected,) = (blocks(page, section, kind) for kind in ("python", "text"))

    def give_answer() -> None:
        # The last answer is given to all requests that follow.
        answer = answers[min(len(peer.requests), len(answers)) - 1]
        peer.respond(answer.encode(), headers={"ETag": '"v1"'})

    peer.heard = give_answer
    store = str(tmp_path / "objects.db") if is_file else None
    api = restway.API.from_json(json.dumps(json.loads(document)))
    output = io.StringIO()
    with restway.Client(api, base_url=peer.url, store_path=store) as client:
        with contextlib.redirect_stdout(output):
            exec(program, {"client": client})
    assert output.getvalue() == expected

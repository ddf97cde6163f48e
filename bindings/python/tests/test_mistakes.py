"""A hundred usual mistakes, and what the program is told about each.

`mistakes.txt` has an entry for each mistake: what the program does, and below it, indented, the
exception with its whole message. `{url}` stands for the base URL of the demo API.
"""

from __future__ import annotations

import dataclasses
import datetime
import io
import math
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import restway

from .conftest import DOCUMENT, MakeClient

INDENT = "    "


def mistakes() -> list[tuple[str, str]]:
    """Returns what programs do, and what they are told."""
    found: list[tuple[str, str]] = []
    for line in (Path(__file__).parent / "mistakes.txt").read_text("utf-8").splitlines():
        if line.startswith(INDENT):
            code, told = found[-1]
            found[-1] = code, "\n".join(filter(None, [told, line[len(INDENT) :]]))
        elif line and not line.startswith("#"):
            found.append((line, ""))
    return found


MISTAKES = mistakes()


@dataclasses.dataclass
class Company:
    """A class for `into=`; the attribute is called `name`."""

    nam: str


@pytest.fixture
def program(make_client: MakeClient, demo_url: str) -> Iterator[dict[str, Any]]:
    """The names that the program of an entry has."""
    with make_client() as client:
        response = client.get("enterprises/12")
        request = restway.Request.path("GET", "enterprises/12")
        call = client.send(request)
        call.wait()
        closed = make_client()
        closed.close()
        yield {
            "api": client.api,
            "call": call,
            "client": client,
            "closed": closed,
            "date": datetime.date,
            "datetime": datetime.datetime,
            "draft": client.draft("Enterprise", name="Acme"),
            "enterprise": response.object,
            "enterprises": client.get("enterprises", params={"per_page": 5}).objects,
            "io": io,
            "math": math,
            "Company": Company,
            "Path": Path,
            "pickle": pickle,
            "query": client.store.query("Enterprise"),
            "request": request,
            "response": response,
            "restway": restway,
            "store": client.store,
            "url": demo_url,
            "DOCUMENT": DOCUMENT,
        }


def told_by(code: str, program: dict[str, Any]) -> str:
    """Runs the code of an entry; returns the exception as the entries have it."""
    try:
        exec(code, program)
    except Exception as error:
        message = error.args[0] if isinstance(error, KeyError) else str(error)
        return f"{type(error).__name__}: {message}".replace(program["url"], "{url}")
    return "nothing was raised"


def test_there_are_a_hundred() -> None:
    assert len(MISTAKES) >= 100
    assert len({code for code, _ in MISTAKES}) == len(MISTAKES)


@pytest.mark.parametrize(("code", "told"), MISTAKES, ids=[code for code, _ in MISTAKES])
def test_a_mistake_is_told_as_written_down(
    code: str, told: str, program: dict[str, Any]
) -> None:
    assert told_by(code, program) == told

"""Modifiers that answer, interceptors, and both as coroutine functions."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import restway

from .conftest import DOCUMENT
from .peer import Peer
from .test_async import turn

MakeAsyncClient = Callable[..., restway.AsyncClient]

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "PIPELINE.md").read_text("utf-8")


@pytest.fixture
def make_async_client(demo_url: str) -> MakeAsyncClient:
    def make() -> restway.AsyncClient:
        return restway.AsyncClient(restway.API.load(DOCUMENT), base_url=demo_url, timeout=30.0)

    return make


def test_an_interceptor_sees_answers_and_failures(client: restway.Client) -> None:
    seen: list[tuple[int | None, str | None, type[BaseException] | None]] = []

    @client.add_interceptor
    def look(context: restway.PipelineContext) -> None:
        response, error = context.response, context.error
        kind = type(error) if error is not None else None
        seen.append((response.status if response else None, context.route, kind))

    assert client.get("enterprises/1").object is not None
    with pytest.raises(restway.HTTPStatusError):
        client.get("unknown")
    look.remove()
    assert client.get("status").status == 200
    assert seen[0][0] == 200 and seen[0][2] is None
    assert seen[1] == (404, None, restway.NotFoundError)
    assert len(seen) == 2
    with pytest.raises(restway.UsageError):
        look.remove()


def test_an_interceptor_changes_and_replaces_answers(client: restway.Client) -> None:
    def change(context: restway.PipelineContext) -> None:
        context.set_status(200)
        context.set_body(b'{"n": 1}')
        context.set_header("X-Changed", "yes")

    stage = client.add_interceptor(change)
    response = client.get("unknown")
    assert response.json() == {"n": 1} and response.headers["X-Changed"] == "yes"
    stage.remove()
    client.add_interceptor(lambda context: context.set_answer(json=[1], headers={"X-Made": "yes"}))
    response = client.get("unknown")
    assert response.json() == [1] and response.headers["X-Made"] == "yes"


def test_a_modifier_answers_without_an_exchange(client: restway.Client) -> None:
    before = client.metrics()["exchanges"]
    client.add_modifier(lambda context: context.set_answer(json={"made": True}))
    assert client.get("status").json() == {"made": True}
    assert client.metrics()["exchanges"] == before


def test_an_interceptor_sends_again(client: restway.Client) -> None:
    def again(context: restway.PipelineContext) -> None:
        if context.sends < 2:
            context.request.update(headers={"X-Send": str(context.sends + 1)})
            context.send_again()

    client.add_interceptor(again)
    assert client.get("echo").json()["headers"]["X-Send"] == "2"


def test_what_an_interceptor_raises_is_the_cause(client: restway.Client) -> None:
    def refuse(context: restway.PipelineContext) -> None:
        raise ValueError("too old")

    client.add_interceptor(refuse)
    with pytest.raises(restway.CancelledError, match="ValueError: too old") as caught:
        client.get("status")
    assert isinstance(caught.value.__cause__, ValueError)
    assert caught.value.http_status == 200


def test_a_context_ends_with_its_function(client: restway.Client) -> None:
    kept: list[restway.PipelineContext] = []
    client.add_modifier(kept.append)
    client.get("status")
    with pytest.raises(ValueError, match="has returned"):
        kept[0].send_again()


def test_routes_are_names_and_known(client: restway.Client) -> None:
    with pytest.raises(restway.UnknownRouteError, match="nobody"):
        client.add_modifier(lambda context: None, routes=["nobody"])
    with pytest.raises(TypeError):
        client.add_interceptor(lambda context: None, routes="enterprise")


def test_coroutine_functions_run_in_the_loop_of_the_client(
    make_async_client: MakeAsyncClient,
) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        ran: list[asyncio.AbstractEventLoop] = []

        async def modify(context: restway.PipelineContext) -> None:
            await turn()
            ran.append(asyncio.get_running_loop())
            context.request.update(headers={"X-Late": "yes"})

        async def intercept(context: restway.PipelineContext) -> None:
            await turn()
            response = context.response
            assert response is not None and response.status == 200
            context.set_header("X-Seen", "yes")

        async def refuse(context: restway.PipelineContext) -> None:
            raise restway.TimedOutError("too late", status=restway.Status.TIMEOUT)

        async with make_async_client() as client:
            client.add_modifier(modify)
            client.add_interceptor(intercept)
            answers = await asyncio.gather(*(client.get("echo") for _ in range(20)))
            assert {answer.headers["X-Seen"] for answer in answers} == {"yes"}
            assert {answer.json()["headers"]["X-Late"] for answer in answers} == {"yes"}
            assert ran == [loop] * 20
            client.add_interceptor(refuse)
            with pytest.raises(restway.TimedOutError, match="too late") as caught:
                await client.get("echo")
            assert isinstance(caught.value.__cause__, restway.TimedOutError)
            del caught

    asyncio.run(main())


def test_a_call_that_is_cancelled_drops_the_answer_of_a_coroutine(
    make_async_client: MakeAsyncClient,
) -> None:
    async def main() -> None:
        asked, go_on = asyncio.Event(), asyncio.Event()
        closed: list[bool] = []

        async def wait(context: restway.PipelineContext) -> None:
            asked.set()
            await go_on.wait()
            try:
                context.send_again()
            except restway.ClosedError:
                closed.append(True)

        async with make_async_client() as client:
            client.add_interceptor(wait)
            task = asyncio.ensure_future(client.get("echo"))
            await asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            go_on.set()
            while not closed:
                await turn()

    asyncio.run(main())


def test_the_python_examples_of_the_page_run(
    peer: Peer, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        peer.respond(b"[]")
    document = {
        "restway": 1,
        "environments": {"here": {"baseURL": peer.url}},
        "routes": {"things": {"path": "things"}},
    }
    names: dict[str, Any] = {"restway": restway, "api": restway.API.from_json(document)}
    snippets = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(snippets) == 2
    for snippet in snippets:
        exec(snippet, names)
    assert capsys.readouterr().out == "200\n200\n"


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_the_c_examples_of_the_page_compile(tmp_path: Path) -> None:
    body = "\n".join(re.findall(r"```c\n(.*?)```", PAGE, re.DOTALL))
    source = tmp_path / "page.c"
    source.write_text(
        "#include <restway/restway.h>\n"
        '#pragma GCC diagnostic ignored "-Wunused-result"\n'
        f"{body}\nvoid run(restway_client *client) {{ add_functions(client); }}\n"
    )
    include = Path(__file__).resolve().parents[3] / "Include"
    arguments = ["-std=c99", "-Wall", "-Werror", "-fsyntax-only", "-I", str(include), str(source)]
    subprocess.run(["cc", *arguments], check=True)


def test_the_document_names_functions_of_the_api(demo_url: str) -> None:
    notes: list[str] = []
    api = restway.API.from_json(
        {
            "restway": 1,
            "modifiers": ["stamp"],
            "routes": {"echo": {"path": "echo", "interceptors": "wrap"}},
        }
    )

    @api.interceptor("wrap")
    def wrap(context: restway.PipelineContext) -> None:
        assert context.response is not None
        notes.append(f"wrap {context.route} {context.response.status}")
        if context.response.request is not None and "fail" in context.response.request.url:
            raise ValueError("not this one")

    with pytest.raises(restway.ConfigError, match=r'modifier "stamp" has not been added'):
        restway.Client(api, base_url=demo_url)

    @api.modifier("stamp")
    def stamp(context: restway.PipelineContext) -> None:
        notes.append(f"stamp {context.route}")
        context.request.update(headers={"X-Stamp": "1"})

    with pytest.raises(restway.DuplicateError, match="stamp"):
        api.add_modifier("stamp", stamp)
    with restway.Client(api, base_url=demo_url) as client:
        client.add_modifier(lambda context: notes.append("added"))
        response = client.route("echo")
        assert response.request is not None
        assert response.request.headers["X-Stamp"] == "1"
        assert client.get("status").status == 200
        assert notes == ["stamp echo", "added", "wrap echo 200", "stamp None", "added"]
        with pytest.raises(restway.CancelledError, match="ValueError: not this one"):
            client.route("echo", params={"fail": "1"})

    async def coroutine(context: restway.PipelineContext) -> None:
        """An api has no event loop."""

    with pytest.raises(TypeError, match="a modifier of an api is a plain function"):
        api.add_modifier("slow", coroutine)


def test_an_async_client_asks_the_functions_of_its_api(demo_url: str) -> None:
    api = restway.API.from_json({"restway": 1, "modifiers": "answer"})
    api.add_modifier("answer", lambda context: context.set_answer(json={"made": True}))

    async def main() -> object:
        async with restway.AsyncClient(api, base_url=demo_url) as client:
            return (await client.get("status")).json()

    assert asyncio.run(main()) == {"made": True}

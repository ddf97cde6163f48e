"""Processes that end, or fork, with clients and calls alive."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from restway._ffi import callbacks

from .conftest import DOCUMENT
from .test_loader import PACKAGE

SECONDS_MAX = 8.0
"""How long a process may take that has nothing to wait for; the calls in flight take 20 s."""

HEAD = """
import asyncio, logging, multiprocessing, os, sys, threading, restway
def slow():
    return restway.Request.path("GET", "bad/slow", params={"ms": 20000})
def make(kind=restway.Client, **options):
    return kind(restway.API.load(sys.argv[1]), base_url=sys.argv[2], **options)
"""


def run(code: str, url: str) -> tuple[int, str, str]:
    """Runs a program; returns its exit code and its output."""
    done = subprocess.run(
        # Python 3.12 and later warn about every fork of a process with several threads.
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", HEAD + code, str(DOCUMENT), url],
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
    )
    return done.returncode, done.stdout, done.stderr


IN_FLIGHT = {
    "blocking threads": """
client = make()
for _ in range(5):
    threading.Thread(target=lambda: client.perform(slow()), daemon=True).start()
while restway.debug_live_handles() < 7:  # the api, the client, five requests
    client.get("status")
client.get("status")
""",
    "sent calls": """
client = make()
calls = [client.send(slow()) for _ in range(5)]
""",
    "callbacks": """
client = make()
for _ in range(5):
    client.send(slow(), lambda call: None)
""",
    "callbacks to be processed": """
client = make(delivery="process")
for _ in range(5):
    client.send(slow(), lambda call: None)
""",
    "a log": """
logging.basicConfig(level=logging.DEBUG, stream=open(os.devnull, "w"))
client = make()
client.send(slow(), lambda call: None)
""",
    "a modifier that takes its time": """
client = make()
client.add_modifier(lambda context: sum(range(10_000_000)))
client.send(slow())
""",
    "a loop in a thread": """
started = threading.Event()
async def main():
    client = make(restway.AsyncClient)
    waiting = [client.send(slow()) for _ in range(5)]
    started.set()
    await asyncio.gather(*waiting)
threading.Thread(target=asyncio.run, args=(main(),), daemon=True).start()
started.wait()
""",
    "tasks that the loop cancels": """
tasks = []
async def main():
    client = make(restway.AsyncClient)
    tasks.extend(asyncio.ensure_future(client.perform(slow())) for _ in range(5))
    await client.get("status")
asyncio.run(main())
""",
    "a loop that is left behind": """
loop = asyncio.new_event_loop()
async def main():
    return make(restway.AsyncClient).send(slow())
future = loop.run_until_complete(main())
loop.close()
""",
    "a sys.exit inside a task": """
async def main():
    async with make(restway.AsyncClient) as client:
        task = asyncio.ensure_future(client.perform(slow()))
        await client.get("status")
        task.cancel()
        sys.exit(0)
asyncio.run(main())
""",
}


@pytest.mark.parametrize("what", sorted(IN_FLIGHT))
def test_a_process_ends_promptly_and_silently_with_calls_in_flight(
    demo_url: str, what: str
) -> None:
    assert run(IN_FLIGHT[what], demo_url) == (0, "", "")


def test_a_thread_that_is_no_daemon_finishes_its_call_before_the_exit(demo_url: str) -> None:
    code = """
client = make()
def work():
    print(client.get("bad/slow", params={"ms": 400}).status, client.get("status").status)
threading.Thread(target=work).start()
"""
    assert run(code, demo_url) == (0, "200 200\n", "")


FORKED = """
def child(parents):
    try:
        parents.get("status")
    except restway.ForkedError:
        with make() as mine:
            print("forked, then", mine.get("status").status, flush=True)
"""


def test_a_forked_child_is_refused_by_its_parents_client_and_makes_its_own(
    demo_url: str,
) -> None:
    code = """
client = make()
print(client.get("status").status, flush=True)
calls = [client.send(slow(), print)]
pid = os.fork()
if pid == 0:
    child(client)
    sys.exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), client.get("status").status, flush=True)
os._exit(0)
"""
    expected = (0, "200\nforked, then 200\n3 200\n", "")
    assert run(FORKED + code, demo_url) == expected


def test_a_forked_child_is_refused_everything_of_its_parents(demo_url: str) -> None:
    code = """
client = make()
response = client.get("enterprises/1")
uses = {
    "attribute": lambda: response.object["name"],
    "send": lambda: client.get("status"),
    "clock": lambda: clock.advance(1),
    "client": lambda: restway.Client(api, base_url=sys.argv[2]),
}
clock, api = restway.Clock(), restway.API.load(sys.argv[1])
pid = os.fork()
if pid == 0:
    for name, use in uses.items():
        try:
            use()
        except restway.ForkedError:
            print(name, flush=True)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
os._exit(0)
"""
    assert run(code, demo_url) == (0, "attribute\nsend\nclock\nclient\n0\n", "")


def test_a_forked_child_opens_no_file_that_its_parent_has_open(
    demo_url: str, tmp_path: object
) -> None:
    path = os.path.join(str(tmp_path), "objects.db")
    code = f"""
path = {path!r}
client = make(store_path=path)
pid = os.fork()
if pid == 0:
    try:
        make(store_path=path)
    except restway.ForkedError as error:
        print(path in str(error), flush=True)
    with make(store_path=path + "-child") as mine:
        print(mine.get("status").status, flush=True)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
client.close()
"""
    assert run(code, demo_url) == (0, "True\n200\n0\n", "")


def test_a_forked_child_of_a_loop_leaves_its_parents_loop_alone(demo_url: str) -> None:
    code = """
async def in_child(parents):
    try:
        await parents.get("status")
    except restway.ForkedError:
        async with make(restway.AsyncClient) as mine:
            print("forked, then", (await mine.get("status")).status, flush=True)

async def main():
    client = make(restway.AsyncClient)
    await client.get("status")
    task = asyncio.ensure_future(client.get("bad/slow", params={"ms": 500}))
    await client.get("status")
    return client, task

loop = asyncio.new_event_loop()
client, task = loop.run_until_complete(main())
pid = os.fork()
if pid == 0:
    asyncio.run(in_child(client))
    del client, task, loop
    sys.exit(4)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
print(loop.run_until_complete(task).status)
loop.run_until_complete(client.close())
loop.close()
"""
    # Because of the child's copy of the pending task, asyncio writes a complaint to stderr.
    assert run(code, demo_url)[:2] == (0, "forked, then 200\n4\n200\n")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing_children_make_their_own_clients(
    demo_url: str, method: str, tmp_path: object
) -> None:
    program = os.path.join(str(tmp_path), "program.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write(
            HEAD
            + f"""
def ask(number):
    with make() as client:
        return client.get(f"enterprises/{{number}}").object.identity

def ask_in_a_loop(number):
    async def main():
        async with make(restway.AsyncClient) as client:
            return (await client.get(f"enterprises/{{number}}")).object.identity
    return asyncio.run(main())

if __name__ == "__main__":
    with make() as client:
        client.get("status")
        with multiprocessing.get_context("{method}").Pool(2) as pool:
            print(pool.map(ask, [1, 2, 3]), pool.map(ask_in_a_loop, [4, 5]))
        print(client.get("status").status)
"""
        )
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", program, str(DOCUMENT), demo_url],
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "[1, 2, 3] [4, 5]\n200\n", "")


def test_a_forked_childs_exit_touches_no_client_of_its_parent(demo_url: str) -> None:
    code = """
client = make()
client.get("status")
client.add_modifier(lambda context: None)
process = multiprocessing.get_context("fork").Process(target=child, args=(client,))
process.start()
process.join()
print(process.exitcode, client.get("status").status)
"""
    assert run(FORKED + code, demo_url) == (0, "forked, then 200\n0 200\n", "")


def test_the_exit_waits_until_the_receivers_of_streams_are_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A worker frees a receiver after its call has completed, and Python may have ended by then."""
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        return True

    monkeypatch.setattr(callbacks.receivers, "wait_until_empty", wait)
    callbacks.wait_at_exit()
    assert len(waits) == 1 and waits[0] > 0

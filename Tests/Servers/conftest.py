"""The servers, each started once for all tests, and the programs in C."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import restway
from restway_tools.openapi import import_openapi, read_overrides
from server import HERE, Server

pytest_plugins = ["garbage"]

#: The time limit of a call, and of a program in C.
LIMIT_SECONDS = 60.0
#: What the description does not say: Django's form of field errors, and what to retry.
OVERRIDES = {
    "document": {
        "errors": {"message": "detail", "details": []},
        "cache": {},
        "routes": {"api_ticker_retrieve": {"retry": {"attempts": 5}}},
    }
}
RunProgram = Callable[..., list[str]]


def present(found: restway.Object | None) -> restway.Object:
    """Returns an object that must be there."""
    assert found is not None
    return found


def started(application: str, folder: Path, environment: Mapping[str, str]) -> Iterator[Server]:
    server = Server(application, folder, environment)
    with contextlib.closing(server):
        server.start()
        yield server


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("shop")
    yield from started("shop.wsgi:application", folder, {"SHOP_FOLDER": str(folder)})


@pytest.fixture(scope="session")
def kinto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("kinto")
    file = folder / "kept"
    yield from started("kinto_app:application", folder, {"KINTO_FILE": str(file)})


@pytest.fixture(scope="session")
def description(shop: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file with the description that the shop gives of itself."""
    file = tmp_path_factory.mktemp("description") / "shop.json"
    with restway.Client(restway.API.empty(), base_url=shop.url) as client:
        client.get("schema/", save_to=file, timeout=LIMIT_SECONDS)
    return file


@pytest.fixture(scope="session")
def document(description: Path) -> Path:
    """The file with the API document that the importer makes of the description."""
    overrides = description.with_name("overrides.json")
    overrides.write_text(json.dumps(OVERRIDES))
    imported = import_openapi(description, read_overrides(overrides))
    file = description.with_name("shop.restway.json")
    file.write_text(json.dumps(imported.document))
    return file


@pytest.fixture(scope="session")
def run_program(tmp_path_factory: pytest.TempPathFactory) -> RunProgram:
    """Returns a function that compiles a program in C once, runs it, and returns its lines."""
    folder = tmp_path_factory.mktemp("programs")
    found = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "restway", "jansson"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip

    def run(name: str, *arguments: str) -> list[str]:
        program = folder / name
        if not program.exists():
            flags = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror"]
            source = str(HERE / "c" / f"{name}.c")
            command = ["cc", *flags, source, "-o", str(program), *found.stdout.split()]
            subprocess.run(command, check=True)
        ran = subprocess.run(
            [str(program), *arguments], capture_output=True, text=True, timeout=LIMIT_SECONDS,
            env=dict(os.environ),
        )  # fmt: skip
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert ran.stderr == ""
        return ran.stdout.splitlines()

    return run

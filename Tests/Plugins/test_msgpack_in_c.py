"""The msgpack plugin in C: in a program that uses the library, and alone under the sanitizers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from msgpack_peer import EPOCH, running, then

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent


def _output(*words: str, **more: str) -> str:
    ended = subprocess.run(
        words, env={**os.environ, **more}, capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_a_program_sends_a_draft_and_reads_it_back(tmp_path: Path) -> None:
    program = str(tmp_path / "client")
    flags = _output("pkg-config", "--cflags", "--libs", "restway").split()
    _output("cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror",
            str(HERE / "msgpack_client.c"), "-o", program, *flags)
    with running() as peer:
        assert _output(program, peer.url) == "fine\n"
        method, media_type, _, value = peer.received[0]
    assert (method, media_type) == ("POST", "application/msgpack")
    assert value == {
        "id": 1, "size": -(2**63), "at": then(EPOCH, -1_234_567_890_123_456),
        "data": b"\x00\xff\xc1", "raw": [1, None],
    }


def test_the_contract_is_kept_whatever_comes(tmp_path: Path) -> None:
    """Events come in order, nothing is pushed after a stop or into skipped values, announced
    lengths allocate no memory, and every call of a reader fails once.
    """
    program = str(tmp_path / "contract")
    flags = ["-g", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'Include'}",
             "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    objects = []
    for source in sorted((ROOT / "Plugins" / "msgpack").glob("*.c")):
        objects.append(str(tmp_path / f"{source.stem}.o"))
        _output("cc", "-std=c11", *flags, "-Drealloc=counted_realloc", "-c", str(source),
                "-o", objects[-1])
    # Texts of bytes are split so that a digit after an escape is not a part of it.
    _output("cc", "-std=c11", *flags, str(HERE / "msgpack_contract.c"), *objects, "-o", program)
    assert _output(program, ASAN_OPTIONS="detect_leaks=1") == "fine\n"

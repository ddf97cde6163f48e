"""The examples of the README run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .test_loader import PACKAGE

SNIPPETS = re.findall(
    r"```python\n(.*?)```",
    (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8"),
    re.S,
)


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_a_snippet_of_the_readme_runs(
    demo_document: dict[str, Any], demo_url: str, tmp_path: Path, number: int
) -> None:
    for environment in demo_document["environments"].values():
        environment["baseURL"] = demo_url
    (tmp_path / "demo.restway.json").write_text(json.dumps(demo_document), "utf-8")
    code = SNIPPETS[number].replace("http://127.0.0.1:8080/v2", demo_url)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=30,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout

"""Uploads a file to URL, for the test that kills it:

python resumable_upload.py URL PROTOCOL FILE STATE
"""

from __future__ import annotations

import sys
from typing import cast

import restway
from upload_server import Protocol


def main(url: str, protocol: str, path: str, state: str) -> None:
    api = restway.API.from_json({"restway": 1})
    how = restway.Resumable(cast(Protocol, protocol), state)
    with restway.Client(api, base_url=url) as client:
        client.post("files", body=restway.Resource.file(path), resumable=how)


if __name__ == "__main__":
    main(*sys.argv[1:])

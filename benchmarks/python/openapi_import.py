"""Imports an OpenAPI description, and writes its API document: openapi_import.py FILE OUTPUT"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from restway_tools.openapi import import_openapi


def main() -> None:
    file, output = sys.argv[1:]
    begun = time.process_time()
    imported = import_openapi(file)
    seconds = time.process_time() - begun
    Path(output).write_text(json.dumps(imported.document), "utf-8")
    print(json.dumps({"cpu_seconds": seconds, "routes": len(imported.document["routes"])}))


main()

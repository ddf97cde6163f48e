"""Entry point of `python3 examples/demo-api`."""

import sys

from demo_api.cli import main

sys.exit(main())

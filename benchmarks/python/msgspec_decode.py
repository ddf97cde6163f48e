"""Decodes a large list of companies with msgspec into structs with the document's attributes:

    msgspec_decode.py URL OBJECTS
"""

from __future__ import annotations

import sys

import load
import msgspec
from company_structs import Companies

decoder = msgspec.json.Decoder(Companies)
load.measure_reading(lambda body: decoder.decode(body).companies, *sys.argv[1:])

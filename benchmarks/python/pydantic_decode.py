"""Decodes a large list of companies with pydantic into models: pydantic_decode.py URL OBJECTS"""

from __future__ import annotations

import sys

import load
from company_models import Companies

load.measure_reading(
    lambda body: Companies.model_validate_json(body).companies, *sys.argv[1:]
)

"""Query parameters with a declared range."""

from __future__ import annotations

from .errors import invalid_parameter
from .message import Request


def integer_text(text: str, name: str, minimum: int, maximum: int) -> int:
    """Returns a decimal number from a query or a path; raises a 422 that names it."""
    digits = text[1:] if text.startswith("-") else text
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20):
        raise invalid_parameter(name, f"an integer is expected, not {text[:40]!r}")
    value = int(text)
    if not minimum <= value <= maximum:
        raise invalid_parameter(name, f"must be from {minimum} to {maximum}")
    return value


def integer(request: Request, name: str, default: int, minimum: int, maximum: int) -> int:
    text = request.parameter(name)
    return default if text is None else integer_text(text, name, minimum, maximum)


def optional_boolean(request: Request, name: str) -> bool | None:
    text = request.parameter(name)
    if text is None:
        return None
    if text in ("true", "1"):
        return True
    if text in ("false", "0"):
        return False
    raise invalid_parameter(name, "true or false is expected")

"""Faults of redirects: loops, places that do not exist, chains that take too long."""

from __future__ import annotations

from dataclasses import replace

import restway
from connection import send, stall
from fault import TIMEOUT_SECONDS, Fault, Outcome, http_error, times_out
from restway import Status

TOO_MANY = Outcome(
    Status.TOO_MANY_REDIRECTS, restway.TooManyRedirectsError, "redirects"
)
NOT_HTTP = Outcome(Status.INVALID_URL, restway.InvalidURLError, "redirect")


def redirect(name: str, location: str, outcome: Outcome, status: int = 302) -> Fault:
    head = f"HTTP/1.1 {status} Any\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
    return Fault(name, (send(head.encode()),), outcome)


REDIRECTS = (
    redirect("redirect_to_itself", "/redirect_to_itself", TOO_MANY),
    redirect("redirect_to_itself_for_good", "redirect_to_itself_for_good", TOO_MANY, 308),
    redirect("redirect_ping", "/redirect_pong", TOO_MANY),
    redirect("redirect_pong", "redirect_ping?again", TOO_MANY, 307),
    redirect("redirect_into_a_file", "file:///etc/passwd", NOT_HTTP),
    redirect("redirect_into_another_protocol", "gopher://127.0.0.1/", NOT_HTTP),
    replace(
        redirect("redirect_into_a_fault", "/stall_behind_redirect", times_out("")),
        timeout=TIMEOUT_SECONDS,
    ),
    Fault("stall_behind_redirect", (stall,), times_out(""), timeout=TIMEOUT_SECONDS),
    Fault("redirect_to_nowhere", (send(b"HTTP/1.1 302 Any\r\nContent-Length: 0\r\n\r\n"),),
          http_error(302)),
    redirect("redirect_not_modified", "/other", http_error(304), 304),
)

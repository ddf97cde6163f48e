"""The tokens of one realm: issued, rotated, expired. The module has no clock and no sockets."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Realm:
    """The tokens that one test, or one program, uses. Realms do not affect each other."""

    name: str
    #: The expiry time of each access token that was issued.
    expiries: dict[str, float] = field(default_factory=dict)
    #: The valid refresh token; the first one is always the same.
    refresh_token: str = ""
    issued: int = 0
    refused: int = 0
    accepted: int = 0
    refreshing: int = 0
    refreshing_max: int = 0

    def __post_init__(self) -> None:
        self.refresh_token = f"{self.name}-refresh-0"

    def issue(self, now: float, seconds: float, rotates: bool) -> tuple[str, str | None]:
        """Issues a new access token. With rotation it also issues a new refresh token, and the old
        one becomes invalid.
        """
        self.issued += 1
        token = f"{self.name}-token-{self.issued}"
        self.expiries[token] = now + seconds
        if not rotates:
            return token, None
        self.refresh_token = f"{self.name}-refresh-{self.issued}"
        return token, self.refresh_token

    def accepts(self, token: str | None, now: float) -> bool:
        accepted = token is not None and self.expiries.get(token, now) > now
        if accepted:
            self.accepted += 1
        else:
            self.refused += 1
        return accepted

    def expire(self) -> None:
        self.expiries.clear()

    def log(self) -> dict[str, int]:
        """Returns the counters that tests check at their end."""
        return {
            "issued": self.issued,
            "accepted": self.accepted,
            "refused": self.refused,
            "refreshing_max": self.refreshing_max,
        }

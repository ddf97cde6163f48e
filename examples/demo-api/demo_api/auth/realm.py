"""The tokens of one realm: issued, rotated, expired. No clock of its own, no sockets."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Realm:
    """Everything that one test, or one program, sees of the tokens; realms know nothing of each
    other."""

    name: str
    #: When each access token that was issued expires.
    expiries: dict[str, float] = field(default_factory=dict)
    #: The refresh token that is good now; the first is known to everybody.
    refresh_token: str = ""
    issued: int = 0
    refused: int = 0
    accepted: int = 0
    refreshing: int = 0
    refreshing_max: int = 0

    def __post_init__(self) -> None:
        self.refresh_token = f"{self.name}-refresh-0"

    def issue(self, now: float, seconds: float, rotates: bool) -> tuple[str, str | None]:
        """A new access token; when they rotate, a new refresh token too: the old one is dead."""
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
        """What a test wants to know at its end."""
        return {
            "issued": self.issued,
            "accepted": self.accepted,
            "refused": self.refused,
            "refreshing_max": self.refreshing_max,
        }

"""Figures: values of Restway and of a reference, measured in turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

Ours = TypeVar("Ours")
Theirs = TypeVar("Theirs")


class SkippedError(Exception):
    """Raised when a figure cannot be measured on this machine; the message says why."""


@dataclass(frozen=True)
class Target:
    """The goal of a ratio."""

    ratio: float
    #: Whether more is better; otherwise less is better.
    is_floor: bool = False

    def is_met_by(self, ratio: float) -> bool:
        return ratio >= self.ratio if self.is_floor else ratio <= self.ratio

    def __str__(self) -> str:
        return f"{'>=' if self.is_floor else '<='} {self.ratio:g}"


@dataclass(frozen=True)
class Figure:
    """A figure. It is the pair of runs with the median ratio, so that `ratio` is `value` /
    `reference_value`.
    """

    name: str
    value: float
    unit: str
    reference: str
    reference_value: float
    #: None if only the cost is measured.
    target: Target | None
    #: The ratios of all pairs, sorted.
    ratios: tuple[float, ...]

    @property
    def ratio(self) -> float:
        return self.value / self.reference_value

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        return "met" if self.target.is_met_by(self.ratio) else "missed"


def figure(
    name: str,
    unit: str,
    reference: str,
    target: Target | None,
    pairs: list[tuple[float, float]],
) -> Figure:
    """Makes a figure from an odd number of pairs (ours, the reference's)."""
    if len(pairs) < 5 or len(pairs) % 2 == 0:
        raise ValueError(f"{name}: {len(pairs)} pairs")
    ordered = sorted(pairs, key=_ratio)
    value, reference_value = ordered[len(ordered) // 2]
    ratios = tuple(_ratio(pair) for pair in ordered)
    return Figure(name, value, unit, reference, reference_value, target, ratios)


def in_turn(
    pairs: int, ours: Callable[[], Ours], theirs: Callable[[], Theirs]
) -> list[tuple[Ours, Theirs]]:
    """Runs both programs repeatedly, one after the other."""
    return [(ours(), theirs()) for _ in range(pairs)]


def _ratio(pair: tuple[float, float]) -> float:
    return pair[0] / pair[1]

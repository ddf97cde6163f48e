"""Headers of requests and responses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping


class Headers(Mapping[str, str]):
    """A mapping of headers; the case of names does not matter. Several lines with one name are
    joined with ", ".
    """

    __slots__ = ("_by_name", "lines")

    lines: tuple[tuple[str, str], ...]
    """Every header line as it was received: name and value."""

    def __init__(self, lines: Iterable[tuple[str, str]] = ()) -> None:
        self.lines = tuple(lines)
        self._by_name: dict[str, tuple[str, str]] = {}
        for name, value in self.lines:
            key = name.lower()
            first, before = self._by_name.get(key, (name, None))
            self._by_name[key] = first, value if before is None else f"{before}, {value}"

    def __getitem__(self, name: str) -> str:
        if not isinstance(name, str) or name.lower() not in self._by_name:
            raise KeyError(name)
        return self._by_name[name.lower()][1]

    def __iter__(self) -> Iterator[str]:
        return iter([name for name, _ in self._by_name.values()])

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"<Headers {', '.join(self) or 'none'}>"  # values may be secrets

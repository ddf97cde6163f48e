"""Conflicts: changes of the program that do not fit what somebody else has changed at the server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from . import _ffi as native
from ._base.hints import Hinting, not_pickled
from ._draft import set_value
from ._enums import ConflictKind, ConflictSide, Status
from ._exceptions import UsageError
from ._ffi.trampolines import on_resolve_function
from ._functions import checked, fail, set_question
from ._handles import check, chosen, make, optional_name
from ._object import Layouts, Object, Objects

if TYPE_CHECKING:
    from ._functions import AskedClient

Side = Literal["mine", "theirs"]
"""The values of the program, or those of the server."""

_SIDES = {"mine": ConflictSide.MINE, "theirs": ConflictSide.THEIRS}

End = Callable[[native.ConflictHandle], None]


class ConflictValue(NamedTuple):
    """The values of an attribute or a relationship that is in conflict."""

    base: Any
    """The value that the change was made on; None if there was none."""
    mine: Any
    """The value of the program."""
    theirs: Any
    """The value of the server."""


class Conflict(Hinting, Mapping[str, ConflictValue]):
    """A change of the program that does not fit what somebody else has changed at the server.

        for conflict in client.outbox.conflicts():
            for name, value in conflict.items():
                print(f"{name}: {value.mine} here, {value.theirs} at the server")
            conflict.resolve("theirs")

    It maps the names of the attributes and relationships in conflict, in the order of the document
    and relationships last, to their values. It is empty if one side has deleted the object, so that
    the conflict is about the object as a whole (`kind`). The values do not change after the
    conflict was found or listed.
    """

    __slots__ = ("_end", "_handle", "_names", "base", "kind", "mine", "theirs")

    kind: ConflictKind
    """ATTRIBUTES: both sides have changed the object. THEY_DELETED: the program has changed an
    object that the server no longer has. I_DELETE: the program has deleted an object that has other
    values at the server since.
    """
    base: Object
    """The object with the values that the change was made on."""
    mine: Object
    """The object with the values of the program; for a deleted object, the values
    that it had when the program deleted it."""
    theirs: Object | None
    """The object with the values of the server; None if the server no longer has it."""

    def __init__(
        self, handle: native.ConflictHandle, layouts: Layouts, end: End | None = None
    ) -> None:
        """For this package. `handle` is owned. `end` resolves the conflict; without it, the
        conflict belongs to an error.
        """
        lib = native.lib
        places = range(lib.restway_conflict_count(handle))
        names = [native.borrowed(lib.restway_conflict_name(handle, place)) for place in places]
        theirs = lib.restway_conflict_theirs(handle)
        self._handle = handle
        self._end = end
        self._names = {name: None for name in names if name is not None}
        self.kind = ConflictKind(lib.restway_conflict_kind_of(handle))
        self.base = Object.retained(lib.restway_conflict_base(handle), layouts)
        self.mine = Object.retained(lib.restway_conflict_mine(handle), layouts)
        self.theirs = Object.retained(theirs, layouts) if theirs else None

    @classmethod
    def retained(
        cls, handle: native.ConflictHandle, layouts: Layouts, end: End | None = None
    ) -> Conflict:
        """For this package: returns a Conflict for a borrowed handle."""
        return cls(native.own(native.lib.restway_conflict_retain(handle)), layouts, end)

    @property
    def item_id(self) -> int:
        """The number of the parked item of the outbox; 0 for a conflict that is not parked."""
        number: int = native.lib.restway_conflict_item_id(self._handle)
        return number

    def choose(self, side: Side | None = None, /, *names: str, **values: Any) -> None:
        """Chooses a side or values. Nothing else changes before `resolve`, or before the resolver
        has returned.

            conflict.choose("mine")                    # everything that has no choice of its own
            conflict.choose("theirs", "title", "tags")  # these two
            conflict.choose(title="Both titles")       # a value in place of both

        A later choice replaces an earlier one. Raises UnknownAttributeError; UsageError for a name
        that is not in conflict, and for a value that the attribute cannot have; ValueError for
        another side.
        """
        if side is not None:
            number = chosen(_SIDES, side, "side")
            for each in names or (None,):
                check(
                    native.lib.restway_conflict_choose,
                    self._handle,
                    optional_name(each),
                    number,
                )
        function = native.lib.restway_conflict_set_value
        for attribute, value in values.items():
            listed = list(value) if isinstance(value, (tuple, Objects)) else value
            set_value(function, self._handle, self.mine, attribute, listed)

    def resolve(self, side: Side | None = None, /, *names: str, **values: Any) -> None:
        """Chooses as `choose` does, and resolves the parked conflict: the chosen values wait in the
        outbox again, and what has no choice stays parked.

            conflict.resolve("mine")
            conflict.resolve("theirs", title="Both titles")

        If nothing is to be sent, the change is dropped, and the store shows the server's values.
        Inside a resolver it is the same as `choose`. Raises UsageError if the conflict is that of
        an error, if nothing is chosen, and if its item is no longer parked; OutboxError,
        StoreError, ClosedError.
        """
        if self._end is None:
            raise UsageError(
                "the conflict of an error is not parked: send another draft of the object",
                status=Status.INVALID_ARGUMENT,
            )
        self.choose(side, *names, **values)
        self._end(self._handle)

    def __getitem__(self, name: str) -> ConflictValue:
        if name not in self._names:
            raise KeyError(name)
        theirs = None if self.theirs is None else self.theirs[name]
        return ConflictValue(self.base[name], self.mine[name], theirs)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        """Shows the names without the values, which may be secrets."""
        about = f"{self.mine.entity} {self.mine.identity}"
        return f"<Conflict {self.kind.name} of {about}: {', '.join(self._names) or 'as a whole'}>"

    def __reduce__(self) -> Any:
        raise not_pickled(Conflict)


def parked(client: native.ClientHandle, layouts: Layouts) -> list[Conflict]:
    """For this package: returns the parked conflicts of a client."""
    lib = native.lib
    handle = make(native.ConflictsHandle, lib.restway_outbox_conflicts, client)

    def end(conflict: native.ConflictHandle) -> None:
        check(lib.restway_conflict_resolve, client, conflict)

    return [
        Conflict.retained(lib.restway_conflicts_conflict(handle, place), layouts, end)
        for place in range(lib.restway_conflicts_count(handle))
    ]


Resolver = Callable[[Conflict], object]
"""A function that decides a conflict with `Conflict.choose`."""

R = TypeVar("R", bound=Resolver)


class ClientConflicts:
    """The functions of a client that set resolvers."""

    __slots__ = ()

    def set_resolver(
        self: AskedClient, resolver: Resolver | None, entity: str | None = None
    ) -> None:
        """Sets the function that decides conflicts whose policy in the document is `ask`; None
        removes it.

        Args:
            resolver: Called with the conflict, before the outbox sends the change. What it leaves
                without a choice is parked; if it raises, everything is. It runs on a worker thread,
                for one conflict at a time.
            entity: The entity; None sets the function for entities without a function of their own.

        Raises UnknownEntityError, ClosedError, TypeError; ConfigError when the client has no
        outbox.
        """
        if resolver is not None:
            checked(resolver, "a resolver")
        layouts = self._layouts

        def run(handle: native.ConflictHandle, answer: native.AnswerHandle) -> int:
            assert resolver is not None
            try:
                resolver(Conflict.retained(handle, layouts, _chooses_only))
            except BaseException as error:
                return fail(error, answer)
            return Status.OK

        set_question(
            native.lib.restway_client_set_resolver,
            on_resolve_function,
            self._handle,
            optional_name(entity),
            run=resolver and run,
            callback=resolver,
            holding=self._holding,
        )

    def resolver(self: AskedClient, entity: str | None = None) -> Callable[[R], R]:
        """Decorates a function that decides conflicts; raises as `set_resolver` does.

            @client.resolver("Note")
            def decide(conflict: restway.Conflict) -> None:
                conflict.choose("theirs")
        """

        def register(function: R) -> R:
            ClientConflicts.set_resolver(self, function, entity)
            return function

        return register


def _chooses_only(_: native.ConflictHandle) -> None:
    """The end of a conflict that a resolver is asked about: its choices are read afterwards."""

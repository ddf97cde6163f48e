"""The classes on which generated modules build. They exist for type checkers: the library makes
objects, drafts and responses as always.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NoReturn, TypeVar, Union

from .._draft import Draft
from .._object import Object
from .._query import Query
from .._reading.whole import WholeObjects
from .._response import Response
from .._values import ReadsInto

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import overload

    from .._query import Operator, Visibility

MaybeNone = Any
"""In a union: the value may be None, but a type checker does not ask for a test of it."""

Variable = Union[str, int, float, bool, datetime, date]
"""A value of a path's variable whose type the document does not say."""

Value = TypeVar("Value", covariant=True)
Kind = TypeVar("Kind", bound=Object, covariant=True)


class Attribute(Generic[Value]):
    """The type of an attribute or relationship that can be read and not set."""

    if TYPE_CHECKING:

        def __get__(self, instance: Object, owner: type[Object]) -> Value: ...

        def __set__(self, instance: Object, value: NoReturn) -> None: ...


class _OfEntity(type):
    """Lets `isinstance` ask for the entity, because objects of all entities have one class."""

    _of: type
    _entity: str | None

    def __instancecheck__(cls, instance: object) -> bool:
        if not isinstance(instance, (Object, Draft)) or not isinstance(instance, cls._of):
            return False
        if cls._entity is None or instance.entity == cls._entity:
            return True
        return isinstance(instance, Object) and instance.is_a(cls._entity)


class TypedObject(Object, metaclass=_OfEntity):
    """The base of entities: an object whose attributes are declared.

    `isinstance(item, Enterprise)` is true for every object that the entity, or one that extends
    it, has brought.
    """

    _of: ClassVar[type] = Object
    _entity: ClassVar[str | None] = None

    def __init_subclass__(cls, entity: str | None = None) -> None:
        """`entity` is the name of the entity; without it, the class stands for all entities."""
        cls._entity = entity

    if TYPE_CHECKING:
        # Without the method of Object, an attribute that is not declared is an error.
        __getattr__: None  # type: ignore[assignment, misc]


class TypedDraft(Draft, Generic[Kind], metaclass=_OfEntity):
    """The base of drafts: a draft whose attributes are declared."""

    _of: ClassVar[type] = Draft
    _entity: ClassVar[str | None] = None

    def __init_subclass__(cls, entity: str | None = None) -> None:
        """`entity` is the name of the entity."""
        cls._entity = entity

    if TYPE_CHECKING:
        # Without the methods of Draft, an attribute that is not declared is an error.
        __getattr__: None  # type: ignore[assignment, misc]
        __setattr__: None  # type: ignore[assignment, misc]

        def snapshot(self) -> Kind: ...

        def insert(self) -> Kind: ...


class TypedObjects(WholeObjects, ReadsInto, Sequence[Kind]):
    """A sequence of objects of one entity, as `Objects`."""

    if TYPE_CHECKING:

        def values(self, *names: str) -> Any: ...

        @overload
        def __getitem__(self, index: int) -> Kind: ...
        @overload
        def __getitem__(self, index: slice) -> TypedObjects[Kind]: ...
        def __getitem__(self, index: Any) -> Any: ...

        def __len__(self) -> int: ...


class TypedResponse(Response, Generic[Kind]):
    """A response whose objects are of known entities.

    `object` is None at run time if the answer has no object, as that of every response.
    """

    if TYPE_CHECKING:

        @property
        def object(self) -> Kind | MaybeNone: ...

        # A subclass of Objects could not have another type of elements.
        @property
        def objects(self) -> TypedObjects[Kind]: ...  # type: ignore[override]


class TypedQuery(Query, Generic[Kind]):
    """A query for objects of one entity, as `Query`."""

    if TYPE_CHECKING:

        def where(
            self,
            attribute: str | None = None,
            operator: Operator = "==",
            value: Any = None,
            **equal: Any,
        ) -> TypedQuery[Kind]: ...

        def filter(self, condition: str, *values: Any) -> TypedQuery[Kind]: ...

        def order_by(self, *attributes: str) -> TypedQuery[Kind]: ...

        def limit(self, limit: int | None, offset: int = 0) -> TypedQuery[Kind]: ...

        def rejected(self, rejected: bool | None = True) -> TypedQuery[Kind]: ...

        def unloaded(self, unloaded: bool | None = True) -> TypedQuery[Kind]: ...

        def pending(self, pending: bool | None = True) -> TypedQuery[Kind]: ...

        def conflicted(self, conflicted: bool | None = True) -> TypedQuery[Kind]: ...

        def pending_deletes(self, pending_deletes: Visibility | None) -> TypedQuery[Kind]: ...

        def all(self) -> TypedObjects[Kind]: ...  # type: ignore[override]

        def first(self) -> Kind | None: ...

        @overload
        def __getitem__(self, index: int) -> Kind: ...
        @overload
        def __getitem__(self, index: slice) -> TypedQuery[Kind]: ...
        def __getitem__(self, index: Any) -> Any: ...

        def __iter__(self) -> Iterator[Kind]: ...

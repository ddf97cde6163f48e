"""What an api takes until it is frozen: steps of entities, transforms, hooks."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Literal, TypeVar

from . import _native as native
from ._boundary import Owner, check, name, optional_name
from ._callbacks import (
    functions,
    on_decode_function,
    on_encode_function,
    on_function_destroy,
    on_hook_function,
)
from ._enums import AttributeType, Policy, RelationshipFlag
from ._hook import Hook, HookFunction
from ._transform import Transform, TransformFunction, checked
from ._values import JSONValue, json_bytes

TypeName = Literal["any", "bool", "int", "double", "string", "date", "bytes", "json"]
PolicyName = Literal["assign", "merge", "replace"]

F = TypeVar("F", bound=TransformFunction)
K = TypeVar("K", bound=HookFunction)


class Building(Owner[native.ApiHandle]):
    """The functions of `API` that put an api together."""

    __slots__ = ()

    def add_attribute(
        self,
        entity: str,
        attribute: str,
        *,
        source: str | None = None,
        type: TypeName = "any",
        format: str | None = None,
        transform: str | dict[str, JSONValue] | None = None,
    ) -> None:
        """Adds an attribute to an entity, as it would stand under `attributes`.

        Raises UnknownEntityError, DuplicateError, ConfigError, FrozenError; ValueError for a type
        that there is not.
        """
        if isinstance(transform, dict):
            transform = json_bytes(transform).decode()
        check(
            native.lib.restway_api_add_attribute,
            self._handle,
            name(entity),
            name(attribute),
            optional_name(source),
            _member(AttributeType, type),
            optional_name(format),
            optional_name(transform),
        )

    def add_relationship(
        self,
        entity: str,
        relationship: str,
        target: str,
        *,
        source: str | None = None,
        many: bool = False,
        by_identity: bool = False,
        policy: PolicyName = "assign",
    ) -> None:
        """Adds a relationship to an entity, as it would stand under `relationships`.

        Raises UnknownEntityError, DuplicateError, ConfigError, FrozenError; ValueError for a policy
        that there is not.
        """
        flags = RelationshipFlag(0)
        if many:
            flags |= RelationshipFlag.MANY
        if by_identity:
            flags |= RelationshipFlag.BY_IDENTITY
        check(
            native.lib.restway_api_add_relationship,
            self._handle,
            name(entity),
            name(relationship),
            optional_name(source),
            name(target),
            flags,
            _member(Policy, policy),
        )

    def set_identity(self, entity: str, attribute: str | None) -> None:
        """Says which attribute tells the objects of an entity apart; None for none.

        Raises UnknownEntityError, UnknownAttributeError, ConfigError, FrozenError.
        """
        function = native.lib.restway_api_set_identity
        check(function, self._handle, name(entity), optional_name(attribute))

    def add_transform(
        self,
        transform: str,
        decode: TransformFunction | None = None,
        encode: TransformFunction | None = None,
    ) -> None:
        """Registers a transform: `decode` from the payload to the attribute, `encode` back.

        What one of them raises is a mapping issue. They must not hold this api: neither would ever
        end. Raises DuplicateError, FrozenError, UsageError.
        """
        for function in (decode, encode):
            if function is not None:
                checked(function, "a transform")
        token = functions.add(Transform(decode, encode).ask, decode or encode)
        try:
            check(
                native.lib.restway_api_add_transform,
                self._handle,
                name(transform),
                native.NULL_TRANSFORM if decode is None else on_decode_function,
                native.NULL_TRANSFORM if encode is None else on_encode_function,
                token,
                on_function_destroy,
            )
        except BaseException:
            functions.remove(token)
            raise

    def transform(self, transform: str) -> Callable[[F], F]:
        """Decorates the `decode` of a transform; raises as `add_transform` does."""

        def add(decode: F) -> F:
            self.add_transform(transform, decode)
            return decode

        return add

    def add_hook(self, hook: str, function: HookFunction) -> None:
        """Registers a hook, which is given the rows of responses before they are stored.

        What it raises discards the response and fails the call. It must not hold this api: neither
        would ever end. Also when the api is frozen. Raises DuplicateError, UsageError.
        """
        checked(function, "a hook")
        token = functions.add(Hook(function).ask, function)
        try:
            check(
                native.lib.restway_api_add_hook,
                self._handle,
                name(hook),
                on_hook_function,
                token,
                on_function_destroy,
            )
        except BaseException:
            functions.remove(token)
            raise

    def hook(self, hook: str) -> Callable[[K], K]:
        """Decorates a hook; raises as `add_hook` does."""

        def add(function: K) -> K:
            self.add_hook(hook, function)
            return function

        return add


def _member(kind: type[IntEnum], word: str) -> int:
    """The number of a word of the document; ValueError when there is none."""
    member = kind.__members__.get(word.upper()) if word == word.lower() else None
    if member is None:
        words = ", ".join(known.name.lower() for known in kind)
        raise ValueError(f"expected one of {words}, not {word!r}")
    return member

"""The header's enumerations and constants, without their C prefixes.

A test compares every value here with `Include/restway/*.h`.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag

__all__ = [
    "ABI_VERSION",
    "AttemptReason",
    "AttributeType",
    "AuthMode",
    "ChangeKind",
    "ClientFlag",
    "Comparison",
    "CurlFlag",
    "Delivery",
    "Domain",
    "EventKind",
    "LogLevel",
    "Policy",
    "RelationshipFlag",
    "Status",
    "ValueKind",
]

ABI_VERSION = 0
"""The `RESTWAY_ABI_VERSION` that the prototypes of this package describe."""


class Status(IntEnum):
    """What a function of the library answers (`RESTWAY_OK`, `RESTWAY_E_*`).

    Newer libraries may answer values that are not listed here; those stay plain integers.
    """

    OK = 0
    INVALID_ARGUMENT = 1
    OUT_OF_MEMORY = 2
    INTERNAL = 3
    CLOSED = 4
    CANCELLED = 5
    WOULD_BLOCK = 6
    TIMEOUT = 7
    FORKED = 8
    IO = 9
    CONFIG = 10
    DUPLICATE = 11
    FROZEN = 12
    UNKNOWN_ENVIRONMENT = 20
    UNKNOWN_ROUTE = 21
    UNKNOWN_ENTITY = 22
    UNKNOWN_ATTRIBUTE = 23
    AMBIGUOUS_ROUTE = 24
    MISSING_VARIABLE = 25
    INVALID_URL = 26
    METHOD_NOT_ALLOWED = 27
    RESOLVE = 30
    CONNECT = 31
    TLS = 32
    CONNECTION_LOST = 33
    PROTOCOL = 34
    TOO_LARGE = 35
    TOO_MANY_REDIRECTS = 36
    HTTP = 40
    AUTH = 41
    MAPPING = 50
    NO_OBJECT = 60
    STORE = 61
    PLUGIN = 70
    BATCH = 80
    QUEUED = 90
    OUTBOX = 91


class Domain(IntEnum):
    """The part of the library, or of the world, that an error comes from (`RESTWAY_DOMAIN_*`)."""

    USAGE = 1
    CONFIG = 2
    ROUTE = 3
    TRANSPORT = 4
    HTTP = 5
    AUTH = 6
    MAPPING = 7
    STORE = 8
    BATCH = 9
    OUTBOX = 10
    CACHE = 11
    PLUGIN = 12
    API = 13
    CANCELLED = 14


class LogLevel(IntEnum):
    """How much a log message matters (`RESTWAY_LOG_*`); a higher level says more."""

    OFF = 0
    ERROR = 1
    WARNING = 2
    INFO = 3
    DEBUG = 4


class ValueKind(IntEnum):
    """What a value holds (`RESTWAY_VALUE_*`)."""

    NULL = 0
    BOOL = 1
    INT64 = 2
    DOUBLE = 3
    DATE = 4
    STRING = 5
    BYTES = 6
    JSON = 7
    OBJECT = 8
    LIST = 9
    ABSENT = 10


class AttributeType(IntEnum):
    """The type of an attribute's values (`RESTWAY_TYPE_*`)."""

    ANY = 0
    BOOL = 1
    INT = 2
    DOUBLE = 3
    STRING = 4
    DATE = 5
    BYTES = 6
    JSON = 7


class Policy(IntEnum):
    """What a response does to the links that are there (`RESTWAY_POLICY_*`)."""

    ASSIGN = 0
    MERGE = 1
    REPLACE = 2


class RelationshipFlag(IntFlag):
    """`RESTWAY_RELATIONSHIP_*`."""

    MANY = 0x1
    BY_IDENTITY = 0x2


class Comparison(IntEnum):
    """How an attribute is compared with a value (`RESTWAY_COMPARISON_*`)."""

    EQUAL = 1
    NOT_EQUAL = 2
    LESS = 3
    LESS_OR_EQUAL = 4
    GREATER = 5
    GREATER_OR_EQUAL = 6


class Delivery(IntEnum):
    """Where notices run (`RESTWAY_DELIVERY_*`)."""

    THREAD = 0
    PROCESS = 1
    DRAIN = 2


class EventKind(IntEnum):
    """What an event tells (`RESTWAY_EVENT_*`)."""

    COMPLETED = 1
    CHANGED = 2
    PROGRESS = 3
    ATTEMPT = 4
    BATCH = 5
    OUTBOX_ITEM = 6
    OUTBOX_FLUSHED = 7


class Reachability(IntEnum):
    """What is known of the way to the server (`RESTWAY_REACHABILITY_*`)."""

    UNKNOWN = 0
    REACHABLE = 1
    UNREACHABLE = 2


class OutboxState(IntEnum):
    """Where a stored request stands (`RESTWAY_OUTBOX_*`)."""

    WAITING = 1
    SENDING = 2
    BLOCKED = 3
    DEAD = 4
    DELIVERED = 5


class ChangeKind(IntEnum):
    """What happened to an object (`RESTWAY_CHANGE_*`)."""

    INSERTED = 1
    UPDATED = 2
    DELETED = 3


class AuthMode(IntEnum):
    """How a request takes part in authentication (`RESTWAY_AUTH_*`)."""

    DEFAULT = 0
    BYPASS = 1
    NONE = 2


class AttemptReason(IntEnum):
    """Why an attempt was made (`RESTWAY_ATTEMPT_*`)."""

    FIRST = 1
    RETRY = 2
    REPLAY = 3


class ClientFlag(IntFlag):
    """Bits of the client's options (`RESTWAY_CLIENT_*`)."""

    STRICT_MAPPING = 0x1
    NO_COOKIES = 0x2
    NO_REDIRECTS = 0x4
    GONE_IS_DELETED = 0x8
    LOAD_PLUGINS = 0x100


class CurlFlag(IntFlag):
    """How a curl command is written (`RESTWAY_CURL_*`)."""

    REVEAL = 0x1

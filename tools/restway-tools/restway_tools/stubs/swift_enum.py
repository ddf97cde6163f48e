"""Writes the values that a document lists for an attribute as a Swift enum."""

from __future__ import annotations

from .model import Attribute
from .swift_text import documentation, identifier, literal

_OF_ENUMS = ("RawValue", "allCases", "encode", "hash", "hashValue", "rawValue", "unknown")
"""The names that the enums of attributes use for themselves."""


def enum_of(attribute: Attribute, name: str) -> list[str]:
    """Returns the enum of the values that the document lists for an attribute."""
    taken = {*_OF_ENUMS}
    cases = [(identifier(value, taken), literal(value)) for value in attribute.values]
    comment = f"/// The values of the attribute {documentation(attribute.name)}."
    if attribute.closed:
        return [
            comment,
            f"enum {name}: String, CaseIterable, Codable, Hashable, Sendable {{",
            *(f"    case {case} = {value}" for case, value in cases),
            "}",
        ]
    return [
        comment,
        f"enum {name}: Codable, Hashable, RawRepresentable, Sendable {{",
        *(f"    case {case}" for case, _ in cases),
        "    /// A value that the document does not list.",
        "    case unknown(String)",
        "",
        "    init(rawValue: String) {",
        "        switch rawValue {",
        *(f"        case {value}: self = .{case}" for case, value in cases),
        "        default: self = .unknown(rawValue)",
        "        }",
        "    }",
        "",
        "    init(from decoder: any Decoder) throws {",
        # An attribute may be called String, and would be taken for the type in an expression.
        "        self.init(rawValue: try RawValue(from: decoder))",
        "    }",
        "",
        "    var rawValue: String {",
        "        switch self {",
        *(f"        case .{case}: {value}" for case, value in cases),
        "        case .unknown(let value): value",
        "        }",
        "    }",
        "",
        "    func encode(to encoder: any Encoder) throws {",
        "        var container = encoder.singleValueContainer()",
        "        try container.encode(rawValue)",
        "    }",
        "}",
    ]

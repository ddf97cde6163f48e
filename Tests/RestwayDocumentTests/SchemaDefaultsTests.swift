import Foundation
import XCTest

@testable import RestwayDocument

/// The schema of documents states the defaults that the reader has.
final class SchemaDefaultsTests: XCTestCase {
    /// An object of a document whose numbers and choices have defaults.
    private struct Section {
        /// Its name in the schema.
        let name: String
        /// The key of the object that it stands in; `nil` for the top of the document.
        var outer: String?
        /// The keys that it needs beside the key with its default.
        var needed: [String: Any] = [:]
        /// Keys that change more than their value when they are there.
        var excluded: Set<String> = []
    }

    private let sections = [
        // A list of statuses also switches the rules for `Retry-After` off.
        Section(name: "retry", excluded: ["status"]),
        Section(name: "outbox", excluded: ["status"]),
        Section(name: "rate", needed: ["requests": 1]),
        Section(name: "batch", needed: ["path": "batch"]),
        Section(name: "cache"),
        Section(
            name: "auth",
            needed: ["scheme": "oauth2", "grant": "clientCredentials", "tokenURL": "token"],
            excluded: ["scheme"]),
        Section(name: "replay", outer: "auth"),
        Section(name: "refresh", outer: "auth"),
    ]

    func testAKeyWithItsDefaultHasNoEffect() throws {
        for section in sections {
            let defaults = try Self.defaults(of: section.name)
            XCTAssertFalse(defaults.isEmpty, section.name)
            let without = try Self.definition(section)
            for (key, value) in defaults where !section.excluded.contains(key) {
                XCTAssertEqual(
                    try Self.definition(section, [key: value]), without, "\(section.name).\(key)")
            }
        }
    }

    func testTheComparisonSeesAnotherValue() throws {
        let others: [String: [String: Any]] = [
            "retry": ["attempts": 2], "outbox": ["concurrent": 2], "rate": ["headers": false],
            "batch": ["limit": 2], "cache": ["memoryBytes": 2],
            "auth": ["clientAuthentication": "body"], "replay": ["max": 2], "refresh": ["max": 2],
        ]
        for section in sections {
            XCTAssertNotEqual(
                try Self.definition(section, try XCTUnwrap(others[section.name])),
                try Self.definition(section), section.name)
        }
    }

    /// The defaults by key.
    private static func defaults(of name: String) throws -> [String: Any] {
        let root = #filePath.components(separatedBy: "/Tests/RestwayDocumentTests/")[0]
        let file = URL(fileURLWithPath: "\(root)/docs/api-document.schema.json")
        let data = try Data(contentsOf: file)
        let schema = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let definitions = schema?["$defs"] as? [String: [String: Any]]
        let properties = definitions?[name]?["properties"] as? [String: [String: Any]]
        return try XCTUnwrap(properties).compactMapValues { $0["default"] }
    }

    /// Returns what the reader makes of a document with the section, as text.
    private static func definition(
        _ section: Section, _ members: [String: Any] = [:]
    ) throws -> String {
        let inner = section.needed.merging(members) { _, new in new }
        var document: [String: Any] = ["restway": 1, section.name: inner]
        if let outer = section.outer { document = ["restway": 1, outer: [section.name: inner]] }
        let bytes = [UInt8](try JSONSerialization.data(withJSONObject: document))
        let definition = try bytes.withUnsafeBytes { try DocumentReader.read($0).0 }
        return text([
            definition.auth, definition.policies, definition.batch as Any, definition.storage,
        ])
    }

    /// Returns a value and all values inside it as text, with the elements of sets in order.
    private static func text(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        if mirror.children.isEmpty { return "\(value)" }
        let parts = mirror.children.map { "\($0.label ?? ""): \(text($0.value))" }
        return "(\((mirror.displayStyle == .set ? parts.sorted() : parts).joined(separator: ", ")))"
    }
}

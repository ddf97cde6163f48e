import CJansson
import Foundation
import XCTest

@testable import RestwayJSON

final class JSONArenaTests: XCTestCase {
    /// Values of every kind, long and short, and more members than a table begins with.
    private static let texts: [String] = {
        let words = (0..<200).map {
            #""key \#($0)":[\#($0),\#($0).5,"v\#($0)",null,true,{"a":{}}]"#
        }
        let long = String(repeating: "long ", count: 100_000)
        return [
            "1", #""""#, "null", "[]", "{}", #"{"a":"b"}"#, #"["\u0000","ä","\ud83d\ude00"]"#,
            "{\(words.prefix(3).joined(separator: ","))}",
            "{\(words.joined(separator: ","))}",
            #"["\#(long)","\#(long)",1]"#,
            "[\(String(repeating: "[", count: 500))\(String(repeating: "]", count: 500))]",
            "[123456789012345678901234567890,1e999]",
        ]
    }()

    private static func text(of tree: JSONTree) -> [UInt8] {
        tree.text()
    }

    private static func counted(_ text: String) throws -> [UInt8] {
        try JSONValue.parse(text, .anyJSON).text()
    }

    private static func read(_ text: String, in arena: inout JSONArena) throws -> [UInt8] {
        try Array(text.utf8).withUnsafeBytes { bytes in
            try arena.withTree(bytes) { Self.text(of: $0) }
        }
    }

    func testTreesAreThoseThatAreCounted() throws {
        var arena = JSONArena()
        for text in Self.texts + Self.texts.reversed() {
            XCTAssertEqual(try Self.read(text, in: &arena), try Self.counted(text))
            var ofItsOwn = JSONArena()
            XCTAssertEqual(try Self.read(text, in: &ofItsOwn), try Self.counted(text))
        }
    }

    func testWhatCannotBeReadLeavesTheArenaAsItWas() throws {
        var arena = JSONArena()
        for text in Self.texts {
            for broken in ["", text + "]", "[\(text)", "[\(text)\u{0}]", "[\(text),01]"] {
                XCTAssertThrowsError(try Self.read(broken, in: &arena), broken)
                XCTAssertThrowsError(try Self.counted(broken), broken)
            }
            XCTAssertEqual(try Self.read(text, in: &arena), try Self.counted(text))
        }
    }

    func testWhatTheBodyThrowsEndsTheTree() throws {
        var arena = JSONArena()
        XCTAssertThrowsError(
            try Array("[1]".utf8).withUnsafeBytes { bytes in
                try arena.withTree(bytes) { _ throws(JSONError) in throw .empty }
            }
        ) { XCTAssertEqual($0 as? JSONError, .empty) }
        XCTAssertEqual(try Self.read("[2]", in: &arena), Array("[2]".utf8))
    }

    func testValuesThatAreMadeMeanwhileOutliveTheTree() throws {
        var arena = JSONArena()
        let made = try Array(#"{"name":"Ann"}"#.utf8).withUnsafeBytes { bytes in
            try arena.withTree(bytes) { tree in
                let name = json_string_value(json_object_get(tree.pointer, "name"))
                var inner = JSONArena()
                XCTAssertEqual(try? Self.read("[3]", in: &inner), Array("[3]".utf8))
                return JSONValue.object([("greeted", .string(String(cString: name!)))])
            }
        }
        _ = try Self.read(Self.texts[8], in: &arena)
        XCTAssertEqual(made.text(), Array(#"{"greeted":"Ann"}"#.utf8))
    }

    func testValuesLieInTheArenaWhereJanssonIsTheLibrarysOwn() throws {
        try XCTSkipUnless(JSONArena.isServing, "built with a Jansson that others share")
        var arena = JSONArena()
        let addresses = try Array(#"[1,"a",{"b":[]}]"#.utf8).withUnsafeBytes { bytes in
            try arena.withTree(bytes) { tree in
                [tree.pointer] + (0..<3).map { json_array_get(tree.pointer, $0)! }
            }
        }
        XCTAssertTrue(addresses.allSatisfy { UInt(bitPattern: $0) % 16 == 8 })
        let counted = try JSONValue.parse("[1]")
        XCTAssertEqual(UInt(bitPattern: counted.pointer) % 16, 0)
    }

    func testThreadsHaveArenasOfTheirOwn() throws {
        let expected = try Self.texts.map(Self.counted)
        let differences = Differences()
        DispatchQueue.concurrentPerform(iterations: 8) { index in
            var arena = JSONArena()
            for round in 0..<40 {
                let place = (index + round) % Self.texts.count
                let read = try? Self.read(Self.texts[place], in: &arena)
                if read != expected[place] { differences.add() }
            }
        }
        XCTAssertEqual(differences.count, 0)
    }

    private final class Differences: @unchecked Sendable {
        private let lock = NSLock()
        private(set) var count = 0

        func add() { lock.withLock { count += 1 } }
    }
}

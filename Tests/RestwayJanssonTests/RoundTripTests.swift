import RandomRounds
import RestwayJSON
import RestwayJansson
import RestwayMapping
import RestwayObjects
import XCTest

/// Writing and reading again gives the same objects.
final class RoundTripTests: XCTestCase {
    private static let fields: [(source: String, make: @Sendable (inout Seeded) -> String)] = [
        ("id", { "\(Int64.random(in: .min ... .max, using: &$0))" }),
        ("bool", { Bool.random(using: &$0) ? "true" : "false" }),
        ("int", { "\(Int64.random(in: -9...9, using: &$0))" }),
        ("double", { "\(Double(Int.random(in: -99...99, using: &$0)) + 0.5)" }),
        ("string", { "\"\(texts.randomElement(using: &$0)!)\"" }),
        ("date", { #""2013-02-0\#(Int.random(in: 1...9, using: &$0))T04:05:06Z""# }),
        ("day", { #""0\#(Int.random(in: 1...9, using: &$0))/02/2013""# }),
        ("stamp", { "\(Int.random(in: -9_999_999_999...9_999_999_999, using: &$0))" }),
        ("bytes", { #""\#(["", "AP8=", "AAAA", "/+8="].randomElement(using: &$0)!)""# }),
        ("json", { trees.randomElement(using: &$0)! }),
        ("any", { anything.randomElement(using: &$0)! }),
    ]

    private static let texts = ["", "a", "é", "e\u{301}", #"\n\u0000\""#, "😀"]
    private static let trees = ["[]", "{}", #"{"a":[1,null,{"b":""}]}"#, "[[1e400]]"]
    private static let anything = ["1", "1.5", #""x""#, "true", "[1]", #"{"k":{}}"#]

    private static func object(_ generator: inout Seeded) -> String {
        var members: [String] = []
        for field in fields where Int.random(in: 0..<4, using: &generator) > 0 {
            let isNull = field.source != "id" && Int.random(in: 0..<5, using: &generator) == 0
            members.append("\"\(field.source)\":\(isNull ? "null" : field.make(&generator))")
        }
        if Bool.random(using: &generator) {
            members.append(#""address":{"street":"s","at":{"lat":null}}"#)
        }
        return "{" + members.shuffled(using: &generator).joined(separator: ",") + "}"
    }

    func testReverseOfForwardEqualsTheSource() throws {
        var generator = Seeded(11)
        let options = JSONValue.ParseOptions.anyJSON
        for _ in 0..<rounds(3_000) {
            let source = Self.object(&generator)
            guard let row = try map(source).rows.first else {
                XCTAssertEqual(source, "{}")
                continue
            }
            let text = try encoded(.object(row), Model.mapping)
            XCTAssertTrue(
                isSame(try JSONValue.parse(text, options), try JSONValue.parse(source, options)),
                "\(source) became \(text)")
            let draft = Draft(copying: row)
            XCTAssertEqual(try encoded(.draft(draft.capture()), Model.mapping), text)
        }
    }

    /// Random graphs, by identity and expanded: the written text maps to the same graph again.
    func testForwardOfReverseLeadsToTheSameObjects() throws {
        var generator = Seeded(12)
        for _ in 0..<rounds(300) {
            let count = Int64.random(in: 1...6, using: &generator)
            let store = MemoryStore(keyBefore: 0)
            var changes = ChangeSet()
            for id in 0..<count {
                let targets = (0..<4).map { _ in
                    Cell.reference(toRow: Int(Int64.random(in: 0..<count, using: &generator)))
                }
                changes.rows.append(
                    Snapshot.make(
                        Graph.node,
                        [
                            .int64(id), .string("n\(id)"), .link(targets[0]),
                            .links(Array(targets.prefix(2))), .link(targets[1]),
                            .links(Array(targets.suffix(2))),
                        ]))
            }
            let objects = try store.commit(changes).objects
            let text = try encoded(.object(objects[0]), Graph.mapping, store)
            let (again, mapped) = try Graph.store(text)
            for object in mapped {
                let id = try XCTUnwrap(object.identity)
                let before = try XCTUnwrap(store.object(Graph.node, id))
                // By identity alone, stubs replace the objects that are not expanded.
                guard object.value(at: 1) != .absent else { continue }
                XCTAssertEqual(object.present, before.present)
                for index in 0..<4 {
                    XCTAssertEqual(
                        again.related(object, relationship: index).map(\.identity),
                        store.related(before, relationship: index).map(\.identity), text)
                }
            }
        }
    }
}

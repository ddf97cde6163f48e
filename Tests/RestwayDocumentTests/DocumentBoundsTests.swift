import Glibc
import RandomRounds
import XCTest

@testable import RestwayDocument
@testable import RestwayOutcome

/// Reading a document takes work in proportion to its length, whatever it contains.
final class DocumentBoundsTests: XCTestCase {
    /// The largest number of steps for each byte, in addition to the steps for the names of hints.
    private static let stepsPerByte = 2

    /// Reads a document; returns how many steps that took, and how many problems it has.
    @discardableResult
    private func read(_ text: [UInt8]) -> (steps: Int, problems: Int) {
        let problems = DocumentProblems()
        let count = text.withUnsafeBytes { text in
            do throws(Failure) {
                _ = try DocumentReader.read(text, problems: problems)
                return 0
            } catch {
                XCTAssertEqual(error.reason, .config)
                XCTAssertFalse(error.details.isEmpty)
                return error.details.count
            }
        }
        return (problems.stepCount, count)
    }

    // MARK: Large documents

    private func large(_ count: Int) -> [UInt8] {
        func list(_ make: (Int) -> String) -> String {
            (0..<count).map(make).joined(separator: ",\n")
        }
        let entities = list {
            #""E\#($0)": {"identity": "id", "attributes": {"id": {"type": "int"}, "n\#($0)": {}},"#
                + #""relationships": {"r": {"entity": "E\#(($0 * 7) % count)"}}}"#
        }
        let routes = list {
            #""r\#($0)": {"method": ["GET", "PUT"], "path": "e\#($0)/:id", "entity": "E0","#
                + #""response": {"entity": "E\#($0)", "hook": "h\#($0)"},"#
                + #""request": {"entity": "E\#($0)"}}"#
        }
        let responses = list { #"{"path": "e\#($0)/{id}.json", "entity": "E\#($0)"}"# }
        let requests = list { #"{"path": "e\#($0)/{id}", "entity": "E\#($0)"}"# }
        return Array(
            """
            {"restway": 1, "entities": {\(entities)}, "routes": {\(routes)},
             "responses": [\(responses)], "requests": [\(requests)]}
            """.utf8)
    }

    func testADocumentEightTimesAsLargeTakesEightTimesTheSteps() {
        let (small, large) = (large(100), large(800))
        let (few, many) = (read(small), read(large))
        XCTAssertEqual(few.problems, 0)
        XCTAssertEqual(many.problems, 0)
        XCTAssertGreaterThan(few.steps, 100 * 10)
        XCTAssertLessThanOrEqual(many.steps, few.steps * 9)
    }

    func testEqualDescriptorsAreFoundAmongManyOthers() {
        let entries = (0..<2_000).map { #"{"path": "p\#($0 % 1_999)/:id", "entity": "A"}"# }
        XCTAssertEqual(
            TestAPI.problems(
                """
                {"restway": 1, "entities": {"A": {"attributes": {"x": "x"}}},
                 "responses": [\(entries.joined(separator: ","))]}
                """),
            [
                "$.responses[1999]: applies to the same answers as $.responses[0], "
                    + "with the same entity and keyPath: remove one of the two; routes with one "
                    + "path share an entry of \"responses\" that has this path"
            ])
    }

    // MARK: Parents

    private func chain(_ count: Int, reversed: Bool) -> String {
        var routes = (0..<count).map { index in
            index == 0
                ? #""r0": {"path": "r"}"#
                : #""r\#(index)": {"path": "r", "parent": "r\#(index - 1)"}"#
        }
        if reversed { routes.reverse() }
        return #"{"restway": 1, "routes": {\#(routes.joined(separator: ","))}}"#
    }

    func testAChainOfParentsHasABoundThatIsSaidOnce() throws {
        for reversed in [false, true] {
            XCTAssertEqual(TestAPI.problems(chain(65, reversed: reversed)), [])
            XCTAssertEqual(
                TestAPI.problems(chain(8_000, reversed: reversed)),
                [
                    #"$.routes.r65.parent: route "r65" has more than 64 parents, one above "#
                        + "the other"
                ])
        }
        let api = try TestAPI.load(chain(65, reversed: true))
        try XCTAssertEqual(
            api.definition.routes.route(named: "r64").template.text,
            Array(repeating: "r", count: 65).joined(separator: "/"))
        XCTAssertEqual(api.definition.routes.all.first?.name, "r64", "the document's order")
        let one = failure { try api.add(route: "x", #"{"path": "x", "parent": "r64"}"#) }
        XCTAssertEqual(one?.reason, .config)
        let other = failure { try api.joinRoutes("x", parent: "r64", child: "r0") }
        XCTAssertEqual(other?.reason, .config)
        XCTAssertTrue(other?.message.contains("64 parents") ?? false)
    }

    func testACircleOfManyParentsIsFoundInLinearWork() {
        let count = 4_000
        let routes = (0..<count).map {
            #""r\#($0)": {"path": "r", "parent": "r\#(($0 + 1) % count)"}"#
        }
        let problems = TestAPI.problems(
            #"{"restway": 1, "routes": {"on": {"path": "x", "parent": "r1"},"#
                + #"\#(routes.joined(separator: ","))}}"#)
        XCTAssertEqual(problems.count, count)
        XCTAssertTrue(problems.allSatisfy { $0.hasSuffix("is part of a circle of parents") })
    }

    func testManyChildrenOfALongParentAreRefused() {
        let long = String(repeating: "a", count: 100_000)
        let routes = (0..<2_000).map { #""r\#($0)": {"path": "r", "parent": "long"}"# }
        let problems = TestAPI.problems(
            #"{"restway": 1, "routes": {"long": {"path": "\#(long)"},"#
                + #"\#(routes.joined(separator: ","))}}"#)
        XCTAssertEqual(problems.count, 2_000)
        XCTAssertEqual(
            problems.first,
            #"$.routes.r0.parent: path template "r", byte 0: joined to the path of its parent it "#
                + "would have more than 4096 bytes")
        XCTAssertLessThan(problems.map(\.utf8.count).max() ?? .max, 200)
    }

    func testManyUnknownNamesGetHintsUpToABound() {
        let entities = (0..<1_000).map { #""Entity\#($0)": {"attributes": {"x": "x"}}"# }
        let responses = (0..<1_000).map { #"{"path": "p\#($0)", "entity": "Entty\#($0)"}"# }
        let problems = TestAPI.problems(
            #"{"restway": 1, "entities": {\#(entities.joined(separator: ","))},"#
                + #""responses": [\#(responses.joined(separator: ","))]}"#)
        XCTAssertEqual(problems.count, 1_000)
        XCTAssertTrue(problems[0].hasSuffix(#"did you mean "Entity0"?"#), problems[0])
        XCTAssertEqual(
            problems.filter { $0.contains("did you mean") }.count,
            DocumentProblems.comparedNameCountMax / 1_000)
    }

    // MARK: Mutations

    func testMutatedDocumentsLoadOrAreRefusedWithinABoundOfSteps() throws {
        let seeds = try DocumentMutation.seeds()
        XCTAssertGreaterThanOrEqual(seeds.count, 7)
        for seed in seeds {
            XCTAssertEqual(read(seed).problems, 0, String(decoding: seed, as: UTF8.self))
        }
        var mutation = DocumentMutation(seeds: seeds, state: 20_23)
        var (loaded, parsed) = (0, 0)
        var worst = 0.0
        let count = rounds(20_000)
        for _ in 0..<count {
            let document = mutation.next()
            let (steps, problems) = read(document)
            if problems == 0 { loaded += 1 }
            if steps > 0 { parsed += 1 }
            worst = max(worst, Double(steps) / Double(document.count + 100))
            if worst > Double(Self.stepsPerByte) {
                let text = String(decoding: document, as: UTF8.self)
                return XCTFail("\(worst) steps per byte: \(text)")
            }
        }
        // Many of the changed documents are still JSON, and the loader refuses many of these.
        XCTAssertGreaterThan(parsed, count * 2 / 5)
        XCTAssertGreaterThan(loaded, count / 40)
        XCTAssertGreaterThan(parsed - loaded, count / 5)
    }
}

/// Makes broken and unusual documents from the documents in `docs`, always the same for one seed.
struct DocumentMutation {
    private let seeds: [[UInt8]]
    private static let structure = Array("{}[],: \n".utf8)

    /// Runs of bytes between the characters of JSON's structure.
    private let tokens: [[UInt8]]
    private var random: SplitMix

    init(seeds: [[UInt8]], state: UInt64) {
        self.seeds = seeds
        random = SplitMix(state: state)
        let literals = ["null", "-1", "1e999", "{}", "[]", "\"\"", "true", "\"{a}-b\""]
        var tokens = literals.map { Array($0.utf8) }
        for seed in seeds {
            tokens += seed.split { Self.structure.contains($0) }.map(Array.init)
        }
        self.tokens = tokens
    }

    /// Returns the JSON blocks of `docs` that are whole documents.
    static func seeds() throws -> [[UInt8]] {
        let own = "Tests/RestwayDocumentTests/DocumentBoundsTests.swift"
        let root = String(#filePath.dropLast(own.utf8.count))
        var seeds: [[UInt8]] = []
        let directory = try XCTUnwrap(opendir(root + "docs"))
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".md") { names.append(name) }
        }
        for name in names.sorted() {
            let text = String(decoding: try FileText.read(root + "docs/" + name), as: UTF8.self)
            var block: [Substring]?
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                if line == "```json" {
                    block = []
                } else if line == "```" {
                    let document = Array((block ?? []).joined(separator: "\n").utf8)
                    if String(decoding: document, as: UTF8.self).contains("\"restway\": 1") {
                        seeds.append(document)
                    }
                    block = nil
                } else {
                    block?.append(line)
                }
            }
        }
        return seeds
    }

    mutating func next() -> [UInt8] {
        var document = seeds[below(seeds.count)]
        for _ in 0...below(4) { mutate(&document) }
        return document
    }

    private mutating func mutate(_ document: inout [UInt8]) {
        guard !document.isEmpty else { return }
        let start = below(document.count)
        let end = min(document.count, start + 1 + below(40))
        switch below(24) {
        case 0: document[start] = UInt8(below(256))
        case 1: document.removeSubrange(start..<end)
        case 2: document.insert(contentsOf: document[start..<end], at: start)
        case 3:
            let other = seeds[below(seeds.count)]
            let from = below(other.count)
            document.insert(
                contentsOf: other[from..<min(other.count, from + 1 + below(200))], at: start)
        default:
            // In most cases a whole token replaces another one, so that the text stays JSON.
            let isStructure = { (byte: UInt8) in Self.structure.contains(byte) }
            let first = document[start...].firstIndex { !isStructure($0) } ?? start
            let begin = document[..<first].lastIndex(where: isStructure).map { $0 + 1 } ?? 0
            let end = document[first...].firstIndex(where: isStructure) ?? document.count
            document.replaceSubrange(begin..<end, with: tokens[below(tokens.count)])
        }
    }

    private mutating func below(_ bound: Int) -> Int {
        Int(random.next() % UInt64(bound))
    }
}

/// The generator of Steele, Lea and Flood.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

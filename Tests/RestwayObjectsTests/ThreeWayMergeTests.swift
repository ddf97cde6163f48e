import RestwayThreads
import XCTest

@testable import RestwayObjects

/// What becomes of one value that the program has changed, against the newest value of the server.
final class ThreeWayMergeTests: XCTestCase {
    private func merge(
        _ base: Value, _ mine: Value, _ theirs: Value, _ policy: ConflictPolicy,
        uncertainly isUncertain: Bool = false, uncertain: ConflictPolicy = .park
    ) -> ThreeWayMerge.Outcome {
        ThreeWayMerge(base: base, mine: mine, theirs: theirs, isUncertain: isUncertain)
            .outcome(policy, uncertain: uncertain)
    }

    func testAValueThatTheServerHasIsDoneUnderEveryPolicy() {
        for policy in ConflictPolicy.allCases where policy != .add {
            for isUncertain in [true, false] {
                let outcome = merge(
                    .string("a"), .string("b"), .string("b"), policy, uncertainly: isUncertain)
                XCTAssertEqual(outcome, .done, policy.rawValue)
            }
        }
        XCTAssertEqual(merge(.json("[]"), .json("{\"a\":1,\"b\":2}"),
            .json("{ \"b\": 2.0, \"a\": 1 }"), .park), .done)
        XCTAssertEqual(merge(.null, .int64(2), .double(2), .park), .done)
        // Both have added 1: the server has only one of them.
        XCTAssertEqual(merge(.int64(0), .int64(1), .int64(1), .add), .send(.int64(2)))
        XCTAssertEqual(merge(.int64(0), .int64(1), .int64(1), .add, uncertainly: true), .done)
    }

    func testAValueThatTheServerHasNotChangedIsSentUnderEveryPolicy() {
        for policy in ConflictPolicy.allCases {
            for isUncertain in [true, false] {
                let outcome = merge(
                    .int64(1), .int64(3), .double(1), policy, uncertainly: isUncertain)
                XCTAssertEqual(outcome, .send(.int64(3)), policy.rawValue)
            }
        }
    }

    func testEachPolicyDecidesWhatBothHaveChanged() {
        let values = (Value.string("base"), Value.string("mine"), Value.string("theirs"))
        let outcome = { (policy: ConflictPolicy) in
            self.merge(values.0, values.1, values.2, policy)
        }
        XCTAssertEqual(outcome(.mine), .send(.string("mine")))
        XCTAssertEqual(outcome(.theirs), .theirs)
        XCTAssertEqual(outcome(.park), .park)
        XCTAssertEqual(outcome(.ask), .ask)
        XCTAssertEqual(outcome(.add), .park)
        XCTAssertEqual(outcome(.union), .park)
    }

    func testOnlyMineHasAnotherPolicyIfTheRequestMayHaveArrived() {
        for policy in ConflictPolicy.allCases where policy != .add {
            let wanted: ThreeWayMerge.Outcome =
                switch policy {
                case .theirs: .theirs
                case .ask, .mine: .ask
                case .park, .add, .union: .park
                }
            let outcome = merge(
                .string("base"), .string("mine"), .string("theirs"), policy, uncertainly: true,
                uncertain: .ask)
            XCTAssertEqual(outcome, wanted, policy.rawValue)
        }
        XCTAssertEqual(merge(.int64(1), .int64(2), .int64(5), .add, uncertainly: true), .park)
        XCTAssertEqual(
            merge(.null, .int64(2), .int64(5), .mine, uncertainly: true, uncertain: .mine),
            .send(.int64(2)))
        XCTAssertEqual(
            merge(.int64(1), .int64(2), .int64(5), .mine, uncertainly: true, uncertain: .add),
            .park)
    }

    func testSumsThatAreNoNumbersAreParked() {
        let max = Value.int64(.max)
        XCTAssertEqual(merge(.int64(0), .int64(1), max, .add), .park)
        XCTAssertEqual(merge(.int64(.min), max, .int64(0), .add), .park)
        XCTAssertEqual(merge(.null, .int64(1), .int64(2), .add), .park)
        XCTAssertEqual(merge(.int64(0), .int64(1), .null, .add), .park)
        XCTAssertEqual(merge(.int64(0), .bool(true), .int64(2), .add), .park)
        XCTAssertEqual(merge(.date(0), .date(1), .date(2), .add), .park)
        XCTAssertEqual(
            merge(.double(0), .double(.greatestFiniteMagnitude), .double(1e308), .add), .park)
        XCTAssertEqual(merge(.double(1.5), .int64(2), .int64(4), .add), .send(.double(4.5)))
        // The program has set the value that the server had before.
        XCTAssertEqual(merge(.int64(3), .int64(3), .int64(9), .add), .done)
    }

    func testListsGetWhatWasAddedAndLoseWhatWasTakenOut() {
        let union = { (base: String, mine: String, theirs: String) in
            self.merge(.json(base), .json(mine), .json(theirs), .union)
        }
        XCTAssertEqual(
            union("[1,2,3]", "[4,1,3,5]", "[3,2,1,9]"), .send(.json("[3,1,9,4,5]")))
        XCTAssertEqual(union("[\"a\"]", "[\"a\",\"b\"]", "[\"b\",\"c\",\"a\"]"), .done)
        XCTAssertEqual(
            union("[{\"a\":1,\"b\":2}]", "[]", "[ {\"b\":2.0,\"a\":1}, null ]"),
            .send(.json("[null]")))
        XCTAssertEqual(
            union("[]", "[\"e\\u0301\"]", "[\"\\u00e9\"]"),
            .send(.json("[\"\u{e9}\",\"e\u{301}\"]")))
        XCTAssertEqual(union("[]", "{}", "[1]"), .park)
        XCTAssertEqual(merge(.null, .json("[1]"), .json("[2]"), .union), .park)
        XCTAssertEqual(
            merge(.links([1, 2]), .links([2, 5]), .links([4, 1]), .union), .send(.links([4, 5])))
        XCTAssertEqual(merge(.link(1), .link(2), .link(3), .union), .park)
        XCTAssertEqual(
            merge(.links([1]), .links([1, 2]), .links([1, 3]), .union, uncertainly: true),
            .send(.links([1, 3, 2])))
    }

    func testNumbersAreComparedByValueAndJSONByContent() {
        let big = "123456789012345678901234567890"
        for (own, its, isSame) in [
            (Value.int64(1), Value.double(1), true), (.int64(1), .double(1.5), false),
            (.int64(.max), .double(9_223_372_036_854_775_807), false),
            (.double(0), .double(-0.0), true), (.double(.nan), .double(.nan), true),
            (.int64(1), .bool(true), false), (.int64(1), .date(1), false),
            (.null, .absent, false), (.string("1"), .int64(1), false),
            (.string("\u{e9}"), .string("e\u{301}"), false),
            (.json("[1, 2]"), .json("[1,2.0]"), true), (.json("[1,2]"), .json("[2,1]"), false),
            (.json("{\"a\":[1],\"b\":null}"), .json("{\"b\":null,\"a\":[1]}"), true),
            (.json("{\"a\":null}"), .json("{}"), false), (.json("[true]"), .json("[1]"), false),
            (.json("[\(big)]"), .json("[ \(big)]"), true),
            (.json("[\(big)]"), .json("[\"\(big)\"]"), false),
            (.json("not JSON"), .json("not JSON"), true), (.json("not JSON"), .json("[]"), false),
            (.links([1, 2]), .links([1, 2]), true), (.links([1, 2]), .links([2, 1]), false),
        ] {
            XCTAssertEqual(own.hasSameContent(as: its), isSame, "\(own) and \(its)")
            XCTAssertEqual(its.hasSameContent(as: own), isSame, "\(its) and \(own)")
        }
    }
}

/// Random values, against an oracle that was written for itself.
extension ThreeWayMergeTests {
    private enum Kind: CaseIterable {
        case numbers, lists, links, texts
    }

    private static func random(_ kind: Kind, _ random: inout SeededRandom) -> Value {
        if Int.random(in: 0..<20, using: &random) == 0 { return .null }
        let some = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            Int64.random(in: 1...4, using: &random)
        }
        switch kind {
        case .numbers: return .int64(.random(in: 0...4, using: &random))
        case .texts: return .string(["a", "b", "c"].randomElement(using: &random)!)
        case .lists: return .json("[\(some.map { "\"\($0)\"" }.joined(separator: ","))]")
        case .links: return .links(Array(Set(some)).sorted())
        }
    }

    /// The elements of a list of random values.
    private static func elements(_ value: Value) -> [String]? {
        switch value {
        case .links(let keys): keys.map(String.init)
        case .json(let text): text.split { "[],\"".contains($0) }.map(String.init)
        default: nil
        }
    }

    /// The outcome as a text: "done", "theirs", "park", "ask", or "send" with the value.
    private static func oracle(
        _ b: Value, _ m: Value, _ t: Value, _ policy: ConflictPolicy, _ isUncertain: Bool,
        _ uncertain: ConflictPolicy
    ) -> String {
        let counts = policy == .add && !isUncertain
        if t == m, !counts || t == b { return "done" }
        if t == b { return "send \(show(m))" }
        switch policy {
        case .mine where !isUncertain: return "send \(show(m))"
        case .mine: return uncertain == .mine ? "send \(show(m))" : uncertain.rawValue
        case .theirs, .park, .ask: return policy.rawValue
        case .add:
            guard counts, case (.int64(let b), .int64(let m), .int64(let t)) = (b, m, t) else {
                return "park"
            }
            return m == b ? "done" : "send \(t + m - b)"
        case .union:
            guard let b = elements(b), let m = elements(m), var list = elements(t) else {
                return "park"
            }
            for gone in b where !m.contains(gone) { list.removeAll { $0 == gone } }
            for new in m where !b.contains(new) && !list.contains(new) { list.append(new) }
            return list == elements(t) ? "done" : "send \(list)"
        }
    }

    private static func show(_ value: Value) -> String {
        if let elements = elements(value) { return "\(elements)" }
        if case .int64(let integer) = value { return "\(integer)" }
        return "\(value)"
    }

    func testRandomTriplesAgreeWithTheOracle() {
        for policy in ConflictPolicy.allCases {
            var random = SeededRandom(seed: 50)
            var seen: Set<String> = []
            for round in 0..<1_000 {
                let kind = Kind.allCases.randomElement(using: &random)!
                let values = (0..<3).map { _ in Self.random(kind, &random) }
                let isUncertain = Bool.random(using: &random)
                let uncertain = ConflictPolicy.ofObjects.randomElement(using: &random)!
                let outcome = merge(
                    values[0], values[1], values[2], policy, uncertainly: isUncertain,
                    uncertain: uncertain)
                let found =
                    if case .send(let value) = outcome { "send \(Self.show(value))" } else {
                        "\(outcome)"
                    }
                let wanted = Self.oracle(
                    values[0], values[1], values[2], policy, isUncertain, uncertain)
                XCTAssertEqual(
                    found, wanted, "round \(round), \(policy): \(values), \(isUncertain)")
                seen.insert(String(found.prefix(4)))
            }
            XCTAssertGreaterThan(seen.count, 2, "\(policy) was hardly tested: \(seen)")
        }
    }
}

import RestwayText
import XCTest

@testable import RestwayRouting

/// Which of two templates is more specific.
final class PathPrecedenceTests: XCTestCase {
    private func precedence(_ mine: String, _ theirs: String) throws -> PathPrecedence {
        try PathTemplate(mine).precedence(over: PathTemplate(theirs))
    }

    private static let table: [(String, PathPrecedence, String)] = [
        ("issues/comments", .moreSpecific, "issues/:number"),
        ("issues/{number}", .same, "/issues/:id{?page}"),
        ("a/:x", .moreSpecific, ":y/b"),
        (":a/b/:c", .moreSpecific, ":a/:b/c"),
        ("a/:x", .disjoint, "b/:x"),
        ("a/:x", .disjoint, "a/:x/:y"),
        ("a/:x/c", .disjoint, ":y/b/d"),
        ("{id}.json", .moreSpecific, "{id}"),
        (":id\\.json", .same, "{key}.json"),
        ("1.json", .moreSpecific, "{id}.json"),
        ("1.xml", .disjoint, "{id}.json"),
        ("{id}.json", .disjoint, "{id}.xml"),
        ("{base}...{head}", .moreSpecific, "{basehead}"),
        ("ab{x}", .moreSpecific, "a{x}"),
        ("{a}-{b}-{c}", .moreSpecific, "{a}-{b}"),
        ("{a}{b}", .moreSpecific, "{a}"),
        ("a{x}a", .disjoint, "a"),
        ("a{x}a", .disjoint, "aa"),
        ("aba", .moreSpecific, "a{x}a"),
        ("files/{name}.json", .undecided, "files/report-{id}"),
        ("{a}-b", .undecided, "a-{b}"),
        ("{a}-b/c", .disjoint, "a-{b}/d"),
        ("x/{a}-b/:y", .undecided, "x/a-{b}/c"),
        ("{a}-b/:y", .disjoint, "c-{b}/c-d/e"),
        (":a/:a", .moreSpecific, ":a/:b"),
        (":a/:b/:a", .undecided, ":a/:b/:b"),
        (":a/{b}.json", .moreSpecific, ":a/:a"),
        ("a{/b}", .same, "a{/b}"),
        ("a{/b}", .disjoint, "a/:b"),
        ("a//b", .disjoint, "a/:x/b"),
        ("", .same, "/"),
        ("%41/:b", .same, "A/:c"),
        ("a?x=1", .moreSpecific, "a"),
        ("a?x=1", .moreSpecific, "a{?x,y}"),
        ("a?x=1&y=2", .same, "/a?y=2&x=%31{&z}"),
        ("a?y=2&x=1", .moreSpecific, "a?x=1"),
        ("a?x=1", .undecided, "a?x=2"),
        ("a", .moreSpecific, ":b?x=1"),
        ("a?x=1", .disjoint, "b"),
    ]

    func testTheFirstDifferenceFromTheLeftDecides() throws {
        let opposites: [PathPrecedence: PathPrecedence] = [
            .moreSpecific: .lessSpecific, .same: .same, .undecided: .undecided,
            .disjoint: .disjoint,
        ]
        for (mine, expected, theirs) in Self.table {
            XCTAssertEqual(try precedence(mine, theirs), expected, "\(mine) \(theirs)")
            XCTAssertEqual(
                try precedence(theirs, mine), opposites[expected], "\(theirs) \(mine)")
        }
    }

    /// A path that matches two templates proves that they are not disjoint. Among all templates
    /// that match a path, exactly one class is the most specific, unless two templates are
    /// undecided.
    func testAnyPathHasOneMostSpecificTemplateUnlessTwoAreUndecided() throws {
        var generator = SeededGenerator(state: 27)
        let segments = [
            "a", "b", "ab", ":x", "{y}", "{x}b", "a{x}", "a{x}b", "{x}{y}", ":x", "{x}-{x}",
        ]
        func random(_ choices: [String]) -> String {
            (0..<3).map { _ in choices.randomElement(using: &generator) ?? "a" }
                .joined(separator: "/")
                + (["", "?p=1", "?p=1&q=2", "?q=2"].randomElement(using: &generator) ?? "")
        }
        let templates = try (0..<100).map { _ in try PathTemplate(random(segments)) }
        var decided = 0
        for _ in 0..<300 {
            let path = random(["a", "b", "ab", "aab", "abb", "a-a", "c"])
            let matching = templates.filter { $0.matches(path) }
            let relations = matching.flatMap { one in
                matching.map { one.precedence(over: $0) }
            }
            XCTAssertFalse(relations.contains(.disjoint), path)
            if matching.isEmpty || relations.contains(.undecided) { continue }
            let best = DescriptorChoice(route: nil, path: path).mostSpecific(matching) { $0 }
            XCTAssertEqual(Set(best.map(\.shape)).count, 1, path)
            for one in best {
                for other in matching where !one.isEquivalent(to: other) {
                    XCTAssertEqual(one.precedence(over: other), .moreSpecific, path)
                }
            }
            decided += 1
        }
        XCTAssertGreaterThan(decided, 50)
    }

    func testUndecidedPairsAreFoundWhereverTheyStand() throws {
        let texts = [
            "x/:id", "x/{a}.json", "y/report-{b}", "x/report-{b}", "x/report-{b}.json",
            ":k/:k/z", ":k/:l/z", "p/:a/:b/:a", "p/:a/:b/:b", "x/{c}.xml",
        ]
        let templates = try texts.map { try PathTemplate($0) }
        let all = UndecidedTemplates(templates) { _, _ in true }
        XCTAssertEqual(
            all.pairs.map { [texts[$0.earlier], texts[$0.later]] }.sorted { $0[1] < $1[1] },
            [
                ["p/:a/:b/:a", "p/:a/:b/:b"], ["x/{a}.json", "x/report-{b}"],
                ["x/report-{b}", "x/{c}.xml"],
            ])
        XCTAssertTrue(UndecidedTemplates(templates) { _, _ in false }.pairs.isEmpty)
    }

    func testTheSearchForUndecidedPairsIsLinear() throws {
        func search(_ texts: [String]) throws -> UndecidedTemplates {
            try UndecidedTemplates(texts.map { try PathTemplate($0) }) { _, _ in true }
        }
        let apart = try search((0..<2_000).map { "t\($0)/{id}.json" })
        XCTAssertEqual(apart.comparisonCount, 0)
        let crowd = try search((0..<600).map { "t/{id}.f\($0)" })
        XCTAssertEqual(
            crowd.comparisonCount, 600 * UndecidedTemplates.comparisonsPerTemplate + 1)
        XCTAssertNotNil(crowd.unchecked)
        let room = try search((0..<300).map { "t/{id}.f\($0)" })
        XCTAssertNil(room.unchecked)
        XCTAssertTrue(room.pairs.isEmpty)
    }

    func testAJoinedPathAndItsParentsAreBounded() throws {
        let long = try PathTemplate(String(repeating: "a", count: 4_000))
        XCTAssertNoThrow(try long.joining(PathTemplate(String(repeating: "b", count: 95))))
        XCTAssertThrowsError(try long.joining(PathTemplate(String(repeating: "b", count: 96))))
        var route = Route(name: "r0", template: try PathTemplate("r"))
        for count in 1...Route.parentCountMax {
            let child = Route(name: "r\(count)", template: try PathTemplate("r"))
            route = try child.joined(to: route, name: child.name, isAbsolute: false)
            XCTAssertEqual(route.parentCount, count)
        }
        let last = Route(name: "last", template: try PathTemplate("r"))
        XCTAssertEqual(
            failure(try last.joined(to: route, name: "last", isAbsolute: false)),
            .tooManyParents(route: "last", limit: 64))
    }
}

import RestwayObjects
import XCTest

@testable import RestwayCalls
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayStore

/// The language of conditions: what it means, and what its errors say.
final class ConditionTextTests: XCTestCase {
    private let document = """
        {
          "restway": 1,
          "environments": {"test": {"baseURL": "http://api.test"}},
          "entities": {
            "Issue": {
              "identity": "id",
              "fullText": ["title"],
              "attributes": {
                "id": {"type": "int"}, "state": {"type": "string"}, "title": {"type": "string"},
                "not": {"type": "int"}, "größe": {"type": "double"},
                "labels": {"type": ["string"]}
              },
              "relationships": {"owner": {"entity": "User"}}
            },
            "User": {
              "identity": "id",
              "attributes": {"id": {"type": "int"}, "login": {"type": "string"}},
              "relationships": {
                "issues": {"entity": "Issue", "many": true}, "boss": {"entity": "User"}
              }
            }
          }
        }
        """

    private func expect(
        _ text: String, _ values: ConditionValue..., means meaning: String,
        line: UInt = #line
    ) throws {
        let api = try TestAPI.load(document)
        let entity = try api.entity(named: "Issue")
        let condition = try ConditionParser.parse(text, values, entity, api)
        XCTAssertEqual(Self.text(condition, entity), meaning, line: line)
    }

    /// The condition with an operator in front of its operands.
    private static func text(_ condition: Query.Condition, _ entity: Entity) -> String {
        func name(_ attribute: Int) -> String { entity.attributes[attribute].name }
        func text(_ value: Value) -> String {
            switch value {
            case .int64(let integer): "\(integer)"
            case .string(let text): text
            default: "\(value)"
            }
        }
        switch condition {
        case .compares(let attribute, let comparison, let value):
            return "\(comparison)(\(name(attribute)) \(text(value)))"
        case .isOneOf(let attribute, let values):
            return "in(\(([name(attribute)] + values.map(text)).joined(separator: " ")))"
        case .isLike(let attribute, let pattern):
            let escape = pattern.escape.map { " escape \($0)" } ?? ""
            return "like(\(name(attribute)) \(pattern.text)\(escape))"
        case .hasWords(let pattern):
            let phrases = pattern.phrases.map { " \($0.text)\($0.isPrefix ? "..." : "")" }
            return "words(\(phrases.joined().dropFirst()))"
        case .hasElement(let attribute, let element):
            return "contains(\(name(attribute)) \(element.text))"
        case .leads(let relation):
            let inner = relation.condition.map { " " + self.text($0, relation.target) } ?? ""
            return "some(\(entity.relationships[relation.relationship].name)\(inner))"
        case .all(let conditions):
            return "and(\(conditions.map { self.text($0, entity) }.joined(separator: " ")))"
        case .any(let conditions):
            return "or(\(conditions.map { self.text($0, entity) }.joined(separator: " ")))"
        case .not(let condition):
            return "not(\(self.text(condition, entity)))"
        }
    }

    func testComparisonsAndLists() throws {
        let three = ConditionValue.one(.int64(3))
        for (sign, name) in [
            ("=", "equal"), ("==", "equal"), ("!=", "notEqual"), ("<>", "notEqual"),
            ("<", "less"), ("<=", "lessOrEqual"), (">", "greater"), (">=", "greaterOrEqual"),
        ] {
            try expect("id \(sign) ?", three, means: "\(name)(id 3)")
            try expect("id\(sign)?", three, means: "\(name)(id 3)")
        }
        let list = ConditionValue.list([.string("open"), .string("new")])
        try expect("state in ?", list, means: "in(state open new)")
        try expect("state NOT In ?", list, means: "not(in(state open new))")
        try expect("title like ?", .one(.string("%a_")), means: "like(title %a_)")
        try expect("title not like ?", .one(.string("")), means: "not(like(title ))")
        try expect(
            "title like ? escape ? and title not like ? ESCAPE ?", .one(.string("!%")),
            .one(.string("!")), .one(.string("é_")), .one(.string("é")),
            means: "and(like(title !% escape !) not(like(title é_ escape é)))")
        try expect("labels contains ?", .one(.string("a\"")), means: #"contains(labels "a\"")"#)
        try expect("labels not contains ?", .one(.null), means: "not(contains(labels null))")
        try expect("state is null", means: "equal(state null)")
        try expect("state is not null", means: "notEqual(state null)")
        try expect("state = ?", .one(.null), means: "equal(state null)")
    }

    func testFullText() throws {
        let text = ConditionValue.one(.string("Crash \"of a\" serv*"))
        try expect("match ?", text, means: "words(Crash of a serv*...)")
        try expect(
            "id is null or not MATCH ?", .one(.string("a")),
            means: "or(equal(id null) not(words(a)))")
        try expect(
            "owner.issues.match ?", .one(.string("")), means: "some(owner some(issues words()))")
    }

    func testWordsBindAsInSQL() throws {
        let one = ConditionValue.one(.int64(1))
        try expect(
            "id = ? or not id < ? and id > ?", one, one, one,
            means: "or(equal(id 1) and(not(less(id 1)) greater(id 1)))")
        try expect(
            "(id = ? OR id < ?) AND NOT (id > ?)", one, one, one,
            means: "and(or(equal(id 1) less(id 1)) not(greater(id 1)))")
        try expect("not not id = ?", one, means: "not(not(equal(id 1)))")
    }

    func testNamesAndRelationships() throws {
        let one = ConditionValue.one(.int64(1))
        try expect("\"not\" = ?", one, means: "equal(not 1)")
        try expect("größe is null", means: "equal(größe null)")
        try expect(
            "owner.login = ?", .one(.string("a")), means: "some(owner equal(login a))")
        try expect(
            "not owner.boss.login like ?", .one(.string("a")),
            means: "not(some(owner some(boss like(login a))))")
        try expect("owner is null", means: "not(some(owner))")
        try expect("owner is not null", means: "some(owner)")
        try expect(
            "owner.issues.id in ?", .list([]), means: "some(owner some(issues in(id)))")
        try expect("owner.boss is null", means: "some(owner not(some(boss)))")
    }

    func testErrorsNameWhatAndWhere() throws {
        let one = ConditionValue.one(.int64(1))
        let deep = String(repeating: "(", count: 9)
        let far = "owner." + String(repeating: "boss.", count: 8) + "login is null"
        for (text, values, message) in [
            ("", [], "1: the name of an attribute is expected here, not the end"),
            ("id", [], "3: a comparison, in, like, contains or is is expected here, not the end"),
            ("id = 5", [], "6: values do not stand in the text: write ? and pass the value"),
            ("state = 'a'", [], "9: values do not stand in the text: write ? and pass the value"),
            ("id = ?", [], "6: no value is passed for this ?"),
            ("id = ?", [one, one], "7: 2 values are passed for 1 ?"),
            ("id = ? id = ?", [one, one], "8: and, or, or the end is expected here, not \"id\""),
            ("größe = ? und", [one], "11: and, or, or the end is expected here, not \"und\""),
            ("(id = ?", [one], "8: ) is expected here, not the end"),
            ("id = ? and", [one], "11: the name of an attribute is expected here, not the end"),
            ("id => ?", [one], "4: \"=>\" is no comparison"),
            ("id ; ?", [one], "4: \";\" has no meaning here"),
            ("\"id = ?", [one], "1: the quotation mark is never closed"),
            ("id is 5", [], "7: values do not stand in the text: write ? and pass the value"),
            ("id is ?", [one], "7: null is expected here, not ?"),
            ("id not = ?", [one], "8: in, like or contains is expected here, not a comparison"),
            ("id in ?", [one], "7: the ? after in stands for a list of values"),
            ("id = ?", [.list([])], "6: this ? stands for one value, not for a list"),
            ("state = ?", [one], "9: Issue.state is of type string: it is never an int64"),
            ("id like ?", [.one(.string(""))], "9: Issue.id is of type int: it is never a string"),
            ("title like ?", [.one(.null)], "12: the ? after like stands for a text"),
            ("titl = ?", [one], "1: Issue has no attribute \"titl\"; did you mean \"title\"?"),
            (
                "id = ? and owner.logn = ?", [one, one],
                "18: User has no attribute \"logn\"; did you mean \"login\"?"
            ),
            (
                "ownr.login = ?", [one],
                "1: Issue has no relationship \"ownr\"; did you mean \"owner\"?"
            ),
            ("owner = ?", [one], "1: Issue has no attribute \"owner\": that is a relationship"),
            (deep, [], "9: conditions nest deeper than 8"),
            (far, [], "42: more than 8 relationships in a row"),
        ] as [(String, [ConditionValue], String)] {
            try expectRefusal(text, values, message)
        }
    }

    func testErrorsOfEscapeAndMatchNameWhatAndWhere() throws {
        let one = ConditionValue.one(.int64(1))
        for (text, values, message) in [
            (
                "title like ? escape", [.one(.string("%"))],
                "20: ?, which stands for a value is expected here, not the end"
            ),
            (
                "title like ? escape ?", [.one(.string("%")), .one(.string("!!"))],
                "21: the ? after escape stands for a text of one character"
            ),
            (
                "title like ? escape ?", [.one(.string("%")), .one(.string(""))],
                "21: the ? after escape stands for a text of one character"
            ),
            (
                "title like ? escape ?", [.one(.string("%")), .one(.string("\0"))],
                "21: the ? after escape stands for a text of one character"
            ),
            (
                "title like ? escape ?", [.one(.string("%")), one],
                "21: the ? after escape stands for a text of one character"
            ),
            ("match ?", [one], "7: the ? after match stands for a text"),
            ("match = ?", [one], "1: Issue has no attribute \"match\""),
            (
                "id = ? and owner.match ?", [one, .one(.string("a"))],
                "18: User has no \"fullText\" in the API document"
            ),
            (
                "match ?", [.one(.string(String(repeating: "a ", count: 65)))],
                "7: a text to match has at most 64 words and 10000 bytes"
            ),
            (
                "match ?", [.one(.string(String(repeating: "a", count: 10_001)))],
                "7: a text to match has at most 64 words and 10000 bytes"
            ),
        ] as [(String, [ConditionValue], String)] {
            try expectRefusal(text, values, message)
        }
    }

    private func expectRefusal(
        _ text: String, _ values: [ConditionValue], _ message: String
    ) throws {
        let api = try TestAPI.load(document)
        let entity = try api.entity(named: "Issue")
        XCTAssertThrowsError(try ConditionParser.parse(text, values, entity, api), text) {
            XCTAssertEqual(($0 as? Failure)?.message, "condition, column \(message)", text)
        }
    }

    func testAQueryHasALimitedSize() throws {
        let api = try TestAPI.load(document)
        var query = HostQuery(Query(try api.entity(named: "Issue")))
        let many = ConditionValue.list((0..<30_001).map { .int64($0) })
        XCTAssertThrowsError(try query.addCondition("id in ?", [many], of: api)) {
            let message = "a query has at most 500 comparisons with 30000 values"
            XCTAssertEqual(($0 as? Failure)?.message, message)
        }
        for _ in 0..<500 { try query.addCondition("id is null", [], of: api) }
        XCTAssertThrowsError(try query.addCondition("id is null", [], of: api))
        XCTAssertEqual(query.query.conditions.count, 500)
    }
}

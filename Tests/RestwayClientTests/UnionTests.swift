import RestwayJansson
import RestwayMapping
import RestwayObjects
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayStore

/// Answers and relationships whose objects are of several entities, in both kinds of stores.
final class UnionTests: EachStoreTestCase {
    private static func document(_ target: String) -> String {
        """
        {"restway": 1, "environments": {"test": {"baseURL": "http://api.test"}},
         "entities": {
           "Sprint": {"identity": "id", "attributes": {"id": {"type": "int"}},
             "relationships": {"items": {"entity": \(target), "many": true},
                               "top": {"entity": \(target)}}},
           "Bug": {"identity": "id", "attributes": {"id": {"type": "int"},
             "title": {"type": "string"}, "severity": {"type": "int"}}},
           "Story": {"identity": "id", "attributes": {"points": {"type": "int"},
             "id": {"type": "int"}, "title": {"type": "string"}, "severity": {"type": "string"}},
             "relationships": {"next": {"entity": \(target)}}}},
         "unions": {"Item": {"oneOf": ["Bug", "Story"], "discriminator": "type"}},
         "responses": [{"path": "sprints", "entity": "Sprint"},
                       {"path": "items", "entity": \(target)}]}
        """
    }

    override class var document: String { document(#""Item""#) }

    private func related(
        _ relationship: String, of object: Snapshot, _ client: Client
    ) throws -> [String] {
        let index = try XCTUnwrap(object.entity.relationshipIndex(named: relationship))
        return names(try client.store.related(object, relationship: index))
    }

    private func sprint(_ client: Client) throws -> Snapshot {
        let entity = try client.api.entity(named: "Sprint")
        return try XCTUnwrap(try client.store.object(entity, .integer(9)))
    }

    private static let items = """
        [{"type": "Bug", "id": 1, "title": "crash", "severity": 3},
         {"id": 1, "title": "sign in", "severity": "low", "type": "Story"},
         {"id": 2, "type": "Bug"}, {"id": 3, "type": "Epic"},
         {"type": "Story", "id": 4, "next": {"type": "Bug", "id": 2}}]
        """
    private static let mixed = ["Bug 1", "Story 1", "Bug 2", "Story 4"]

    func testAnAnswerMixesEntitiesInItsOrder() throws {
        try withEachStore { client in
            let response = try get("items", Self.items, client)
            XCTAssertEqual(names(response.objects), Self.mixed)
            XCTAssertEqual(response.issues.map(\.keyPath), ["[3]"])
            XCTAssertEqual(
                response.issues.map(\.reason),
                [
                    "expected a value of \"type\" that stands for Bug or Story, found \"Epic\""
                ])
            XCTAssertEqual(try related("next", of: response.objects[3], client), ["Bug 2"])
        }
    }

    func testLinksToEachEntityAreThereAfterARestart() throws {
        let body = #"{"id": 9, "items": \#(Self.items), "top": {"id": 1, "type": "Story"}}"#
        let first = try client(inFile: true)
        try get("sprints", body, first)
        first.close()
        let second = try client(inFile: true)
        XCTAssertEqual(try related("items", of: sprint(second), second), Self.mixed)
        XCTAssertEqual(try related("top", of: sprint(second), second), ["Story 1"])
        second.close()
    }

    func testARelationshipThatBecomesAUnionKeepsItsLinksAndTheOtherWayRound() throws {
        let single = try client(Self.document(#""Bug""#), inFile: true)
        try get("sprints", #"{"id": 9, "items": [1, 2], "top": 2}"#, single)
        single.close()
        let joined = try client(inFile: true)
        XCTAssertEqual(try related("items", of: sprint(joined), joined), ["Bug 1", "Bug 2"])
        XCTAssertEqual(try related("top", of: sprint(joined), joined), ["Bug 2"])
        try get("sprints", #"{"id": 9, "items": \#(Self.items)}"#, joined)
        joined.close()
        let again = try client(Self.document(#""Bug""#), inFile: true)
        XCTAssertEqual(try related("items", of: sprint(again), again), ["Bug 1", "Bug 2"])
        again.close()
    }

    func testADeletedObjectOfAnyEntityLeavesTheList() throws {
        try withEachStore { client in
            try get("sprints", #"{"id": 9, "items": \#(Self.items)}"#, client)
            let story = try client.api.entity(named: "Story")
            XCTAssertTrue(try client.store.delete(story, .integer(1)))
            XCTAssertEqual(
                try related("items", of: sprint(client), client), ["Bug 1", "Bug 2", "Story 4"])
        }
    }

    private func found(
        _ condition: String, _ values: [Value], _ client: Client
    ) throws -> [String] {
        let entity = try client.api.entity(named: "Sprint")
        var query = HostQuery(Query(entity))
        try query.addCondition(condition, values.map { .one($0) }, of: client.api)
        return names(try client.store.objects(query))
    }

    func testAConditionFollowsAUnionByAttributesOfAllMembers() throws {
        try withEachStore { client in
            try get(
                "sprints",
                """
                [{"id": 9, "items": \(Self.items), "top": {"id": 4, "type": "Story"}},
                 {"id": 8, "top": {"id": 1, "type": "Bug"}, "items": []}, {"id": 7}]
                """, client)
            XCTAssertEqual(try found("items.title = ?", [.string("sign in")], client), ["Sprint 9"])
            XCTAssertEqual(try found("top.title = ?", [.string("crash")], client), ["Sprint 8"])
            XCTAssertEqual(
                try found("top.title = ? or items.id = ?", [.string("crash"), .int64(4)], client),
                ["Sprint 9", "Sprint 8"])
            XCTAssertEqual(try found("top is null", [], client), ["Sprint 7"])
            XCTAssertEqual(
                try found("not (top.title = ?)", [.string("crash")], client),
                ["Sprint 9", "Sprint 7"])
        }
    }

    func testAConditionByAnAttributeThatAMemberLacksNamesTheMember() throws {
        let client = try client(inFile: false)
        let unknown = failure { _ = try found("top.points = ?", [.int64(1)], client) }
        XCTAssertEqual(
            unknown?.message, "condition, column 5: Bug has no attribute \"points\"")
        let unfit = failure { _ = try found("top.severity = ?", [.int64(1)], client) }
        XCTAssertTrue(unfit?.message.hasPrefix("condition, column") ?? false, "\(unfit as Any)")
        client.close()
    }

    func testConditionsBehindManyUnionsAreBounded() throws {
        let members = (0..<10).map { "\"E\($0)\"" }.joined(separator: ", ")
        let entities = (0..<10).map { index in
            """
            "E\(index)": {"identity": "id", "attributes": {"id": {"type": "int"}},
              "relationships": {"next": {"entity": "Any"}}}
            """
        }
        let client = try client(
            """
            {"restway": 1, "environments": {"test": {"baseURL": "http://api.test"}},
             "entities": {\(entities.joined(separator: ","))},
             "unions": {"Any": {"oneOf": [\(members)], "discriminator": "type"}}}
            """, inFile: false)
        var query = HostQuery(Query(try client.api.entity(named: "E0")))
        let long = Array(repeating: "next.", count: 8).joined() + "id = ?"
        let refused = failure { try query.addCondition(long, [.one(.int64(1))], of: client.api) }
        XCTAssertTrue(refused?.message.contains("more than 500") ?? false, "\(refused as Any)")
        try query.addCondition("next.next.id = ?", [.one(.int64(1))], of: client.api)
        client.close()
    }

    func testTheProblemsOfADocumentHavePlaces() {
        let problems = TestAPI.problems(
            """
            {"restway": 1,
             "entities": {
               "A": {"identity": "id", "attributes": {"id": "id"},
                     "relationships": {"b": {"entity": {"oneOf": ["A", "B"]}}}},
               "B": {"identity": "id", "attributes": {"id": "id"}}},
             "unions": {
               "Empty": {"oneOf": []},
               "Twice": {"oneOf": ["A", "A"]},
               "Unknown": {"oneOf": ["A", "C"]},
               "Missing": {"oneOf": ["A", "B"], "discriminator": {"keyPath": "t",
                           "values": {"a": "A"}}},
               "Fewer": {"oneOf": ["A", "B"], "keys": {"B": ["id", "x"]}}}}
            """)
        XCTAssertEqual(
            problems,
            [
                "$.unions.Empty.oneOf: must name an entity",
                "$.unions.Twice.oneOf[1]: \"A\" stands twice",
                "$.unions.Unknown.oneOf[1]: unknown entity \"C\"; did you mean \"A\"?",
                "$.unions.Missing.discriminator.values: no value stands for \"B\"",
                "$.unions.Fewer: no object can be of \"B\", because \"A\", which stands before it, "
                    + "needs fewer keys",
                "$.entities.A.relationships.b.entity: nothing tells \"A\" and \"B\" apart; give a "
                    + "\"discriminator\" or \"keys\"",
            ])
    }

    func testConstantsTellMembersApartUnlessTheyAreEqual() {
        func problems(_ first: String, _ second: String, source: String = "kind") -> [String] {
            TestAPI.problems(
                """
                {"restway": 1,
                 "entities": {
                   "A": {"identity": "id", "attributes": {"id": "id",
                         "kind": {"type": "string", \(first)}}},
                   "B": {"identity": "id", "attributes": {"id": "id",
                         "kind": {"source": "\(source)", "type": "string", \(second)}}}},
                 "unions": {"Either": {"oneOf": ["A", "B"]}}}
                """)
        }
        let unclear = [
            "$.unions.Either: nothing tells \"A\" and \"B\" apart; give a \"discriminator\" or "
                + "\"keys\""
        ]
        XCTAssertEqual(problems(#""constant": "a""#, #""constant": "b""#), [])
        XCTAssertEqual(problems(#""constant": "a""#, #""constant": "a""#), unclear)
        XCTAssertEqual(problems(#""constant": "a""#, #""default": "b""#), unclear)
        XCTAssertEqual(problems(#""constant": "a""#, #""constant": "b""#, source: "sort"), unclear)
    }

    func testAUnionStandsWhereNoSingleEntityIsNeeded() {
        let relationships = """
            {"byKey": {"entity": "Item", "many": true, "map": "id"},
             "whole": {"entity": "Item", "source": []},
             "seats": {"entity": "Item", "many": true, "empty": "object"},
             "places": {"entity": "Item", "many": true, "empty": "gap"}}
            """
        let problems = TestAPI.problems(
            """
            {"restway": 1,
             "entities": {
               "Bug": {"identity": "id", "attributes": {"id": {"type": "int"}}},
               "Story": {"identity": "id", "attributes": {"id": {"type": "int"}}},
               "Sprint": {"identity": "id", "attributes": {"id": {"type": "int"}},
                          "relationships": \(relationships)}},
             "unions": {"Item": {"oneOf": ["Bug", "Story"], "discriminator": "type"}}}
            """)
        let place = "$.entities.Sprint.relationships"
        XCTAssertEqual(
            problems,
            [
                "\(place).byKey.map: names an attribute of one entity, and this relationship has a "
                    + "union",
                "\(place).whole.source: the whole object is of one entity, not of a union",
                "\(place).seats.empty: an object without values does not say of which entity it is",
            ])
    }

    func testAListOfAUnionKeepsItsGaps() throws {
        let document = """
            {"restway": 1, "environments": {"test": {"baseURL": "http://api.test"}},
             "entities": {
               "Bug": {"identity": "id", "attributes": {"id": {"type": "int"}}},
               "Story": {"identity": "id", "attributes": {"id": {"type": "int"}}},
               "Sprint": {"identity": "id", "attributes": {"id": {"type": "int"}},
                 "relationships": {"places": {
                   "entity": {"oneOf": ["Bug", "Story"], "discriminator": "type"},
                   "many": true, "empty": "gap"}}}},
             "responses": [{"path": "sprints", "entity": "Sprint"}]}
            """
        for inFile in [false, true] {
            let client = try client(document, inFile: inFile)
            let body = """
                {"id": 9,
                 "places": [null, {"type": "Story", "id": 1}, {}, {"type": "Bug", "id": 1}]}
                """
            let sprint = try get("sprints", body, client).objects[0]
            XCTAssertEqual(try related("places", of: sprint, client), ["Story 1", "Bug 1"])
            let keys = sprint.relatedKeys(at: 0)
            XCTAssertEqual(keys.map { $0 == 0 }, [true, false, true, false])
            client.close()
        }
    }
}

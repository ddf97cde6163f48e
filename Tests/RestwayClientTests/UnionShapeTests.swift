import RestwayObjects
import RestwayPages
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests
@testable import RestwayStore

/// Unions whose members are shapes of one family, maps of shapes, and defaults of inherited
/// attributes, in both kinds of stores.
final class UnionShapeTests: EachStoreTestCase {
    override class var document: String { """
        {"restway": 1, "environments": {"test": {"baseURL": "http://api.test"}},
         "entities": {
           "Board": {"identity": "id", "attributes": {"id": {"type": "int"}},
             "relationships": {"entries": {"entity": "Entry", "many": true},
               "top": {"entity": "Entry", "policy": "replace"},
               "people": {"entity": "Member", "many": true, "map": "nick"}}},
           "Admin": {"extends": "Member", "attributes": {"rights": {"type": "string"}}},
           "User": {"identity": "id", "attributes": {"id": {"type": "int"},
             "nick": {"type": "string"}, "state": {"type": "string", "default": "new"}}},
           "Member": {"extends": "User", "attributes": {
             "plan": {"type": "string", "default": "free"}}},
           "Bot": {"extends": "User", "attributes": {"token": {"type": "string"},
             "kind": {"type": "string", "constant": "robot"}}},
           "Task": {"identity": "id", "attributes": {"id": {"type": "int"},
             "nick": {"type": "string"}}}},
         "unions": {"Entry": {"oneOf": ["Member", "Bot", "Task"], "discriminator": "type"}},
         "routes": {
           "boards": {"path": "boards", "method": ["GET", "POST"], "entity": "Board",
             "response": {"entity": "Board"}, "request": {"nulls": "omit"}},
           "entries": {"path": "entries", "response": {"entity": "Entry", "keyPath": "list"},
             "pages": {"cursor": "next", "parameter": "after"}},
           "admins": {"path": "admins", "response": {"entity": "Admin"}}}}
        """ }
    private static let entries = """
        [{"type": "Member", "id": 1, "nick": "ann"}, {"type": "Task", "id": 1},
         {"type": "Bot", "id": 2, "nick": "beep"}, {"type": "Bot", "id": 1, "token": "t"}]
        """

    private func board(_ client: Client) throws -> Snapshot {
        let entity = try client.api.entity(named: "Board")
        return try XCTUnwrap(try client.store.object(entity, .integer(9)))
    }

    private func related(_ name: String, _ client: Client) throws -> [Snapshot] {
        let board = try board(client)
        let index = try XCTUnwrap(board.entity.relationshipIndex(named: name))
        return try client.store.related(board, relationship: index)
    }

    private func values(_ object: Snapshot, _ names: String...) -> [Value] {
        names.map { object.value(named: $0) ?? .absent }
    }

    private static let mixed = ["Member 1", "Task 1", "Bot 2", "Member 1"]

    func testAMemberOfAUnionIsAShapeOfItsObject() throws {
        try withEachStore { client in
            let objects = try get("entries", #"{"list": \#(Self.entries)}"#, client).objects
            XCTAssertEqual(names(objects), Self.mixed)
            XCTAssertEqual(
                values(objects[0], "nick", "state", "plan", "token", "kind"),
                [
                    .string("ann"), .string("new"), .string("free"), .string("t"),
                    .string("robot"),
                ])
            XCTAssertTrue(objects[0].isA(named: "Bot") && objects[0].isA(named: "Member"))
            XCTAssertEqual(
                values(objects[2], "state", "plan", "kind"),
                [.string("new"), .absent, .string("robot")])
            XCTAssertFalse(objects[2].isA(named: "Member"))
            for (name, count) in [("User", 2), ("Member", 1), ("Bot", 2), ("Task", 1)] {
                XCTAssertEqual(
                    try client.store.count(client.api.entity(named: name)), count, name)
            }
        }
    }

    func testLinksOfAUnionLeadToTheFamiliesOfItsMembersAlsoAfterARestart() throws {
        let first = try client(inFile: true)
        try get("boards", #"{"id": 9, "entries": \#(Self.entries)}"#, first)
        try get("admins", #"{"id": 1, "rights": "all"}"#, first)
        let now = ["Admin 1", "Task 1", "Bot 2"]
        XCTAssertEqual(names(try related("entries", first)), now)
        first.close()
        let second = try client(inFile: true)
        XCTAssertEqual(names(try related("entries", second)), now)
        XCTAssertEqual(
            values(try related("entries", second)[0], "rights", "token"),
            [.string("all"), .string("t")])
        second.close()
    }

    func testAnObjectThatLeavesAUnionIsDeletedWhateverItsShapesAre() throws {
        try withEachStore { client in
            try get("boards", #"{"id": 9, "top": {"id": 1, "type": "Member"}}"#, client)
            try get("admins", #"{"id": 1, "rights": "all"}"#, client)
            try get("boards", #"{"id": 9, "top": {"id": 1, "type": "Task"}}"#, client)
            XCTAssertEqual(try client.store.count(client.api.entity(named: "User")), 0)
            XCTAssertEqual(names(try related("top", client)), ["Task 1"])
        }
    }

    func testConditionsBehindAUnionUseTheAttributesOfTheFamily() throws {
        try withEachStore { client in
            try get("boards", #"[{"id": 9, "entries": \#(Self.entries)}, {"id": 8}]"#, client)
            let entity = try client.api.entity(named: "Board")
            var query = HostQuery(Query(entity))
            try query.addCondition("entries.nick = ?", [.one(.string("beep"))], of: client.api)
            XCTAssertEqual(names(try client.store.objects(query)), ["Board 9"])
            var people = HostQuery(Query(entity))
            try people.addCondition("people.rights is null", [], of: client.api)
            XCTAssertEqual(names(try client.store.objects(people)), [])
            let refused = failure {
                try query.addCondition("entries.rights = ?", [.one(.string("all"))], of: client.api)
            }
            XCTAssertEqual(
                refused?.message, "condition, column 9: Task has no attribute \"rights\"")
        }
    }

    func testAMapOfAShapeBringsTheShapeItsKeysAndDefaults() throws {
        try withEachStore { client in
            try get("entries", #"{"list": [{"id": 2, "type": "Bot", "token": "t"}]}"#, client)
            try get(
                "boards",
                #"{"id": 9, "people": {"ann": {"id": 1, "plan": "pro"}, "bob": {"id": 2}}}"#,
                client)
            let people = try related("people", client)
            XCTAssertEqual(names(people), ["Member 1", "Member 2"])
            XCTAssertEqual(
                values(people[0], "nick", "plan", "state"),
                [.string("ann"), .string("pro"), .string("new")])
            XCTAssertEqual(
                values(people[1], "nick", "plan", "token"),
                [.string("bob"), .string("free"), .string("t")])
        }
    }

    // MARK: Writing

    private func draft(_ entity: String, _ values: [String: Value], _ client: Client) throws
        -> Draft
    {
        let draft = Draft(try client.api.entity(named: entity))
        for (name, value) in values {
            try draft.set(value, attribute: draft.entity.ownAttribute(named: name))
        }
        return draft
    }

    private func post(_ draft: Draft, _ client: Client) throws -> String? {
        let spec = RequestSpec(target: .subject(.post), subject: .draft(draft, client.store))
        let request = try client.calls.prepare(
            spec, client.api.loaded, BodyQuestions().asking())
        guard case .bytes(let bytes) = request.exchange.body else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    func testADraftOfAShapeIsWrittenWholeAndMarkedAsTheNearestMember() throws {
        try withEachStore { client in
            let board = try draft("Board", [:], client)
            let entries = try board.entity.ownRelationship(named: "entries")
            let people = try board.entity.ownRelationship(named: "people")
            let admin = try draft(
                "Admin", ["nick": .string("eve"), "rights": .string("all")], client)
            try board.add(.draft(admin), relationship: people)
            XCTAssertEqual(try post(board, client), #"{"people":{"eve":{"rights":"all"}}}"#)
            let second = try draft("Board", [:], client)
            let bot = try draft("Bot", ["token": .string("t")], client)
            for new in [admin, bot] { try second.add(.draft(new), relationship: entries) }
            XCTAssertEqual(
                try post(second, client),
                #"{"entries":[{"nick":"eve","rights":"all","type":"Member"},"#
                    + #"{"token":"t","kind":"robot","type":"Bot"}]}"#)
        }
    }

    func testAnObjectOfTheStoreIsWrittenAsTheMemberThatHasBroughtIt() throws {
        try withEachStore { client in
            try get("boards", #"{"id": 9, "entries": \#(Self.entries)}"#, client)
            try get("admins", #"{"id": 1, "rights": "all"}"#, client)
            let draft = try draft("Board", [:], client)
            let entries = try draft.entity.ownRelationship(named: "entries")
            for object in try related("entries", client) {
                try draft.add(.object(object), relationship: entries)
            }
            XCTAssertEqual(
                try post(draft, client),
                #"{"entries":[{"id":1,"nick":"ann","state":"new","plan":"free","type":"Member"},"#
                    + #"{"id":1,"type":"Task"},"#
                    + #"{"id":2,"nick":"beep","state":"new","kind":"robot","type":"Bot"}]}"#)
        }
    }

    func testNewObjectsOfSiblingsBecomeTheObjectsOfTheAnswer() throws {
        try withEachStore { client in
            let board = try draft("Board", [:], client)
            let entries = try board.entity.ownRelationship(named: "entries")
            let admin = try draft("Admin", ["rights": .string("all")], client)
            let bot = try draft("Bot", ["token": .string("t")], client)
            for new in [admin, bot] { try board.add(.draft(new), relationship: entries) }
            let spec = RequestSpec(target: .subject(.post), subject: .draft(board, client.store))
            let call = try client.send(spec)
            transport.answer(
                201,
                #"{"id": 9, "entries": [{"type": "Bot", "id": 2}, {"type": "Member", "id": 1}]}"#)
            _ = try call.wait(milliseconds: 0)
            let found = try related("entries", client)
            XCTAssertEqual(names(found), ["Bot 2", "Admin 1"])
            XCTAssertEqual(
                values(found[1], "rights", "plan"), [.string("all"), .string("free")])
            XCTAssertEqual(values(found[0], "token"), [.string("t")])
            XCTAssertEqual(admin.storeKey, found[1].storeKey)
        }
    }

    // MARK: Lists

    func testAListOfPagesHasEachShape() throws {
        let first = try client(inFile: true)
        try load(first, Self.entries)
        let now = ["Member 1", "Task 1", "Bot 2"]
        XCTAssertEqual(names(try list(first).objects()), now)
        try get("admins", #"{"id": 1, "rights": "all"}"#, first)
        first.close()
        let second = try client(inFile: true)
        XCTAssertEqual(names(try list(second).objects()), ["Admin 1", "Task 1", "Bot 2"])
        second.close()
    }

    private func list(_ client: Client) throws -> PagedList {
        try PagedList(client.calls, RequestSpec(target: .route("entries", nil)))
    }

    private func load(_ client: Client, _ entries: String) throws {
        let list = try list(client)
        let loaded = Monitor<Result<Page?, Failure>?>(nil)
        _ = Thread.start("loading") {
            let result = Result { () throws(Failure) in try list.load(milliseconds: 0) }
            loaded.update { $0 = result }
        }
        transport.answer(200, #"{"list": \#(entries), "next": null}"#)
        _ = try loaded.wait { $0 }!.get()
    }
}

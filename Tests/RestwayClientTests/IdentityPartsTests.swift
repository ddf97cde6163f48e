import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests
@testable import RestwayStore

/// Issues of two repositories that have the same numbers, in both kinds of stores.
final class IdentityPartsTests: EachStoreTestCase {
    override class var document: String { """
        {"restway": 1, "environments": {"test": {"baseURL": "http://api.test"}},
         "entities": {
           "Repository": {"identity": ["owner", "name"],
             "attributes": {"owner": {"source": "owner.login", "type": "string"},
               "name": {"type": "string"}, "stars": {"type": "int", "default": 0}}},
           "Issue": {"identity": ["owner", "repo", "number"],
             "attributes": {"owner": {"type": "string"}, "repo": {"type": "string"},
               "number": {"type": "int"}, "title": {"type": "string"},
               "assigneeID": {"source": "assignee_id", "type": "int"}},
             "relationships": {
               "repository": {"entity": "Repository",
                 "identity": {"owner": "owner", "name": "repo"}},
               "parent": {"entity": "Issue", "source": "parent_number", "byIdentity": true,
                 "identity": {"owner": "owner", "repo": "repo"}},
               "children": {"entity": "Issue", "many": true,
                 "identity": {"owner": "owner", "repo": "repo"}},
               "assignee": {"entity": "Person", "identity": {"id": "assigneeID"}},
               "about": {"entity": {"oneOf": ["Issue", "Person"]}}}},
           "Bug": {"extends": "Issue", "attributes": {"severity": {"type": "int"}}},
           "Person": {"identity": "id", "attributes": {"id": {"type": "int"}}}},
         "routes": {
           "issue": {"path": "repos/:owner/:repo/issues/:number", "entity": "Issue",
             "method": ["GET", "PATCH", "PUT", "DELETE"], "response": {"entity": "Issue"},
             "request": {"nulls": "omit", "changedOnly": true}},
           "newIssue": {"path": "repos/:owner/:repo/issues", "method": "POST", "entity": "Issue",
             "response": {"entity": "Issue"}, "request": {"nulls": "omit"}},
           "issues": {"path": "repos/:owner/:repo/issues", "response": {"entity": "Issue"}},
           "bugs": {"path": "bugs", "response": {"entity": "Bug"}},
           "repository": {"path": "repos/:owner/:name", "entity": "Repository",
             "response": {"entity": "Repository"}}}}
        """ }

    private func issue(_ repo: String, _ number: Int64, _ title: String) -> String {
        #"{"owner": "o", "repo": "\#(repo)", "number": \#(number), "title": "\#(title)"}"#
    }

    private func find(_ repo: String, _ number: Int64, _ client: Client) throws -> Snapshot? {
        let entity = try client.api.entity(named: "Issue")
        return try client.store.object(
            entity, entity.identity(ofParts: [.string("o"), .string(repo), .int64(number)]))
    }

    private func title(_ repo: String, _ number: Int64, _ client: Client) throws -> String? {
        guard case .string(let title)? = try find(repo, number, client)?.value(named: "title")
        else { return nil }
        return title
    }

    /// The identities of the objects that a relationship leads to.
    private func related(
        _ object: Snapshot?, _ name: String, _ client: Client
    ) throws -> [String] {
        let object = try XCTUnwrap(object)
        let index = try XCTUnwrap(object.entity.relationshipIndex(named: name))
        return try client.store.related(object, relationship: index).map { found in
            found.identity.map(found.entity.shown) ?? "none"
        }
    }

    private func load(_ client: Client) throws {
        try get(
            "repos/o/hello/issues",
            "[\(issue("hello", 7, "a")), \(issue("hello", 8, "b"))]", client)
        try get("repos/o/world/issues/7", issue("world", 7, "c"), client)
    }

    func testIssuesOfTwoRepositoriesStayApart() throws {
        try withEachStore { client in
            try load(client)
            XCTAssertEqual(try client.store.count(client.api.entity(named: "Issue")), 3)
            try get("repos/o/hello/issues/7", issue("hello", 7, "d"), client)
            XCTAssertEqual(try title("hello", 7, client), "d")
            XCTAssertEqual(try title("world", 7, client), "c")
            let call = try client.send(
                RequestSpec(target: .path(.delete, "repos/o/hello/issues/7")))
            transport.answer(204, "")
            _ = try call.wait(milliseconds: 0)
            XCTAssertNil(try find("hello", 7, client))
            XCTAssertNotNil(try find("world", 7, client))
        }
    }

    func testADraftIsSentToThePathOfItsOwnRepository() throws {
        try withEachStore { client in
            try load(client)
            let object = try XCTUnwrap(find("world", 7, client))
            let draft = Draft(copying: object)
            try draft.set(.string("new"), attribute: object.entity.attribute(named: "title"))
            let call = try client.send(
                RequestSpec(target: .subject(.patch), subject: .draft(draft, client.store)))
            let started = transport.next()
            XCTAssertEqual(started.exchange.url, "http://api.test/repos/o/world/issues/7")
            guard case .bytes(let body) = started.exchange.body else {
                return XCTFail("no body")
            }
            XCTAssertEqual(String(decoding: body, as: UTF8.self), #"{"title":"new"}"#)
            // The answer lacks the identity: it is about the object of the request.
            started.answer(200, #"{"assignee_id": 5}"#)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try title("world", 7, client), "new")
            XCTAssertEqual(try title("hello", 7, client), "a")
            XCTAssertEqual(try find("world", 7, client)?.value(named: "assigneeID"), .int64(5))
            XCTAssertEqual(try client.store.count(object.entity), 3)
        }
    }

    func testTheAnswerNamesANewObjectWhoseNumberWasMissing() throws {
        try withEachStore { client in
            try load(client)
            let entity = try client.api.entity(named: "Issue")
            let draft = Draft(entity)
            for (name, value) in [("owner", "o"), ("repo", "world"), ("title", "made")] {
                try draft.set(.string(value), attribute: entity.attribute(named: name))
            }
            let call = try client.send(
                RequestSpec(
                    target: .route("newIssue", .post), subject: .draft(draft, client.store)))
            transport.answer(201, #"{"number": 8}"#)
            let response = try call.wait(milliseconds: 0)
            let object = try XCTUnwrap(response.objects.first)
            XCTAssertEqual(object.identity, .string(#"["o","world",8]"#))
            XCTAssertEqual(response.issueCount, 0)
            XCTAssertEqual(draft.storeKey, object.storeKey)
            XCTAssertEqual(try title("world", 8, client), "made")
            XCTAssertEqual(try title("hello", 8, client), "b")
        }
    }

    func testAnObserverOfAnIssueSeesItsOwnRepositoryAlone() throws {
        try withEachStore { client in
            try load(client)
            let log = ChangeLog()
            let object = try XCTUnwrap(find("world", 7, client))
            _ = try client.observe(.object(object), changed: log.add, end: log.end)
            try get("repos/o/hello/issues/7", issue("hello", 7, "x"), client)
            try get("repos/o/world/issues/7", issue("world", 7, "y"), client)
            log.waitForLists(1)
            client.close()
            XCTAssertEqual(
                log.lists.flatMap(\.changes).map(\.object.identity),
                [.string(#"["o","world",7]"#)])
        }
    }

    func testARestartKeepsAndFindsTheObjects() throws {
        let first = try client(inFile: true)
        try load(first)
        let key = try XCTUnwrap(find("world", 7, first)).storeKey
        first.close()
        let second = try client(inFile: true)
        XCTAssertEqual(try find("world", 7, second)?.storeKey, key)
        try get("repos/o/world/issues/7", issue("world", 7, "again"), second)
        XCTAssertEqual(try find("world", 7, second)?.storeKey, key)
        XCTAssertEqual(try title("world", 7, second), "again")
        XCTAssertEqual(try title("hello", 7, second), "a")
        XCTAssertEqual(try related(find("hello", 7, second), "repository", second), [
            #"["o","hello"]"#
        ])
        second.close()
    }

    func testTwoClientsOfOneFileShareTheObjects() throws {
        let first = try client(inFile: true)
        let firstTransport = transport
        let second = try client(inFile: true)
        let call = try first.send(.get("repos/o/hello/issues/7"))
        firstTransport.answer(200, issue("hello", 7, "a"))
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(try title("hello", 7, second), "a")
        try get("repos/o/world/issues/7", issue("world", 7, "b"), second)
        try get("repos/o/hello/issues/7", issue("hello", 7, "c"), second)
        XCTAssertEqual(try title("hello", 7, first), "c")
        XCTAssertEqual(try title("world", 7, first), "b")
        XCTAssertEqual(try first.store.count(first.api.entity(named: "Issue")), 2)
        first.close()
        second.close()
    }

    // MARK: Relationships

    func testLinksTakePartsFromAttributes() throws {
        try withEachStore { client in
            try get(
                "repos/o/hello/issues/7",
                """
                {"owner": "o", "repo": "hello", "number": 7, "parent_number": 3, "assignee_id": 4,
                 "children": [8, {"number": 9, "title": "nine"}, {"repo": "world", "number": 1}],
                 "about": {"owner": "o", "repo": "world", "number": 2}}
                """, client)
            let object = try find("hello", 7, client)
            XCTAssertEqual(try related(object, "repository", client), [#"["o","hello"]"#])
            XCTAssertEqual(try related(object, "parent", client), [#"["o","hello",3]"#])
            XCTAssertEqual(
                try related(object, "children", client),
                [#"["o","hello",8]"#, #"["o","hello",9]"#, #"["o","world",1]"#])
            XCTAssertEqual(try related(object, "assignee", client), ["4"])
            XCTAssertEqual(try related(object, "about", client), [#"["o","world",2]"#])
            XCTAssertEqual(try title("hello", 9, client), "nine")
            // A stub brings no defaults, and the object itself brings them.
            let repository = try client.api.entity(named: "Repository")
            let identity = Identity.string(#"["o","hello"]"#)
            let stars = try repository.attribute(named: "stars")
            let stub = try XCTUnwrap(client.store.object(repository, identity))
            XCTAssertEqual(stub.value(at: stars), .absent)
            try get("repos/o/hello", #"{"owner": {"login": "o"}, "name": "hello"}"#, client)
            XCTAssertEqual(
                try client.store.object(repository, identity)?.value(at: stars), .int64(0))
            XCTAssertEqual(try client.store.count(Query(repository, .all)), 2)
        }
    }

    func testANullAttributeUnlinksAndAMissingOneSaysNothing() throws {
        try withEachStore { client in
            let object = #""owner": "o", "repo": "hello", "number": 7"#
            try get("repos/o/hello/issues/7", "{\(object), \"assignee_id\": 4}", client)
            try get("repos/o/hello/issues/7", "{\(object)}", client)
            XCTAssertEqual(try related(find("hello", 7, client), "assignee", client), ["4"])
            try get("repos/o/hello/issues/7", "{\(object), \"assignee_id\": null}", client)
            XCTAssertEqual(try related(find("hello", 7, client), "assignee", client), [])
        }
    }

    func testEqualNumbersUnderDifferentIssuesAreDifferentObjects() throws {
        try withEachStore { client in
            let response = try get(
                "repos/o/all/issues",
                """
                [{"owner": "o", "repo": "hello", "number": 7, "parent_number": 1},
                 {"owner": "o", "repo": "world", "number": 7, "parent_number": 1},
                 {"owner": "o", "repo": "world", "number": 8, "parent_number": 1}]
                """, client)
            XCTAssertEqual(
                try response.objects.map { try related($0, "parent", client) },
                [[#"["o","hello",1]"#], [#"["o","world",1]"#], [#"["o","world",1]"#]])
            let issue = try client.api.entity(named: "Issue")
            XCTAssertEqual(try client.store.count(Query(issue)), 3)
            XCTAssertEqual(try client.store.count(Query(issue, .unloaded)), 2)
        }
    }

    func testALinkIsSentAsItsNumber() throws {
        try withEachStore { client in
            try load(client)
            let object = try XCTUnwrap(find("hello", 7, client))
            let parent = try XCTUnwrap(find("hello", 8, client))
            let draft = Draft(copying: object)
            try draft.set(
                [.object(parent)],
                relationship: XCTUnwrap(object.entity.relationshipIndex(named: "parent")))
            let call = try client.send(
                RequestSpec(target: .subject(.patch), subject: .draft(draft, client.store)))
            let started = transport.next()
            guard case .bytes(let body) = started.exchange.body else {
                return XCTFail("no body")
            }
            XCTAssertEqual(String(decoding: body, as: UTF8.self), #"{"parent_number":8}"#)
            started.answer(200, "")
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(
                try related(find("hello", 7, client), "parent", client), [#"["o","hello",8]"#])
        }
    }

    func testAShapeSharesTheIdentityOfItsBase() throws {
        try withEachStore { client in
            try load(client)
            let bug = #"{"owner": "o", "repo": "hello", "number": 7, "severity": 2}"#
            let object = try XCTUnwrap(get("bugs", bug, client).objects.first)
            XCTAssertEqual(object.entity.name, "Bug")
            XCTAssertEqual(object.storeKey, try find("hello", 7, client)?.storeKey)
            XCTAssertEqual(try title("hello", 7, client), "a")
            XCTAssertEqual(try client.store.count(client.api.entity(named: "Issue")), 3)
        }
    }

    func testOtherPartsAreRefusedWithTheNamesOfAll() throws {
        let client = try client(inFile: false)
        let entity = try client.api.entity(named: "Issue")
        for (values, found) in [
            ([Value.string("o"), .int64(7)], #"["o", 7]"#),
            ([.string("o"), .string("hello"), .string("7")], #"["o", "hello", "7"]"#),
        ] {
            XCTAssertEqual(
                failure { _ = try entity.identity(ofParts: values) }?.message,
                "the identity of Issue has the parts owner (string), repo (string), number (int), "
                    + "and \(found) does not")
        }
        XCTAssertNotNil(failure { _ = try entity.fitting(.integer(7)) })
        client.close()
    }

    func testAnAnswerWithoutAPartIsAnIssue() throws {
        let client = try client(inFile: false)
        let response = try get("bugs", #"[{"owner": "o", "number": 7}]"#, client)
        XCTAssertEqual(
            response.issues.map(\.reason),
            ["no object of Bug has its identity: \"repo\" is missing"])
        XCTAssertEqual(response.issues.map(\.keyPath), ["repo"])
        client.close()
    }

    func testAFunctionSetsTheParts() throws {
        let api = try TestAPI.load(
            """
            {"restway": 1, "entities": {"Line": {
              "attributes": {"order": {"type": "int"}, "number": {"type": "int"}, "any": "any"}}}}
            """)
        try api.setIdentity(#"["order", "number"]"#, ofEntity: "Line")
        XCTAssertEqual(try api.entity(named: "Line").identityNames, "order and number")
        XCTAssertNotNil(failure { try api.setIdentity(#"["order", "any"]"#, ofEntity: "Line") })
        XCTAssertNotNil(failure { try api.setIdentity(#"["order", "line"]"#, ofEntity: "Line") })
        XCTAssertEqual(try api.entity(named: "Line").identityNames, "order and number")
        try api.setIdentity("order", ofEntity: "Line")
        XCTAssertEqual(try api.entity(named: "Line").identityNames, "order")
        try api.setIdentity(nil, ofEntity: "Line")
        XCTAssertNil(try api.entity(named: "Line").identityIndex)
    }
}

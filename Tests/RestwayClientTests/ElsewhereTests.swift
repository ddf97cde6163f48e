import RestwayHTTP
import RestwayObjects
import RestwayRouting
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayMapping
@testable import RestwayOutcome
@testable import RestwayRequests
@testable import RestwayStore

/// Attributes whose values do not stand in the JSON of their objects.
final class ElsewhereTests: EachStoreTestCase {
    override class var document: String {
        """
        {"restway": 1, "environments": {"live": {"baseURL": "http://example.test"}},
        "cache": {"memoryBytes": 100000},
        "entities": {
            "Repository": {"identity": "name",
                "attributes": {
                    "name": {"type": "string"},
                    "login": {"type": "string", "from": {"variable": "owner"}},
                    "version": {"type": "string", "from": {"header": "ETag"}},
                    "changed": {"type": "date", "from": {"header": "last-modified"}},
                    "size": {"type": "int"}},
                "relationships": {
                    "issues": {"entity": "Issue", "many": true},
                    "first": {"entity": "Issue"},
                    "branches": {"entity": "Branch", "many": true, "map": true}}},
            "Issue": {"identity": "id",
                "attributes": {
                    "id": {"type": "int"}, "title": {"type": "string"},
                    "owner": {"type": "string", "from": {"variable": "owner"}},
                    "repository": {"type": "string", "from": {"parent": "name"}},
                    "size": {"type": "int", "from": {"parent": "size"}}},
                "relationships": {"comments": {"entity": "Comment", "many": true}}},
            "Comment": {"attributes": {
                "text": {"type": "string"},
                "issue": {"type": "int", "from": {"parent": "id"}},
                "number": {"type": "int", "from": {"variable": "number"}}}},
            "Branch": {"attributes": {
                "name": {"type": "string", "from": {"key": true}},
                "repository": {"type": "string", "from": {"parent": "name"}},
                "head": {"type": "string"}}}},
        "routes": {
            "repository": {"method": ["GET", "PUT", "PATCH"], "path": "repos/:owner/:name",
                "entity": "Repository", "response": {"entity": "Repository"}},
            "make": {"method": "POST", "path": "repos/:owner",
                "entity": "Repository", "response": {"entity": "Repository"}},
            "repositories": {"path": "repos/:owner", "response": {"entity": "Repository"}},
            "comments": {"path": "comments/:number", "response": {"entity": "Comment"}}},
        "requests": [{"method": "PATCH", "path": "repos/:owner/:name", "entity": "Repository",
            "changedOnly": true}]}
        """
    }

    private static let headers = [
        HeaderField(name: "etag", value: "\"a\""),
        HeaderField(name: "Last-Modified", value: "Tue, 15 Nov 1994 12:45:26 GMT"),
    ]

    @discardableResult
    private func get(
        _ path: String, _ body: String, _ client: Client, _ headers: [HeaderField]
    ) throws -> Response {
        let call = try client.send(.get(path))
        transport.answer(200, body, headers: headers)
        return try call.wait(milliseconds: 0)
    }

    /// Returns the values that an object has, by their names.
    private func values(_ object: Snapshot) -> [String: Value] {
        var values: [String: Value] = [:]
        for (index, attribute) in object.entity.attributes.enumerated() {
            let value = object.value(at: index)
            if value != .absent { values[attribute.name] = value }
        }
        return values
    }

    private func all(_ name: String, _ client: Client) throws -> [[String: Value]] {
        try client.store.objects(Query(client.api.entity(named: name), .all)).map(values)
    }

    private func draft(_ client: Client, _ values: [String: Value]) throws -> Draft {
        let draft = Draft(try client.api.entity(named: "Repository"))
        for (name, value) in values { try set(draft, name, value) }
        return draft
    }

    private func set(_ draft: Draft, _ name: String, _ value: Value) throws {
        try draft.set(value, attribute: XCTUnwrap(draft.entity.attributeIndex(named: name)))
    }

    private func send(
        _ method: RestwayRouting.Method, _ draft: Draft, _ client: Client,
        variables: [String: String] = [:]
    ) throws -> Call {
        var spec = RequestSpec(target: .subject(method), subject: .draft(draft, client.store))
        for (name, value) in variables { spec.variables[name] = .value(.string(value)) }
        return try client.send(spec)
    }

    private func text(_ exchange: Exchange) -> String {
        var text = "\(exchange.method) \(exchange.url.dropFirst("http://example.test/".count))"
        if case .bytes(let bytes) = exchange.body {
            text += " " + String(decoding: bytes, as: UTF8.self)
        }
        return text
    }

    // MARK: Answers

    func testAnObjectHasValuesOfThePathTheHeadersItsParentAndItsKey() throws {
        try withEachStore { client in
            let body = """
                {"name": "hello", "size": 3, "issues": [{"id": 7, "title": "a",
                "comments": [{"text": "x"}, {"text": "y"}]}, 8], "first": 9,
                "branches": {"main": {"head": "c1"}, "next": {"head": "c2"}}}
                """
            let response = try get("repos/octocat/hello", body, client, Self.headers)
            XCTAssertEqual(response.issueCount, 0, "\(response.issues)")
            XCTAssertEqual(
                values(response.objects[0]),
                [
                    "name": .string("hello"), "login": .string("octocat"), "size": .int64(3),
                    "version": .string("\"a\""), "changed": .date(784_903_526_000_000),
                ])
            let ofParent: [String: Value] = [
                "owner": .string("octocat"), "repository": .string("hello"), "size": .int64(3),
            ]
            let issues = try all("Issue", client)
            XCTAssertEqual(
                issues,
                [
                    ofParent.merging(["id": .int64(7), "title": .string("a")]) { $1 },
                    ofParent.merging(["id": .int64(8)]) { $1 },
                    ofParent.merging(["id": .int64(9)]) { $1 },
                ])
            XCTAssertEqual(
                try all("Comment", client),
                ["x", "y"].map { ["text": .string($0), "issue": .int64(7)] })
            XCTAssertEqual(
                try all("Branch", client),
                [("main", "c1"), ("next", "c2")].map { name, head in
                    [
                        "name": .string(name), "head": .string(head),
                        "repository": .string("hello"),
                    ]
                })
        }
    }

    func testTheHeadersAreAboutNoObjectOfAList() throws {
        try withEachStore { client in
            for body in [#"[{"name": "hello"}]"#, #"[{"name": "hello"}, {"name": "world"}]"#] {
                let response = try get("repos/octocat", body, client, Self.headers)
                for object in response.objects {
                    XCTAssertEqual(object.value(named: "version"), .absent)
                    XCTAssertEqual(object.value(named: "login"), .string("octocat"))
                }
            }
            // What an answer does not say stays as it is.
            try get("repos/octocat/hello", #"{"name": "hello"}"#, client, Self.headers)
            let list = try get("repos/octocat", #"[{"name": "hello"}]"#, client)
            XCTAssertEqual(list.objects[0].value(named: "version"), .string("\"a\""))
        }
    }

    func testAValueThatDoesNotFitIsAnIssue() throws {
        try withEachStore { client in
            let response = try get("comments/seven", #"[{"text": "a"}, {"text": "b"}]"#, client)
            XCTAssertEqual(
                response.issues,
                [
                    MappingIssue(
                        keyPath: "number",
                        reason: "expected an integer, found another text in the variable "
                            + "\"number\" of the path")
                ])
            XCTAssertEqual(
                try all("Comment", client), [["text": .string("a")], ["text": .string("b")]])
            let dated = try get(
                "repos/a/b", #"{"name": "b"}"#, client,
                [HeaderField(name: "Last-Modified", value: "yesterday")])
            XCTAssertEqual(
                dated.issues.map(\.reason),
                ["expected a date, found another text in the header last-modified"])
        }
    }

    func testTheValuesAreQueriedAndObserved() throws {
        try withEachStore { client in
            try get("repos/octocat", #"[{"name": "hello"}, {"name": "world"}]"#, client)
            try get("repos/monalisa", #"[{"name": "other"}]"#, client)
            let entity = try client.api.entity(named: "Repository")
            var query = Query(entity)
            query.conditions = [
                .compares(
                    attribute: try XCTUnwrap(entity.attributeIndex(named: "login")), .equal,
                    .string("octocat"))
            ]
            XCTAssertEqual(try client.store.objects(query).count, 2)
        }
    }

    func testAKeptAnswerIsMappedWithItsHeaders() throws {
        try withEachStore { client in
            let kept = HeaderField(name: "Cache-Control", value: "max-age=60")
            let body = #"{"name": "hello", "size": 1}"#
            try get("repos/octocat/hello", body, client, Self.headers + [kept])
            _ = try client.store.deleteAll(nil)
            let again = try client.send(.get("repos/octocat/hello")).wait(milliseconds: 0)
            XCTAssertEqual(transport.waitingCount, 0)
            XCTAssertEqual(again.objects[0].value(named: "version"), .string("\"a\""))
            XCTAssertEqual(again.objects[0].value(named: "login"), .string("octocat"))
        }
    }

    func testBytesThatNoRequestHasBroughtHaveParentsAlone() throws {
        try withEachStore { client in
            let json = #"{"name": "hello", "size": 3, "issues": [{"id": 7}]}"#
            _ = try client.calls.map(
                Body(Array(json.utf8)), BytesMapping(.entity("Repository", keyPath: [])))
            XCTAssertEqual(
                try all("Issue", client),
                [["id": .int64(7), "repository": .string("hello"), "size": .int64(3)]])
            XCTAssertEqual(
                try all("Repository", client), [["name": .string("hello"), "size": .int64(3)]])
        }
    }

    // MARK: Requests

    func testTheValuesFillPathsAndStandInNoBody() throws {
        try withEachStore { client in
            let read = try get(
                "repos/octocat/hello",
                #"{"name": "hello", "issues": [{"id": 7}], "branches": {"main": {"head": "c"}}}"#,
                client, Self.headers)
            let object = read.objects[0]
            let draft = Draft(copying: object)
            try set(draft, "size", .int64(4))
            try set(draft, "version", .string("mine"))
            let change = try send(.patch, draft, client)
            XCTAssertEqual(
                text(transport.answer(204, "")), #"PATCH repos/octocat/hello {"size":4}"#)
            _ = try change.wait(milliseconds: 0)
            let whole = try send(.put, Draft(copying: object), client)
            XCTAssertEqual(
                text(transport.answer(204, "")),
                #"PUT repos/octocat/hello {"name":"hello","size":4,"issues":[{"id":7}],"#
                    + #""branches":{"main":{"head":"c"}}}"#,
                "the draft of an older object takes back nothing")
            _ = try whole.wait(milliseconds: 0)
            // A variable that an attribute declares is not remembered.
            XCTAssertNil(try client.store.variables(object.entity, storeKey: object.storeKey))
        }
    }

    func testADraftThatIsSentHasTheValuesOfItsRequest() throws {
        try withEachStore { client in
            let draft = try draft(client, ["name": .string("hello"), "size": .int64(1)])
            let made = try send(.post, draft, client, variables: ["owner": "octocat"])
            XCTAssertEqual(
                text(transport.answer(201, "", headers: Self.headers)),
                #"POST repos/octocat {"name":"hello","size":1}"#)
            _ = try made.wait(milliseconds: 0)
            XCTAssertEqual(
                try all("Repository", client),
                [
                    [
                        "name": .string("hello"), "login": .string("octocat"), "size": .int64(1),
                        "version": .string("\"a\""), "changed": .date(784_903_526_000_000),
                    ]
                ])
            // A new state of the object comes with a new version.
            try set(draft, "size", .int64(2))
            let changed = try send(.patch, draft, client)
            XCTAssertEqual(
                text(transport.answer(204, "", headers: [.init(name: "ETag", value: "\"b\"")])),
                #"PATCH repos/octocat/hello {"size":2}"#)
            _ = try changed.wait(milliseconds: 0)
            let stored = try all("Repository", client)
            XCTAssertEqual(stored.first?["version"], .string("\"b\""))
            XCTAssertEqual(stored.first?["size"], .int64(2))
        }
    }

    func testDraftsInsideOfADraftHaveItsValues() throws {
        try withEachStore { client in
            let issue = Draft(try client.api.entity(named: "Issue"))
            try set(issue, "id", .int64(1))
            let outer = try draft(client, ["name": .string("hello"), "size": .int64(5)])
            try outer.set([.draft(issue)], relationship: 0)
            _ = try client.store.insert(outer)
            XCTAssertEqual(
                try all("Issue", client),
                [["id": .int64(1), "repository": .string("hello"), "size": .int64(5)]])
        }
    }
}

import Foundation
import Restway
import XCTest

/// Objects, drafts, the store and the outbox, with the issue tracker of the demo API.
final class TrackerTests: DemoTestCase {
    private struct Label: Decodable, Equatable { let name: String }

    private struct User: Decodable { let login: String }

    private struct Issue: Decodable {
        let number: Int
        let title: String
        let created: Date?
        let user: User?
        let labels: [Label]
    }

    private let document: JSON = [
        "restway": 1,
        "environments": ["local": ["baseURL": "http://127.0.0.1:1/v2"]],
        "entities": [
            "User": ["identity": "id", "attributes": ["id": ["type": "int"], "login": "login"]],
            "Label": ["identity": "name", "attributes": ["name": "name", "color": "color"]],
            "Issue": [
                "identity": "number",
                "attributes": [
                    "number": ["type": "int"], "title": ["type": "string"], "state": "state",
                    "comments": ["type": "int"],
                    "created": ["source": "created_at", "type": "date"],
                ],
                "relationships": [
                    "user": ["entity": "User"],
                    "labels": ["entity": "Label", "many": true, "byIdentity": true],
                ],
            ],
        ],
        "routes": [
            "issues": ["path": "repos/octo/hello/issues", "response": ["entity": "Issue"]],
            "newIssue": [
                "method": "POST", "path": "repos/octo/hello/issues", "entity": "Issue",
                "response": ["entity": "Issue", "status": 201],
                "request": ["entity": "Issue", "changedOnly": true], "offline": true,
            ],
            "issue": [
                "method": ["GET", "PATCH"], "path": "repos/octo/hello/issues/:number",
                "entity": "Issue", "response": ["entity": "Issue"],
                "request": ["entity": "Issue", "changedOnly": true], "offline": true,
            ],
        ],
        "errors": [
            "message": "message", "details": "errors", "field": "field", "code": "code",
        ],
    ]

    private func tracker(outbox: String? = nil) throws -> Client {
        // The routes say "offline", so every client needs a file for its outbox.
        let file = try outbox ?? temporaryFile("outbox.db")
        return try ending(
            Client(
                API(document: document), options: Client.Options(baseURL: url(), outbox: file)))
    }

    // MARK: Objects

    func testAttributesAndRelationshipsOfAnObject() async throws {
        let client = try tracker()
        let answer = try await client.get("repos/octo/hello/issues/\(1)")
        let issue = try XCTUnwrap(answer.object)
        XCTAssertEqual(issue.entity, "Issue")
        XCTAssertEqual(issue.identity, 1)
        XCTAssertEqual(issue["number"], 1)
        XCTAssertEqual(issue["number", as: Double.self], 1)
        XCTAssertNil(issue["number", as: String.self])
        XCTAssertNil(issue["nothing", as: String.self])
        XCTAssertNotNil(issue["created", as: Date.self])
        let user = try XCTUnwrap(issue.related("user").first)
        XCTAssertNotNil(user["login", as: String.self])
        XCTAssertThrowsError(try issue.related("users")) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .unknownAttribute)
        }
        XCTAssertEqual("\(issue)", "<Issue 1>")
        XCTAssertEqual(try client.store.find("Issue", 1), issue)
    }

    func testRelationshipsAreReadIntoNestedTypes() async throws {
        let client = try tracker()
        let issues: [Issue] = try await client.get(
            .route("issues"), parameters: ["per_page": 3])
        let objects = try client.store.all("Issue")
        XCTAssertEqual(issues.map(\.number), [1, 2, 3])
        for (issue, object) in zip(issues, objects) {
            XCTAssertEqual(issue.user?.login, try object.related("user").first?["login"])
            XCTAssertEqual(
                issue.labels.map(\.name), try object.related("labels").compactMap { $0["name"] })
        }
        let labels: [Label] = try objects.flatMap { object in
            try object.related("labels").map { label in try label.decode() }
        }
        XCTAssertEqual(labels, issues.flatMap(\.labels))
    }

    func testAnObjectIsWrittenAsJSON() async throws {
        let client = try tracker()
        let answer = try await client.get("repos/octo/hello/issues/\(1)")
        let issue = try XCTUnwrap(answer.object)
        let alone = try issue.json()
        XCTAssertEqual(alone["number"], 1)
        XCTAssertEqual(alone["title"]?.string, issue["title"])
        XCTAssertNil(alone["user"]?["login"])
        let whole = try issue.json(depth: 1)
        XCTAssertEqual(
            whole["user"]?["login"]?.string, try issue.related("user").first?["login"])
        XCTAssertThrowsError(try issue.json(depth: 17)) { error in
            XCTAssertEqual((error as? RestwayError)?.field, "depth")
        }
    }

    func testQueriesOfTheStore() async throws {
        let client = try tracker()
        try await client.get(.route("issues"), parameters: ["per_page": 12])
        let store = client.store
        let open = try store.query("Issue").filter("state = ?", "open")
        XCTAssertEqual(try open.count(), try open.all().count)
        XCTAssertEqual(try store.count("Issue"), 12)
        let last = try store.query("Issue").order(by: "number", descending: true).first()
        XCTAssertEqual(last?["number"], 12)
        let some = try store.query("Issue").order(by: "number").limit(2, offset: 3).all()
        XCTAssertEqual(some.compactMap { $0["number", as: Int.self] }, [4, 5])
        XCTAssertThrowsError(try store.query("Issue").filter("stat = ?", "open")) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .unknownAttribute)
        }
        XCTAssertThrowsError(try store.query("Isue")) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .unknownEntity)
        }
        XCTAssertTrue(try store.delete(XCTUnwrap(last)))
        XCTAssertEqual(try store.deleteAll("Issue"), 11)
        XCTAssertGreaterThan(try store.clear(), 0)
        XCTAssertEqual(try store.count(), 0)
    }

    // MARK: Drafts

    func testAPatchHasOnlyWhatWasChanged() async throws {
        let client = try tracker()
        let new = try client.draft("Issue", ["title": "Menus are too small"])
        let made = try await client.post(.draft(new)).object
        let issue = try XCTUnwrap(made)
        let draft = try client.draft(of: issue)
        XCTAssertEqual(draft.changed, [])
        try draft.set("title", to: "Menus are tiny")
        try draft.set("state", to: "closed")
        // The order of the document, which a literal writes sorted.
        XCTAssertEqual(draft.changed, ["state", "title"])
        let seen = try client.inspect(Request(.patch, .draft(draft)))
        XCTAssertEqual(
            try JSON(parsing: String(decoding: XCTUnwrap(seen.body), as: UTF8.self)),
            ["title": "Menus are tiny", "state": "closed"])
        let changed: Issue = try await client.patch(.draft(draft))
        XCTAssertEqual(changed.title, "Menus are tiny")
        XCTAssertEqual(try client.store.newest(issue)?["title"], "Menus are tiny")
        XCTAssertEqual(issue["title"], "Menus are too small")
    }

    func testADraftTakesBackAndRefuses() async throws {
        let client = try tracker()
        let draft = try client.draft("Issue", ["title": "A", "number": 7])
        try draft.revert("title")
        XCTAssertEqual(draft.changed, ["number"])
        try draft.setNull("title")
        XCTAssertEqual(draft.snapshot().value("title"), .null)
        try draft.unset("title")
        XCTAssertNil(draft.snapshot().value("title"))
        XCTAssertThrowsError(try draft.set("number", to: "seven")) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .invalidArgument)
            XCTAssertEqual((error as? RestwayError)?.field, "number")
        }
        let label = try client.draft("Label", ["name": "small"])
        try draft.relate("labels", to: [label])
        let stored = try draft.insert()
        XCTAssertEqual(try stored.related("labels").first?["name"], "small")
        let other = try client.draft(of: stored)
        try other.remove(XCTUnwrap(stored.related("labels").first), from: "labels")
        XCTAssertEqual(other.changed, ["labels"])
        XCTAssertThrowsError(try tracker().draft(of: stored)) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .invalidArgument)
        }
    }

    func testTheFieldErrorsOfARefusal() async throws {
        let client = try tracker()
        let error = try await failure { () throws(RestwayError) in
            try await client.post(.draft(client.draft("Issue", ["title": "", "state": "lost"])))
        }
        XCTAssertEqual(error.httpStatus, 422)
        XCTAssertEqual(error.domain, .api)
        XCTAssertEqual(error.apiMessage, "Validation Failed")
        XCTAssertEqual(
            error.details,
            [
                .init(path: "title", message: "is missing", code: "missing_field"),
                .init(path: "state", message: "is not one of open, closed", code: "invalid"),
            ])
    }

    // MARK: Outbox

    func testAChangeWithoutANetworkIsDeliveredLater() async throws {
        let file = try temporaryFile("outbox.db")
        let client = try tracker(outbox: file)
        let answer = try await client.post(.draft(client.draft("Issue", ["title": "Offline"])))
        let issue = try XCTUnwrap(answer.object)
        try client.setReachability(.unreachable)
        let draft = try client.draft(of: issue)
        try draft.set("title", to: "Online again")
        let error = try await failure { () throws(RestwayError) in
            try await client.patch(.draft(draft))
        }
        XCTAssertEqual(error.kind, .queued)
        XCTAssertEqual(try client.store.newest(issue)?["title"], "Online again")
        XCTAssertTrue(try client.outbox.hasPending(issue))
        let items = try client.outbox.items()
        XCTAssertEqual(items.map(\.id), [error.outboxID])
        XCTAssertEqual(items.first?.method, .patch)
        XCTAssertEqual(items.first?.state, .waiting)
        XCTAssertEqual(try client.outbox.counts().waiting, 1)

        try client.setReachability(.reachable)
        try await client.outbox.flush()
        XCTAssertEqual(try client.outbox.items().count, 0)
        XCTAssertFalse(try client.outbox.hasPending(issue))
        let newest: Issue = try await client.get(.object(issue))
        XCTAssertEqual(newest.title, "Online again")
    }

    func testStoredRequestsOutliveTheirClient() async throws {
        let file = try temporaryFile("outbox.db")
        do {
            let client = try tracker(outbox: file)
            try client.setReachability(.unreachable)
            let draft = try client.draft("Issue", ["title": "Written offline"])
            let error = try await failure { () throws(RestwayError) in
                try await client.post(.draft(draft))
            }
            XCTAssertEqual(error.kind, .queued)
            client.close()
        }
        let client = try tracker(outbox: file)
        try client.setReachability(.unreachable)
        XCTAssertEqual(try client.outbox.counts().waiting, 1)
        XCTAssertEqual(try client.outbox.dropAll(), 1)
        XCTAssertEqual(client.reachability, .unreachable)
    }

    func testAClientWithoutAnOutboxSaysSo() async throws {
        let client = try client()
        let error = try await failure { () throws(RestwayError) in
            try await client.outbox.flush()
        }
        XCTAssertEqual(error.field, "outbox")
    }
}

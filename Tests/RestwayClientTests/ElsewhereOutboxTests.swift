import RestwayHTTP
import RestwayObjects
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Attributes that come from the path of a request that the outbox stores.
final class ElsewhereOutboxTests: OutboxTestCase {
    private static let document = """
        {"restway": 1,
         "environments": {"test": {"baseURL": "http://api.test/v1"}},
         "entities": {
            "Issue": {"identity": "number", "attributes": {
                "number": {"type": "int"}, "title": {"type": "string"},
                "owner": {"type": "string", "from": {"variable": "owner"}}}},
            "Comment": {"identity": "id", "attributes": {
                "id": {"type": "int"}, "text": {"type": "string"},
                "about": {"type": "int", "from": {"variable": "issue.number"}}},
                "relationships": {"issue": {"entity": "Issue", "byIdentity": true}}}},
         "outbox": {"path": "unused.db", "baseMilliseconds": 1000},
         "routes": {
            "issues": {"method": "POST", "path": ":owner/issues", "entity": "Issue",
                       "response": {"entity": "Issue"}, "offline": true},
            "comments": {"method": "POST", "path": "issues/:issue.number/comments",
                         "entity": "Comment", "response": {"entity": "Comment"}, "offline": true}}}
        """

    private func client(storeFile: String?) throws -> Client {
        var options = ClientOptions()
        options.files.outbox = path
        options.files.store = storeFile
        options.randomSeed = 1
        let client = try Client(
            api: try TestAPI.load(Self.document), options: options, transport: transport,
            clock: clock)
        addTeardownBlock { client.close() }
        return client
    }

    private func draft(
        _ name: String, _ client: Client, _ values: [String: Value]
    ) throws -> Draft {
        let draft = Draft(try client.api.entity(named: name))
        for (name, value) in values {
            try draft.set(value, attribute: XCTUnwrap(draft.entity.attributeIndex(named: name)))
        }
        return draft
    }

    private func value(_ entity: String, _ name: String, _ client: Client) throws -> Value? {
        let objects = try client.store.objects(Query(client.api.entity(named: entity)))
        XCTAssertEqual(objects.count, 1)
        return objects.first?.value(named: name)
    }

    func testAStoredDraftHasTheVariablesOfItsPathAndLaterTheIdentityThatStandsThere() throws {
        try storeDrafts(in: client(storeFile: nil))
    }

    func testTheSameWithAStoreInAFile() throws {
        try storeDrafts(in: client(storeFile: directory + "/objects.db"))
    }

    private func storeDrafts(in client: Client) throws {
        let issue = try draft("Issue", client, ["title": .string("a")])
        let comment = try draft("Comment", client, ["text": .string("x")])
        try comment.set([.draft(issue)], relationship: 0)
        var post = RequestSpec(target: .subject(.post), subject: .draft(issue, client.store))
        post.variables["owner"] = .value(.string("octocat"))
        let about = RequestSpec(
            target: .subject(.post), subject: .draft(comment, client.store))
        try queueOffline(client, post, about)
        XCTAssertEqual(try value("Issue", "owner", client), .string("octocat"))
        // The server has not named the issue yet.
        XCTAssertEqual(try value("Comment", "about", client), .absent)
        try flush(client)
        let first = transport.answer(201, #"{"number":7}"#)
        XCTAssertEqual(text(first), #"POST octocat/issues {"title":"a"}"#)
        let second = transport.answer(201, #"{"id":1}"#)
        XCTAssertEqual(text(second), #"POST issues/7/comments {"text":"x","issue":7}"#)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 201", "2 delivered 201"])
        XCTAssertEqual(try value("Issue", "owner", client), .string("octocat"))
        XCTAssertEqual(try value("Issue", "number", client), .int64(7))
        XCTAssertEqual(try value("Comment", "about", client), .int64(7))
    }
}

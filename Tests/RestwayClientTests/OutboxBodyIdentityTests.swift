import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayAuth
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// Requests about objects that the server has not named yet are sent with the bodies that they
/// would have if the server had named the objects earlier.
final class OutboxBodyIdentityTests: OutboxTestCase {
    private var identity = #"{"source": "id", "type": "int"}"#
    private var requests = "[]"
    private var serialization = "json"
    private var answer = #"{"id": 77, "title": "a"}"#

    override func document(_ outbox: String, _ rest: String, routes: String) -> String {
        """
        {"restway": 1,
         "environments": {"test": {"baseURL": "http://api.test/v1"}},
         "entities": {
            "Meeting": {"identity": "itemID",
              "attributes": {"itemID": \(identity), "title": {"type": "string"}},
              "relationships": {"parts": {"entity": "Part", "many": true},
                                "after": {"entity": "Meeting", "source": "after_id",
                                          "byIdentity": true}}},
            "Part": {"identity": "number",
              "attributes": {"number": {"type": "int"}, "title": {"type": "string"}},
              "relationships": {"meeting": {"entity": "Meeting"}}}},
         "outbox": {"path": "unused.db"\(outbox)},
         "routes": {
            "meetings": {"method": "POST", "path": "m", "entity": "Meeting",
                         "response": {"entity": "Meeting"}, "offline": true},
            "meeting": {"method": ["PUT", "PATCH"], "path": "m/:itemID", "entity": "Meeting",
                        "serializationName": "\(serialization)",
                        "response": {"entity": "Meeting"}, "offline": true},
            "publish": {"method": "POST", "path": "m/:itemID/published", "offline": true},
            "current": {"method": "PUT", "path": "current", "offline": true},
            "check": {"method": "PUT", "path": "check"}\(routes)},
         "requests": \(requests)\(rest)}
        """
    }

    /// The requests after the creation of a meeting.
    private typealias Step = (Client, Draft) throws -> RequestSpec

    private func send(
        _ method: RestwayRouting.Method, route: String? = nil, title: String? = nil
    ) -> Step {
        { client, draft in
            if let title { try draft.set(.string(title), attribute: 1) }
            let target: RequestSpec.Target = route.map { .route($0, method) } ?? .subject(method)
            return RequestSpec(target: target, subject: .draft(draft, client.store))
        }
    }

    private func meeting(_ client: Client, hasPart: Bool) throws -> Draft {
        let draft = Draft(try client.api.entity(named: "Meeting"))
        try draft.set(.string("a"), attribute: 1)
        guard hasPart else { return draft }
        let part = Draft(try client.api.entity(named: "Part"))
        try part.set(.string("p"), attribute: 1)
        try part.set([.draft(draft)], relationship: 0)
        try draft.set([.draft(part)], relationship: 0)
        return draft
    }

    /// Returns the requests of a client that is online all the time.
    private func online(_ steps: [Step], hasPart: Bool) throws -> [String] {
        let wire = FakeTransport()
        let client = try client(transport: wire)
        let draft = try meeting(client, hasPart: hasPart)
        var asked: [String] = []
        for step in [send(.post)] + steps {
            let call = try client.send(step(client, draft))
            asked.append(text(wire.answer(200, answer)))
            _ = try call.wait(milliseconds: 0)
        }
        client.close()
        removeFiles()
        return asked
    }

    /// Returns the requests of a client that was offline while they were made.
    private func offline(_ steps: [Step], hasPart: Bool) throws -> [String] {
        let wire = FakeTransport()
        let client = try client(transport: wire)
        let draft = try meeting(client, hasPart: hasPart)
        try client.setReachability(.unreachable)
        for step in [send(.post)] + steps { try queue(client, step(client, draft)) }
        try flush(client)
        let asked = (0...steps.count).map { _ in text(wire.answer(200, answer)) }
        XCTAssertNil(nextFlushed().failure)
        XCTAssertEqual(try states(client), [])
        client.close()
        removeFiles()
        return asked
    }

    private func compare(
        _ steps: Step..., hasPart: Bool = false, file: StaticString = #filePath, line: UInt = #line
    ) throws -> [String] {
        let (there, here) = (
            try online(steps, hasPart: hasPart), try offline(steps, hasPart: hasPart)
        )
        XCTAssertEqual(here, there, file: file, line: line)
        return here
    }

    func testAPutSaysTheIdentityThatItWouldSayOnline() throws {
        let asked = try compare(send(.put, title: "b"))
        XCTAssertEqual(asked, [#"POST m {"title":"a"}"#, #"PUT m/77 {"id":77,"title":"b"}"#])
    }

    func testTheDescriptorSaysWhereTheIdentityStands() throws {
        identity = #"{"source": "head.id", "type": "int"}"#
        answer = #"{"head": {"id": 77}}"#
        requests = """
            [{"path": "m/:itemID", "entity": "Meeting", "method": "PUT", "keyPath": "data.meeting"}]
            """
        let asked = try compare(send(.put))
        XCTAssertEqual(
            asked[1], #"PUT m/77 {"data":{"meeting":{"head":{"id":77},"title":"a"}}}"#)
    }

    func testARequestOfChangesSaysNoIdentity() throws {
        requests = """
            [{"path": "m/:itemID", "entity": "Meeting", "method": "PATCH", "changedOnly": true}]
            """
        let asked = try compare(send(.patch, title: "b"))
        XCTAssertEqual(asked[1], #"PATCH m/77 {"title":"b"}"#)
    }

    func testObjectsInsideSayTheIdentityOfTheOuterOne() throws {
        answer = #"{"id": 77, "title": "a", "parts": [{"number": 5, "title": "p"}]}"#
        let asked = try compare(send(.put, title: "b"), hasPart: true)
        XCTAssertEqual(
            asked[1],
            #"PUT m/77 {"id":77,"title":"b","#
                + #""parts":[{"number":5,"title":"p","meeting":{"id":77}}]}"#)
    }

    func testAPathWithoutTheIdentityWaitsForTheBody() throws {
        let asked = try compare(send(.put, route: "current", title: "b"))
        XCTAssertEqual(asked[1], #"PUT current {"id":77,"title":"b"}"#)
    }

    func testAPostToThePathOfTheObjectIsNotTheOneThatMakesIt() throws {
        let asked = try compare(send(.post, route: "publish", title: "b"))
        XCTAssertEqual(asked[1], #"POST m/77/published {"id":77,"title":"b"}"#)
    }

    func testTheIdentityIsConvertedAsItsAttributeIs() throws {
        identity = #"{"source": "id", "type": "int", "transform": "numberText"}"#
        answer = #"{"id": "77"}"#
        XCTAssertEqual(try compare(send(.put))[1], #"PUT m/77 {"id":"77","title":"a"}"#)
        identity = #"{"source": "id", "type": "string", "transform": "numberText"}"#
        answer = #"{"id": 77}"#
        XCTAssertEqual(try compare(send(.put))[1], #"PUT m/77 {"id":77,"title":"a"}"#)
        identity = #"{"source": "id", "type": "string", "transform": "base64"}"#
        answer = #"{"id": "aGk="}"#
        XCTAssertEqual(try compare(send(.put))[1], #"PUT m/hi {"id":"aGk=","title":"a"}"#)
    }

    func testFormsAndQueriesSayTheIdentityToo() throws {
        identity = #"{"source": "id", "type": "string", "transform": "base64"}"#
        answer = #"{"id": "aGk/"}"#
        serialization = "url"
        XCTAssertEqual(try compare(send(.put))[1], "PUT m/hi%3F id=aGk%2F&title=a")
        serialization = "none"
        XCTAssertEqual(try compare(send(.put))[1], "PUT m/hi%3F?id=aGk%2F&title=a")
        serialization = "form"
        // The boundary of each body is random.
        for send in [online, offline] {
            let asked = try send([self.send(.put)], false)
            let lines = asked[1].split(separator: "\r\n").filter { !$0.contains("restway-") }
            let head = "Content-Disposition: form-data; name="
            XCTAssertEqual(lines, ["\(head)\"id\"", "aGk/", "\(head)\"title\"", "a"])
        }
    }

    func testARequestThatMayNotBeStoredGoesOutWithoutTheIdentity() throws {
        let client = try client()
        let draft = try meeting(client, hasPart: false)
        try client.setReachability(.unreachable)
        try queue(client, send(.post)(client, draft))
        let call = try client.send(send(.put, route: "check")(client, draft))
        XCTAssertEqual(text(transport.answer(204)), #"PUT check {"title":"a"}"#)
        XCTAssertEqual(try call.wait(milliseconds: 0).status, 204)
    }

    func testACallThatWaitedForTheCreationSaysTheIdentity() throws {
        requests = #"[{"path": "m/:itemID", "entity": "Meeting", "method": "PUT"}]"#
        let client = try client()
        let object = try client.store.insert(meeting(client, hasPart: false))
        let creation = try client.send(
            RequestSpec(target: .subject(.post), subject: .object(object)))
        let started = transport.next()
        let change = try client.send(RequestSpec(target: .subject(.put), subject: .object(object)))
        started.answer(201, answer)
        XCTAssertEqual(text(transport.answer(204)), #"PUT m/77 {"id":77,"title":"a"}"#)
        XCTAssertEqual(try creation.wait(milliseconds: 0).status, 201)
        XCTAssertEqual(try change.wait(milliseconds: 0).status, 204)
    }
}

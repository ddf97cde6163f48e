import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// Stored requests whose credential a server refuses.
final class OutboxCredentialTests: OutboxTestCase {
    private func given(user: String? = nil, password: String? = nil, token: String? = nil)
        -> Credential
    {
        var credential = Credential()
        credential.user = user
        credential.password = password.map { Secret($0) }
        credential.token = token.map { Secret($0) }
        return credential
    }

    private func authorization(_ exchange: Exchange) -> String? {
        Headers(exchange.headers)[first: "Authorization"]
    }

    private func reasons(_ client: Client) throws -> [OutboxWaitReason?] {
        try client.requireOutbox().list().all.map(\.waitReason)
    }

    /// Waits until no stored request is left.
    private func waitUntilDelivered(_ client: Client, line: UInt = #line) throws {
        let end = SystemClock().now().advanced(milliseconds: 30_000)
        while try !states(client).isEmpty {
            guard SystemClock().now() < end else { return XCTFail("not delivered", line: line) }
            sched_yield()
        }
    }

    /// Stores two requests, lets the server refuse the first, and checks that both wait.
    private func refuse(
        _ client: Client, _ other: FakeTransport? = nil, line: UInt = #line
    ) throws {
        let transport = other ?? transport
        try queueOffline(client, put(1), put(2))
        try flush(client)
        transport.answer(401)
        XCTAssertEqual(words(nextFlushed()), ["1 waiting 401"], line: line)
        XCTAssertEqual(try states(client), ["1 waiting", "2 waiting"], line: line)
        XCTAssertEqual(try reasons(client), [.credential, nil], line: line)
        XCTAssertEqual(transport.waitingCount, 0, "nothing more is sent", line: line)
    }

    func testA401WaitsForACredentialWithEachScheme() throws {
        let schemes: [(auth: String, new: Credential?)] = [
            (#"{"scheme": "bearer", "token": "old"}"#, given(token: "new")),
            (#"{"scheme": "bearer"}"#, given(token: "new")),
            (#"{"scheme": "basic", "user": "a", "password": "old"}"#,
             given(user: "a", password: "new")),
            (#"{"scheme": "apiKey", "header": "X-Key", "token": "old"}"#, given(token: "new")),
            (#"{"scheme": "custom"}"#, nil),
        ]
        for (auth, new) in schemes {
            removeFiles()
            let transport = FakeTransport()
            let client = try client("", ", \"auth\": \(auth)", transport: transport)
            try refuse(client, transport)
            try client.setReachability(.unknown)
            try flush(client)
            let flushed = nextFlushed()
            XCTAssertEqual(flushed.failure?.reason, .auth, "a flush says why it sent nothing")
            XCTAssertEqual(transport.waitingCount, 0, auth)
            try client.setCredential(new)
            transport.answer(200, "{}")
            transport.answer(200, "{}")
            try waitUntilDelivered(client)
            client.close()
        }
    }

    func testAProgramThatDoesNotReplayDoesNotMakeARefusalOfIt() throws {
        let client = try client("", #", "auth": {"scheme": "bearer", "token": "old"}"#)
        try client.setAuthFunctions { functions in
            functions.refresh = { _ = $0.fail("no", isFinal: true) }
            functions.shouldReplay = { _ in false }
        }
        try refuse(client)
    }

    func testAStatusThatTheDocumentCallsARefusalOfTheCredentialWaits() throws {
        let client = try client(
            "", #", "auth": {"scheme": "bearer", "token": "old", "replay": {"status": [403]}}"#)
        try queueOffline(client, put(1))
        try flush(client)
        transport.answer(403)
        XCTAssertEqual(words(nextFlushed()), ["1 waiting 403"])
        XCTAssertEqual(try reasons(client), [.credential])
    }

    func testARequestWithoutACredentialIsRefused() throws {
        let client = try client("", #", "auth": {"scheme": "bearer", "token": "old"}"#)
        var spec = put(1)
        spec.sending.authMode = AuthMode.none
        try queueOffline(client, spec)
        try flush(client)
        transport.answer(401)
        XCTAssertEqual(words(nextFlushed()), ["1 dead 401"])
    }

    func testOnlyAForcedFlushTriesARefusedCredentialAgain() throws {
        let client = try client("", #", "auth": {"scheme": "bearer", "token": "old"}"#)
        try refuse(client)
        clock.advance(milliseconds: 3_600_000)
        XCTAssertEqual(transport.waitingCount, 0)
        try flush(client, isForced: true)
        XCTAssertEqual(authorization(transport.answer(200, "{}")), "Bearer old")
        transport.answer(200, "{}")
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200", "2 delivered 200"])
    }

    func testAnotherProcessWithACredentialSends() throws {
        let bearer = #", "auth": {"scheme": "bearer", "token": "old"}"#
        let client = try client("", bearer)
        try refuse(client)
        let elsewhere = FakeTransport()
        let other = try self.client("", bearer, transport: elsewhere)
        try other.setCredential(given(token: "new"))
        XCTAssertEqual(authorization(elsewhere.answer(200, "{}")), "Bearer new")
        XCTAssertEqual(authorization(elsewhere.answer(200, "{}")), "Bearer new")
        try waitUntilDelivered(other)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testAfterARestartACredentialStartsThem() throws {
        let bearer = #", "auth": {"scheme": "bearer"}"#
        let transportBefore = FakeTransport()
        let before = try client("", bearer, transport: transportBefore)
        try refuse(before, transportBefore)
        before.close()
        let client = try client("", bearer)
        XCTAssertEqual(try reasons(client), [.credential, nil])
        try client.setCredential(given(token: "new"))
        XCTAssertEqual(authorization(transport.answer(200, "{}")), "Bearer new")
        XCTAssertEqual(authorization(transport.answer(200, "{}")), "Bearer new")
        try waitUntilDelivered(client)
    }

    func testAnItemThatANewCredentialDoesNotHelpIsRefusedAndHoldsUpNoOther() throws {
        let client = try client("", #", "auth": {"scheme": "bearer", "token": "old"}"#)
        try refuse(client)
        try client.setReachability(.unknown)
        try client.setCredential(given(token: "new"))
        XCTAssertTrue(text(transport.answer(401)).hasPrefix("PUT things/1"))
        XCTAssertTrue(text(transport.answer(200, "{}")).hasPrefix("PUT things/2"))
        while try states(client) != ["1 waiting"] { sched_yield() }
        clock.advance(milliseconds: 1_000)
        XCTAssertTrue(text(transport.answer(401)).hasPrefix("PUT things/1"))
        while try states(client) != ["1 dead"] { sched_yield() }
    }

    func testANewCredentialThatIsRefusedTooIsSentTwiceAtMost() throws {
        let client = try client("", #", "auth": {"scheme": "bearer", "token": "old"}"#)
        try queueOffline(client, put(1), put(2), put(3))
        try flush(client)
        transport.answer(401)
        _ = nextFlushed()
        try client.setReachability(.unknown)
        try client.setCredential(given(token: "bad"))
        transport.answer(401)
        transport.answer(401)
        while try reasons(client) != [.credential, .credential, nil] { sched_yield() }
        clock.advance(milliseconds: 3_600_000)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testARefreshThatBringsACredentialStartsThem() throws {
        let client = try client("", #", "auth": {"scheme": "bearer", "token": "old"}"#)
        try refuse(client)
        try client.setAuthFunctions { functions in
            functions.refresh = { ticket in
                var credential = Credential()
                credential.token = Secret("new")
                _ = try? ticket.succeed(credential)
            }
        }
        try client.setReachability(.unknown)
        let call = try client.send(RequestSpec(target: .path(.get, "me")))
        transport.answer(401)
        var sent: [String?] = []
        for _ in 0..<3 { sent.append(authorization(transport.answer(200, "{}"))) }
        XCTAssertEqual(sent, ["Bearer new", "Bearer new", "Bearer new"])
        _ = try call.wait(milliseconds: 0)
        try waitUntilDelivered(client)
    }

    func testABatchCallThatIsRefusedWaitsAsAWhole() throws {
        let client = try client(
            ", \"singlyAfterFailures\": 1",
            #"""
            , "batch": {"path": "/batch", "limit": 4},
              "auth": {"scheme": "bearer", "token": "old"}
            """#)
        try queueOffline(client, put(1), put(2))
        try flush(client)
        XCTAssertTrue(text(transport.answer(401)).hasPrefix("POST batch"))
        XCTAssertEqual(words(nextFlushed()), ["1 waiting 0", "2 waiting 0"])
        XCTAssertEqual(try reasons(client), [.credential, .credential])
        XCTAssertEqual(transport.waitingCount, 0)
        try client.setReachability(.unknown)
        try client.setCredential(given(token: "new"))
        let batch = transport.answer(
            200, #"[{"code": 200, "body": "{}"}, {"code": 200, "body": "{}"}]"#)
        XCTAssertEqual(authorization(batch), "Bearer new")
        try waitUntilDelivered(client)
    }

    func testARefusedItemOfABatchWaitsAndARefusalOfItIsFinalWhereOthersAreTaken() throws {
        let client = try client(
            "",
            #"""
            , "batch": {"path": "/batch", "limit": 2},
              "auth": {"scheme": "bearer", "token": "old"}
            """#)
        try queueOffline(client, put(1), put(2), put(3))
        try flush(client)
        transport.answer(200, #"[{"code": 401}, {"code": 200, "body": "{}"}]"#)
        XCTAssertEqual(words(nextFlushed()), ["1 waiting 401", "2 delivered 200"])
        XCTAssertEqual(try reasons(client), [.credential, nil])
        XCTAssertEqual(transport.waitingCount, 0)
        try client.setReachability(.unknown)
        try client.setCredential(given(token: "new"))
        transport.answer(200, #"[{"code": 401}, {"code": 200, "body": "{}"}]"#)
        while try states(client) != ["1 dead"] { sched_yield() }
    }
}

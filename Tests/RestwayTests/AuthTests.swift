import Restway
import XCTest

/// Credentials, the functions for authentication, failure readers and retries.
final class AuthTests: DemoTestCase {
    private struct Refusal: Error {}

    private func client(realm: String, style: String? = nil) throws -> Client {
        var me: [String: JSON] = ["path": JSON("auth/\(realm)/me")]
        if let style { me["path"] = JSON("auth/\(realm)/me?style=\(style)") }
        let api = try API(document: [
            "restway": 1, "environments": ["local": ["baseURL": "http://127.0.0.1:1/v2"]],
            "auth": ["scheme": "bearer"], "routes": ["me": .object(me)],
            "errors": ["code": "error.error_code", "message": "error.error_description"],
        ])
        return try ending(Client(api, options: .init(baseURL: url())))
    }

    /// Gets a token, as a refresh function does.
    private static func credential(_ client: Client, realm: String) async throws -> Credential {
        var request = Request(.post, "auth/\(realm)/token")
        request.body = .text(
            "grant_type=refresh_token&refresh_token=\(realm)-refresh-0",
            mediaType: "application/x-www-form-urlencoded")
        request.authentication = Request.Authentication.none
        let answer: JSON = try await client.send(request)
        return Credential(token: answer["access_token"]?.string)
    }

    // MARK: Credentials

    func testACredentialIsSent() async throws {
        let client = try client(realm: "swift-plain")
        try await client.auth.setCredential(Self.credential(client, realm: "swift-plain"))
        let response = try await client.get(.route("me"))
        XCTAssertEqual(response.status, 200)
        XCTAssertThrowsError(try client.auth.setCredential(Credential(token: "a\nb"))) {
            XCTAssertEqual(($0 as? RestwayError)?.field, "credential.token")
        }
    }

    func testADescriptionHasNoSecrets() {
        let credential = Credential(
            user: "anna", password: "open sesame", token: "t0ken", refreshToken: "r0ken")
        var dumped = ""
        dump(credential, to: &dumped)
        for text in ["\(credential)", String(reflecting: credential), dumped] {
            for secret in ["open sesame", "t0ken", "r0ken"] {
                XCTAssertFalse(text.contains(secret), text)
            }
        }
        XCTAssertEqual(
            "\(credential)", "<Credential with user, password, token, refreshToken>")
    }

    // MARK: Refreshes

    func testARefreshBringsACredentialAndTheRequestIsSentAgain() async throws {
        let realm = "swift-refresh"
        let client = try client(realm: realm)
        let (persisted, persist) = AsyncStream.makeStream(of: Credential.self)
        try client.auth.setPersist { persist.yield($0) }
        try client.auth.setRefresh { [weak client] in
            guard let client else { throw Refusal() }
            return try await Self.credential(client, realm: realm)
        }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { try await client.get(.route("me")).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        XCTAssertEqual(statuses, Array(repeating: 200, count: 8))
        let log: JSON = try await client.get("auth/\(realm)/log")
        XCTAssertEqual(log["issued"], 1)
        var kept = persisted.makeAsyncIterator()
        let first = await kept.next()
        XCTAssertEqual(first?.token?.hasPrefix(realm), true)
    }

    func testARefreshThatThrowsIsTheCauseOfTheError() async throws {
        let client = try client(realm: "swift-failed")
        try client.auth.setRefresh { throw Refusal() }
        let error = try await failure { () throws(RestwayError) in
            try await client.get(.route("me"))
        }
        XCTAssertEqual(error.kind, .auth)
        XCTAssertTrue(error.underlyingError is Refusal)
    }

    func testARefusedRefreshIsFinal() async throws {
        let client = try client(realm: "swift-final")
        let (calls, called) = AsyncStream.makeStream(of: Int.self)
        try client.auth.setRefresh {
            called.yield(1)
            throw RefreshRefused("signed out")
        }
        for _ in 0..<3 {
            let error = try await failure { () throws(RestwayError) in
                try await client.get(.route("me"))
            }
            XCTAssertEqual(error.kind, .auth)
            XCTAssertTrue(error.message.contains("signed out"), error.message)
        }
        called.finish()
        var count = 0
        for await call in calls { count += call }
        XCTAssertEqual(count, 1)
    }

    func testTheTaskOfARefreshEndsWithItsClient() async throws {
        let client = try client(realm: "swift-closed")
        let (events, event) = AsyncStream.makeStream(of: String.self)
        try client.auth.setRefresh {
            event.yield("began")
            let (never, end) = AsyncStream.makeStream(of: Void.self)
            await withTaskCancellationHandler {
                for await _ in never {}
            } onCancel: {
                end.finish()
            }
            event.yield("cancelled")
            return nil
        }
        let call = CallTask { () throws(RestwayError) in try await client.get(.route("me")) }
        var told = events.makeAsyncIterator()
        let first = await told.next()
        client.close()
        let second = await told.next()
        let kind = await call.kind
        XCTAssertEqual(first, "began")
        XCTAssertEqual(second, "cancelled")
        XCTAssertEqual(kind, .closed)
    }

    // MARK: Decisions

    func testShouldReplayDecidesAboutAStatus() async throws {
        let realm = "swift-decision"
        let client = try client(realm: realm, style: "code")
        try client.auth.setCredential(Credential(token: "expired"))
        try client.auth.setRefresh { [weak client] in
            guard let client else { throw Refusal() }
            return try await Self.credential(client, realm: realm)
        }
        let before = try await failure { () throws(RestwayError) in
            try await client.get(.route("me"))
        }
        XCTAssertEqual(before.httpStatus, 400)
        try client.auth.setShouldReplay { $0.apiCode == "40004" }
        let response = try await client.get(.route("me"))
        XCTAssertEqual(response.attempts.map(\.reason), [.first, .replay])
        XCTAssertEqual(response.attempts.map(\.httpStatus), [400, 200])
    }

    func testAuthorizeChangesEachAttempt() async throws {
        let client = try self.client()
        try client.auth.setAuthorize { attempt in
            XCTAssertEqual(attempt.method, .post)
            attempt.headers["X-Signature"] = "\(attempt.number) \(attempt.body?.count ?? 0)"
            attempt.addParameter("key", "k 1")
        }
        let seen: JSON = try await client.post("echo", body: .text("12345"))
        XCTAssertEqual(seen["headers"]?["X-Signature"], "1 5")
        XCTAssertEqual(seen["query"]?["key"], "k 1")

        try client.auth.setAuthorize { _ in throw Refusal() }
        let error = try await failure { () throws(RestwayError) in
            try await client.post("echo")
        }
        XCTAssertTrue(error.underlyingError is Refusal)
        try client.auth.setAuthorize { $0.headers["X-Bad"] = "a\nb" }
        let bad = try await failure { () throws(RestwayError) in try await client.post("echo") }
        XCTAssertEqual(bad.field, "X-Bad")
        try client.auth.setAuthorize(nil)
        try await client.post("echo")
    }

    // MARK: Errors and retries

    func testAFailureReaderReadsErrorsInItsOwnWay() async throws {
        struct Fault: Error, Equatable { let status: Int }
        let client = try self.client()
        try client.calls.setFailureReader { error in
            guard let status = error.response?.status else { return nil }
            return .init(
                apiCode: "fault-\(status)", apiMessage: "", isRetryable: false,
                underlyingError: Fault(status: status))
        }
        let error = try await failure { () throws(RestwayError) in
            try await client.get("bad/status/503")
        }
        XCTAssertEqual(error.apiCode, "fault-503")
        XCTAssertNil(error.apiMessage)
        XCTAssertFalse(error.isRetryable)
        XCTAssertEqual(error.underlyingError as? Fault, Fault(status: 503))
        try client.calls.setFailureReader(nil)
        let plain = try await failure { () throws(RestwayError) in
            try await client.get("bad/status/503")
        }
        XCTAssertEqual(plain.apiCode, "50399")
        XCTAssertTrue(plain.isRetryable)
    }

    func testRetriesFollowThePolicyOfTheProgram() async throws {
        let client = try self.client()
        let (attempts, told) = AsyncStream.makeStream(of: Int.self)
        try client.calls.setAttemptObserver { _, number, attempt in
            XCTAssertEqual(attempt.failure, .http)
            told.yield(number)
        }
        try client.calls.setRetry(["attempts": 3, "baseMilliseconds": 1, "capMilliseconds": 1])
        let error = try await failure { () throws(RestwayError) in
            try await client.get("bad/status/503")
        }
        XCTAssertEqual(error.attempts.count, 3)
        XCTAssertEqual(try client.metrics().retries, 2)
        told.finish()
        var numbers: [Int] = []
        for await number in attempts { numbers.append(number) }
        XCTAssertEqual(numbers, [1, 2])

        try client.calls.setRetry(nil)
        let once = try await failure { () throws(RestwayError) in
            try await client.get("bad/status/503")
        }
        XCTAssertEqual(once.attempts.count, 1)
        XCTAssertThrowsError(try client.calls.setRetry(["attempts": "many"])) {
            XCTAssertEqual(($0 as? RestwayError)?.kind, .config)
        }
        try client.calls.setRate(["requests": 100, "perMilliseconds": 1_000])
        try client.calls.setRate(nil)
    }
}

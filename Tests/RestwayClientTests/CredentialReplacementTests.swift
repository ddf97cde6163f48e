import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayAuth
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

/// Tests that nothing of one user's credential is left for the next user.
final class CredentialReplacementTests: AuthTestCase {
    private static let oauth = """
        {"scheme": "oauth2", "grant": "refreshToken", "tokenURL": "token", "clientID": "app"}
        """

    private func given(
        user: String? = nil, password: String? = nil, token: String? = nil, refresh: String? = nil
    ) -> Credential {
        var credential = Credential()
        credential.user = user
        credential.password = password.map { Secret($0) }
        credential.token = token.map { Secret($0) }
        credential.refreshToken = refresh.map { Secret($0) }
        return credential
    }

    /// Returns the `Authorization` of a request that is answered with 200.
    private func sent(_ client: Client) throws -> String? {
        let call = try client.send(.get("things"))
        let exchange = transport.answer(200)
        _ = try call.wait(milliseconds: 0)
        return authorization(exchange)
    }

    func testTheRefreshTokenOfTheUserBeforeIsGone() throws {
        let client = try client(auth: Self.oauth)
        try client.setCredential(given(token: "ann", refresh: "ann's"))
        XCTAssertEqual(try sent(client), "Bearer ann")
        try client.setCredential(given(token: "bob"))
        let call = try client.send(.get("things"))
        XCTAssertEqual(authorization(transport.answer(401)), "Bearer bob")
        XCTAssertEqual(failure(of: call)?.reason, .auth)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testTheClientOfTheDocumentStays() throws {
        let client = try client(auth: Self.oauth)
        try client.setCredential(given(token: "ann", refresh: "ann's"))
        let call = try client.send(.get("things"))
        transport.answer(401)
        let request = transport.answer(
            200, #"{"access_token": "ann 2"}"#,
            headers: [HeaderField(name: "Content-Type", value: "application/json")])
        guard case .bytes(let body) = request.body else { return XCTFail("no body") }
        XCTAssertTrue(String(decoding: body, as: UTF8.self).contains("client_id=app"))
        XCTAssertEqual(authorization(transport.answer(200)), "Bearer ann 2")
        _ = try call.wait(milliseconds: 0)
    }

    func testNoCredentialSignsOut() throws {
        for nothing in [nil, Credential()] {
            let oauth = try client(auth: Self.oauth)
            try oauth.setCredential(given(token: "ann", refresh: "ann's"))
            try oauth.setCredential(nothing)
            XCTAssertEqual(failure(of: try oauth.send(.get("things")))?.reason, .auth)
            XCTAssertEqual(transport.waitingCount, 0)

            let bearer = try client(auth: #"{"scheme": "bearer", "token": "ann"}"#)
            XCTAssertEqual(try sent(bearer), "Bearer ann")
            try bearer.setCredential(nothing)
            XCTAssertNil(try sent(bearer))

            let basic = try client(auth: #"{"scheme": "basic", "user": "ann", "password": "p"}"#)
            XCTAssertNotNil(try sent(basic))
            try basic.setCredential(nothing)
            XCTAssertNil(try sent(basic))
        }
    }

    func testAPasswordOfTheUserBeforeDoesNotStay() throws {
        let client = try client(auth: #"{"scheme": "basic"}"#)
        try client.setCredential(given(user: "ann", password: "p"))
        XCTAssertEqual(try sent(client), "Basic YW5uOnA=")
        try client.setCredential(given(user: "bob"))
        XCTAssertEqual(try sent(client), "Basic Ym9iOg==")
    }

    func testACallThatWaitsForARefreshDoesNotGoOutSignedOut() throws {
        let client = try client(refreshes: true)
        let call = try client.send(.get("things"))
        transport.answer(401)
        let refresh = nextRefresh()
        while client.auth.waitingCount < 1 { sched_yield() }
        try client.setCredential(nil)
        XCTAssertFalse(try refresh.succeed(token("t2")), "it was for the user before")
        XCTAssertEqual(transport.waitingCount, 0)
        XCTAssertTrue(nextRefresh().fail("signed out", isFinal: true))
        XCTAssertEqual(failure(of: call)?.reason, .auth)
    }
}

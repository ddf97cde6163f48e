import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

final class SchemeTests: AuthTestCase {
    private func sent(_ client: Client) throws -> Exchange {
        let call = try client.send(.get("things"))
        let exchange = transport.answer(200)
        _ = try call.wait(milliseconds: 0)
        return exchange
    }

    func testBasic() throws {
        let client = try client(auth: #"{"scheme": "basic", "user": "Aladdin"}"#)
        var credential = Credential()
        credential.password = Secret("open sesame")
        try client.setCredential(credential)
        XCTAssertEqual(authorization(try sent(client)), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    func testAPIKeyInAHeaderOrInTheQuery() throws {
        let inHeader = try client(auth: #"{"scheme": "apiKey", "header": "X-Key", "token": "k&"}"#)
        XCTAssertEqual(Headers(try sent(inHeader).headers)[first: "x-key"], "k&")
        let inQuery = try client(auth: #"{"scheme": "apiKey", "query": "key", "token": "k&"}"#)
        XCTAssertEqual(try sent(inQuery).url, "http://api.test/v1/things?key=k%26")
    }

    func testDigestIsLeftToTheTransport() throws {
        let client = try client(auth: #"{"scheme": "digest", "user": "u", "password": "p"}"#)
        let exchange = try sent(client)
        XCTAssertEqual(exchange.digest, DigestCredential(user: "u", password: Secret("p")))
        XCTAssertNil(authorization(exchange))
    }

    func testACredentialOfTheDocumentIsInNoCommandAndNoError() throws {
        let client = try client(auth: #"{"scheme": "apiKey", "query": "k2", "token": "s3cret"}"#)
        let hidden = try client.curlCommand(.get("things"), reveals: false)
        XCTAssertTrue(hidden.contains("k2=[redacted]"), hidden)
        XCTAssertFalse(hidden.contains("s3cret"))
        XCTAssertTrue(
            try client.curlCommand(.get("things"), reveals: true).contains("k2=s3cret"))
        let call = try client.send(.get("things"))
        transport.next().fail(.connect)
        XCTAssertFalse("\(String(describing: failure(of: call)))".contains("s3cret"))
    }

    func testNoSecretIsEverLogged() throws {
        let lines = Lock<[String]>([])
        Log.shared.set(LogLevels(all: .debug)) { record in
            lines.withLock { $0.append("\(record.message) \(record.fields)") }
        }
        defer { Log.shared.set(LogLevels(), nil) }
        let basic = try client(auth: #"{"scheme": "basic", "user": "u", "password": "s3cret"}"#)
        _ = try sent(basic)
        for place in ["header", "query"] {
            let key = try client(
                auth: #"{"scheme": "apiKey", "\#(place)": "X-Own-Key", "token": "s3cret"}"#)
            _ = try sent(key)
        }
        let oauth = try client(auth: Self.oauth)
        let call = try oauth.send(.get("things"))
        _ = answerToken(200, #"{"access_token": "s3cret", "refresh_token": "s3cret"}"#)
        transport.answer(401)
        _ = answerToken(400, #"{"error": "invalid_grant"}"#)
        XCTAssertEqual(failure(of: call)?.reason, .auth)
        Log.shared.set(LogLevels(), nil)
        let all = lines.withLock { $0 }.joined(separator: "\n")
        XCTAssertTrue(all.contains("[redacted]"), all)
        for secret in ["s3cret", "hush", "dTpzM2NyZXQ="] {
            XCTAssertFalse(all.contains(secret), "\(secret) in \(all)")
        }
    }

    private static let oauth = """
        {"scheme": "oauth2", "grant": "clientCredentials", "tokenURL": "token",
         "clientID": "app", "clientSecret": "hush"}
        """

    private func answerToken(_ status: Int = 200, _ body: String) -> Exchange {
        transport.answer(
            status, body, headers: [HeaderField(name: "Content-Type", value: "application/json")])
    }

    func testOAuthGetsItsFirstTokenBeforeTheFirstCallAndANewOneEarly() throws {
        let client = try client(auth: Self.oauth)
        try client.setAuthFunctions { functions in
            functions.persist = { [persisted] fields in
                persisted.update { $0.append(fields) }
            }
        }
        let calls = try (0..<3).map { _ in try client.send(.get("things")) }
        let request = answerToken(200, #"{"access_token": "a1", "expires_in": 100}"#)
        XCTAssertEqual(request.method, "POST")
        XCTAssertEqual(request.url, "http://api.test/v1/token")
        XCTAssertEqual(authorization(request), "Basic YXBwOmh1c2g=")
        guard case .bytes(let body) = request.body else { return XCTFail("no body") }
        XCTAssertEqual(String(decoding: body, as: UTF8.self), "grant_type=client_credentials")
        for call in calls {
            XCTAssertEqual(authorization(transport.answer(200)), "Bearer a1")
            _ = try call.wait(milliseconds: 0)
        }
        // The token is valid for 100 seconds, and is replaced 30 seconds before its end.
        clock.advance(milliseconds: 69_999)
        XCTAssertEqual(authorization(try sent(client)), "Bearer a1")
        clock.advance(milliseconds: 1)
        let late = try client.send(.get("things"))
        _ = answerToken(200, #"{"access_token": "a2"}"#)
        XCTAssertEqual(authorization(transport.answer(200)), "Bearer a2")
        _ = try late.wait(milliseconds: 0)
        XCTAssertEqual(persisted.withLock { $0.map(\.token) }, [Secret("a1"), Secret("a2")])
    }

    func testWhatACredentialStandsInIsMarkedToBeOverwritten() throws {
        let client = try client(
            auth: """
                {"scheme": "oauth2", "grant": "clientCredentials", "tokenURL": "token",
                 "clientID": "app", "clientSecret": "s3cret"}
                """)
        let call = try client.send(.get("things"))
        XCTAssertTrue(
            transport.answer(200, #"{"access_token": "t", "token_type": "Bearer"}"#)
                .holdsCredential)
        XCTAssertTrue(transport.answer(200).holdsCredential)
        _ = try call.wait(milliseconds: 0)
        let open = try client.send(.route("login"))
        XCTAssertFalse(transport.answer(200).holdsCredential)
        _ = try open.wait(milliseconds: 0)
        var spec = RequestSpec.get("things")
        spec.headers = [("authorization", "mine")]
        let own = try client.send(spec)
        XCTAssertTrue(transport.answer(200).holdsCredential)
        _ = try own.wait(milliseconds: 0)
    }

    func testRefreshTokensRotate() throws {
        let client = try client(
            auth: """
                {"scheme": "oauth2", "grant": "refreshToken", "tokenURL": "http://a.test/token",
                 "clientID": "app", "clientAuthentication": "body", "token": "a1",
                 "refreshToken": "r1"}
                """)
        for round in 1...3 {
            let call = try client.send(.get("things"))
            XCTAssertEqual(authorization(transport.answer(401)), "Bearer a\(round)")
            let request = answerToken(
                200,
                #"{"access_token": "a\#(round + 1)", "refresh_token": "r\#(round + 1)"}"#)
            guard case .bytes(let body) = request.body else { return XCTFail("no body") }
            XCTAssertEqual(
                String(decoding: body, as: UTF8.self),
                "grant_type=refresh_token&refresh_token=r\(round)&client_id=app")
            transport.answer(200)
            _ = try call.wait(milliseconds: 0)
        }
    }

    func testATokenThatCannotStandInAHeaderEndsTheRefreshAtOnceAndSaysSo() throws {
        for (field, title) in [("access_token", "access"), ("refresh_token", "refresh")] {
            let client = try client(auth: Self.oauth)
            let first = try client.send(.get("things"))
            let second = try client.send(.get("things"))
            let request = transport.next()
            while client.auth.waitingCount < 2 { sched_yield() }
            let fields = field == "access_token" ? "" : #""access_token": "good", "#
            request.answer(200, "{\(fields)\"\(field)\": \"hush\\r\\nX-Evil: 1\"}")
            for call in [first, second] {
                let failure = failure(of: call)
                XCTAssertEqual(failure?.reason, .auth)
                let message = failure?.message ?? ""
                XCTAssertTrue(message.contains("\(title) token that holds"), message)
                XCTAssertFalse(message.contains("hush"), message)
                XCTAssertEqual(failure?.attempts.map(\.httpStatus), [0], "it was never sent")
            }
            XCTAssertEqual(transport.waitingCount, 0)
            XCTAssertEqual(persisted.withLock(\.count), 0)
            clock.advance(milliseconds: 1_000)
            let third = try client.send(.get("things"))
            _ = answerToken(200, #"{"access_token": "a1"}"#)
            XCTAssertEqual(authorization(transport.answer(200)), "Bearer a1")
            _ = try third.wait(milliseconds: 0)
        }
    }

    func testARefusedTokenRequestIsRememberedAndATemporaryFailureIsNot() throws {
        let client = try client(auth: Self.oauth)
        let first = try client.send(.get("things"))
        transport.next().fail(.connect)
        XCTAssertTrue(failure(of: first)?.message.contains("cannot be reached") == true)
        clock.advance(milliseconds: 1_000)
        let second = try client.send(.get("things"))
        _ = answerToken(400, #"{"error": "invalid_client"}"#)
        XCTAssertTrue(failure(of: second)?.message.contains("invalid_client") == true)
        XCTAssertEqual(failure(of: try client.send(.get("things")))?.reason, .auth)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testATokenRequestThatTakesTooLongIsATemporaryFailure() throws {
        let client = try client(auth: Self.oauth)
        let first = try client.send(.get("things"))
        let request = transport.next()
        XCTAssertEqual(request.exchange.timeouts.totalMilliseconds, 30_000)
        // Nothing else watches it: only the transport reports that its time limit has passed.
        clock.advance(milliseconds: 30_000)
        XCTAssertFalse(first.isComplete)
        request.fail(.timedOut)
        XCTAssertEqual(failure(of: first)?.isRetryable, true)
        clock.advance(milliseconds: 1_000)
        let second = try client.send(.get("things"))
        _ = answerToken(200, #"{"access_token": "a1"}"#)
        XCTAssertEqual(authorization(transport.answer(200)), "Bearer a1")
        _ = try second.wait(milliseconds: 0)
    }

    func testATokenEndpointThatRedirectsGetsNoSecretAnywhereElse() throws {
        let client = try client(auth: Self.oauth)
        let call = try client.send(.get("things"))
        transport.answer(302, redirectURL: "http://evil.test/token")
        XCTAssertTrue(failure(of: call)?.message.contains("answered 302") == true)
        XCTAssertEqual(transport.waitingCount, 0)
    }
}

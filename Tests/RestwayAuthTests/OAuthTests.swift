import RestwayJSON
import RestwayText
import RestwayThreads
import XCTest

@testable import RestwayAuth
@testable import RestwayDocument

final class OAuthTests: XCTestCase {
    private func credential() -> Credential {
        var credential = Credential()
        credential.user = "the client"
        credential.password = Secret("s&cret")
        credential.refreshToken = Secret("r1")
        return credential
    }

    private func text(_ request: TokenRequest) -> String {
        String(decoding: request.body, as: UTF8.self)
    }

    func testClientCredentialsAreAskedForAsTheStandardSays() throws {
        var settings = OAuthSettings(grant: .clientCredentials, tokenURL: "https://a.test/token")
        settings.scope = "read write"
        settings.parameters = [Pair(name: "audience", value: "https://api.test/ü")]
        let request = try TokenRequest(settings, credential())
        XCTAssertEqual(
            text(request),
            "grant_type=client_credentials&scope=read+write"
                + "&audience=https%3A%2F%2Fapi.test%2F%C3%BC")
        XCTAssertEqual(request.basicCredentials, "the+client:s%26cret")
    }

    func testTheClientCanNameItselfInTheBody() throws {
        var settings = OAuthSettings(grant: .refreshToken, tokenURL: "https://a.test/token")
        settings.clientAuthentication = .body
        let request = try TokenRequest(settings, credential())
        XCTAssertEqual(
            text(request),
            "grant_type=refresh_token&refresh_token=r1&client_id=the+client&client_secret=s%26cret")
        XCTAssertNil(request.basicCredentials)
    }

    func testAPublicClientHasNoSecret() throws {
        var credential = credential()
        credential.password = nil
        let request = try TokenRequest(
            OAuthSettings(grant: .refreshToken, tokenURL: "https://a.test/token"), credential)
        XCTAssertNil(request.basicCredentials)
        XCTAssertTrue(text(request).hasSuffix("&client_id=the+client"))
    }

    func testWhatIsMissingIsSaid() {
        let settings = OAuthSettings(grant: .refreshToken, tokenURL: "https://a.test/token")
        XCTAssertThrowsError(try TokenRequest(settings, Credential()))
        let other = OAuthSettings(grant: .clientCredentials, tokenURL: "https://a.test/token")
        XCTAssertThrowsError(try TokenRequest(other, Credential()))
    }

    private func response(_ status: Int, _ body: String) -> Result<Credential, AuthFailure> {
        Result { () throws(AuthFailure) in
            try TokenResponse.credential(status: status, body: Array(body.utf8))
        }
    }

    func testATokenIsTakenWithItsLifeAndItsSuccessor() {
        var expected = Credential()
        expected.token = Secret("t2")
        expected.refreshToken = Secret("r2")
        expected.expiresInMilliseconds = 3_600_000
        XCTAssertEqual(
            response(
                200,
                """
                {"access_token": "t2", "token_type": "Bearer", "expires_in": 3600,
                 "refresh_token": "r2"}
                """), .success(expected))
        expected.refreshToken = nil
        expected.expiresInMilliseconds = 1_500
        XCTAssertEqual(
            response(200, #"{"access_token": "t2", "expires_in": "1.5"}"#), .success(expected))
    }

    func testARefreshTokenThatDidNotComeStands() {
        var new = Credential()
        new.token = Secret("t2")
        let updated = credential().updated(by: new)
        XCTAssertEqual(updated.refreshToken, Secret("r1"))
        XCTAssertEqual(updated.token, Secret("t2"))
        XCTAssertEqual(updated.user, "the client")
    }

    func testARefusalIsTellingAndFinal() {
        let answer = response(
            400, #"{"error": "invalid_grant", "error_description": "revoked\u0007"}"#)
        XCTAssertEqual(
            answer,
            .failure(
                .refused(
                    "the token endpoint answered 400 (invalid_grant): revoked?", isFinal: true)))
    }

    func testAServerInTroubleMayBeAskedAgain() {
        for status in [408, 425, 429, 500, 503] {
            let answer = response(status, "<html>")
            guard case .failure(.refused(_, isFinal: false, _)) = answer else {
                return XCTFail("\(status)")
            }
        }
        let busy = response(400, #"{"error": "temporarily_unavailable"}"#)
        guard case .failure(.refused(_, isFinal: false, _)) = busy else {
            return XCTFail("\(busy)")
        }
    }

    func testAnAnswerOfAnyShapeIsToleratedAndNotFinal() {
        for body in ["", "null", "[]", "{}", "\"t\"", #"{"access_token": 1}"#,
            #"{"access_token": ""}"#, #"{"access_token": "t", "token_type": "mac"}"#, "{",
        ] {
            guard case .failure(.refused(_, isFinal: false, _)) = response(200, body) else {
                return XCTFail(body)
            }
        }
    }

    func testARefusalWithStatus200IsTellingAndFinal() {
        let answer = response(
            200, #"{"error": "bad_refresh_token", "error_description": "It has expired."}"#)
        XCTAssertEqual(
            answer,
            .failure(
                .refused(
                    "the token endpoint answered 200 (bad_refresh_token): It has expired.",
                    isFinal: true)))
        let busy = response(200, #"{"error": "temporarily_unavailable"}"#)
        guard case .failure(.refused(_, isFinal: false, _)) = busy else {
            return XCTFail("\(busy)")
        }
        let token = response(200, #"{"access_token": "t2", "error": ""}"#)
        XCTAssertEqual(try? token.get().token, Secret("t2"))
    }

    func testALifetimeThatIsNoTimeIsNamedAndTheTokenIsUsed() throws {
        for text in ["1e30", "-1", "\"never\"", "true", "\"nan\"", "\"1e30\""] {
            let answer = response(200, #"{"access_token": "t2", "expires_in": \#(text)}"#)
            XCTAssertEqual(try answer.get().token, Secret("t2"), text)
            XCTAssertNil(try answer.get().expiresInMilliseconds, text)
        }
        let number = TokenResponse.problem(ofLifetime: try XCTUnwrap(.real(1e30)))
        XCTAssertTrue(number.contains("expires_in of the token endpoint's answer is 1e+30"), number)
        let text = TokenResponse.problem(ofLifetime: .string("t0k3n"))
        XCTAssertFalse(text.contains("t0k3n"), text)
    }
}

import RestwayHTTP
import RestwayRouting
import XCTest

@testable import RestwayDocument

/// What a client takes from the environment whose base URL it replaces.
final class ClientEnvironmentTests: XCTestCase {
    private func chosen(
        _ name: String? = nil, baseURL: String?, in document: String = ClientEnvironmentTests.one
    ) throws -> ClientEnvironment {
        let api = try TestAPI.load(document)
        return try ClientEnvironment(api.definition, name: name, baseURL: baseURL)
    }

    private static let one = """
        {"restway": 1, "headers": {"X-Document": "d", "Accept-Language": "de"},
         "redirectHeaders": ["X-Harmless"],
         "auth": {"scheme": "bearer", "token": "secret"},
         "environments": {"live": {
           "baseURL": "https://api.example/v2", "headers": {"X-Live": "l", "X-Harmless": "h"},
           "timeoutMilliseconds": 1234, "trustedOrigins": ["https://cdn.example"],
           "tls": {"caFile": "/ca.pem", "certificateFile": "/me.pem", "keyFile": "/me.key"},
           "proxy": "http://proxy.example:3128", "httpVersion": "1.1", "cookieFile": "/c.txt",
           "hstsFile": "/h.txt"}}}
        """

    private func names(_ chosen: ClientEnvironment) -> [String] {
        chosen.environment.headers.map(\.name)
    }

    private static let all = ["X-Document", "Accept-Language", "X-Live", "X-Harmless"]

    func testEverythingStaysWithABaseURLOfTheSameOrATrustedOrigin() throws {
        for url in [
            nil, "https://api.example/v2", "https://api.example:443/v3/", "https://cdn.example/x",
        ] {
            for name in [nil, "live"] {
                let chosen = try chosen(name, baseURL: url)
                let expected = try url.map { try BaseURL($0).text } ?? "https://api.example/v2"
                XCTAssertEqual(chosen.environment.baseURL.text, expected)
                XCTAssertEqual(chosen.environment.name, "live")
                XCTAssertEqual(chosen.environment.timeouts.totalMilliseconds, 1_234)
                XCTAssertEqual(names(chosen), Self.all)
                XCTAssertEqual(chosen.network.tls?.caFile, "/ca.pem")
                XCTAssertEqual(chosen.network.tls?.certificateFile, "/me.pem")
                XCTAssertEqual(chosen.auth.credential.token?.revealed, "secret")
                XCTAssertNil(chosen.note)
            }
        }
    }

    func testAnotherOriginGetsNeitherHeadersNorCertificateNorCredential() throws {
        for name in [nil, "live"] {
            let chosen = try chosen(name, baseURL: "https://test.example:8443/v2")
            XCTAssertEqual(chosen.environment.timeouts.totalMilliseconds, 1_234)
            XCTAssertEqual(names(chosen), ["Accept-Language", "X-Harmless"])
            XCTAssertEqual(chosen.auth.scheme, .bearer)
            XCTAssertNil(chosen.auth.credential.token)
            let network = chosen.network
            XCTAssertEqual(network.tls?.caFile, "/ca.pem")
            XCTAssertNil(network.tls?.certificateFile)
            XCTAssertNil(network.tls?.keyFile)
            let own = try Origin(url: "https://api.example")
            XCTAssertEqual(network.tls(for: own).certificateFile, "/me.pem")
            XCTAssertEqual(network.proxy, .proxy(try Proxy(url: "http://proxy.example:3128")))
            XCTAssertEqual(network.httpVersion, .http11)
            XCTAssertEqual(network.cookieFile, "/c.txt")
            XCTAssertEqual(network.hstsFile, "/h.txt")
            let note = try XCTUnwrap(chosen.note)
            for part in [
                "https://test.example:8443/v2", "header X-Document", "header X-Live",
                "certificate", "credential",
            ] {
                XCTAssertTrue(note.contains(part), note)
            }
            for part in ["secret", "X-Harmless", "Accept-Language"] {
                XCTAssertFalse(note.contains(part), note)
            }
        }
    }

    func testASocketStays() throws {
        let document = #"{"restway": 1, "environments": {"a": {"baseURL": "http://a.example", "#
            + #""unixSocket": "/run/a.sock"}}}"#
        let chosen = try chosen(baseURL: "http://b.example", in: document)
        XCTAssertEqual(chosen.network.unixSocket?.path, "/run/a.sock")
        XCTAssertNil(chosen.note, "nothing was left out")
    }

    func testTheSettingsOfEnvironmentsThatAreNotChosenDoNotApplyAndThatIsSaid() throws {
        let document = """
            {"restway": 1, "headers": {"X-Document": "d"},
             "environments": {"a": {"baseURL": "http://a.example", "headers": {"X-A": "1"}},
                              "b": {"baseURL": "http://b.example"}}}
            """
        let other = try chosen(baseURL: "http://c.example", in: document)
        XCTAssertEqual(names(other), [])
        XCTAssertTrue(other.note?.contains("no environment is chosen") ?? false)
        let own = try chosen(baseURL: "http://b.example/v2", in: document)
        XCTAssertEqual(names(own), ["X-Document"])
        XCTAssertThrowsError(try chosen("c", baseURL: "http://c.example", in: document))
        XCTAssertThrowsError(try chosen(baseURL: nil, in: document))
    }

    func testADocumentWithoutEnvironmentsBindsNothing() throws {
        let document = #"{"restway": 1, "headers": {"X-Document": "d"}, "#
            + #""auth": {"scheme": "bearer", "token": "secret"}}"#
        let chosen = try chosen(baseURL: "http://c.example", in: document)
        XCTAssertEqual(names(chosen), ["X-Document"])
        XCTAssertEqual(chosen.auth.credential.token?.revealed, "secret")
        XCTAssertNil(chosen.note)
    }
}

import Glibc
import LoopbackServer
import RestwayCurl
import RestwayHTTP
import XCTest

/// Proxies from the environment variables.
final class ProxyTests: CurlTransportTestCase {
    /// No process listens there, and the proxy must not be used.
    private static let elsewhere = "http://127.0.0.1:9/thing"

    private static let names = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy",
        "NO_PROXY",
    ]
    /// The environment of the tests.
    private var before: [String: String] = [:]

    override func setUp() {
        for name in Self.names {
            before[name] = getenv(name).map { String(cString: $0) }
            unsetenv(name)
        }
        super.setUp()
    }

    override func tearDown() {
        for name in Self.names {
            unsetenv(name)
            if let value = before[name] { setenv(name, value, 1) }
        }
        super.tearDown()
    }

    private func proxy() throws -> TestServer {
        try TestServer.answering { response("for \($0.path)") }
    }

    private func answer(_ url: String) -> String? {
        let transport = CurlTransport()
        defer { transport.close() }
        return perform(Exchange(method: "GET", url: url), on: transport).text
    }

    func testTheProxyOfTheEnvironmentIsAsked() throws {
        let server = try proxy()
        setenv("http_proxy", server.url(""), 1)
        XCTAssertEqual(answer(Self.elsewhere), "for \(Self.elsewhere)")
    }

    func testHostsWithoutProxyAreAskedThemselves() throws {
        let server = try proxy()
        setenv("http_proxy", "http://127.0.0.1:9", 1)
        setenv("no_proxy", "127.0.0.1", 1)
        XCTAssertEqual(answer(server.url("/thing")), "for /thing")
    }

    func testAProxyThatIsNamedLaterIsNotAsked() throws {
        let server = try proxy()
        let before = CurlTransport()
        defer { before.close() }
        setenv("http_proxy", "http://127.0.0.1:9", 1)
        let record = perform(Exchange(method: "GET", url: server.url("/thing")), on: before)
        XCTAssertEqual(record.text, "for /thing")
    }
}

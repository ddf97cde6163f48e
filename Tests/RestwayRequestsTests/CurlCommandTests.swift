import RestwayHTTP
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayRequests

/// Tests the words of a curl command.
final class CurlCommandTests: XCTestCase {
    func testAMethodIsOneWordOfTheShell() {
        func text(_ method: String) -> String {
            CurlCommand(
                exchange: Exchange(method: method, url: "http://a.test"), redaction: nil,
                network: NetworkSettings()
            ).text
        }
        XCTAssertTrue(text("M-SEARCH").contains(" --request M-SEARCH "))
        XCTAssertTrue(text("it's|`$*").contains(" --request 'it'\\''s|`$*' "))
    }

    func testNetworkSettingsAreShownWithoutPasswords() throws {
        var network = NetworkSettings()
        var tls = TLSSettings()
        tls.caFile = "/a/ca.pem"
        tls.certificateFile = "/a/it's.p12"
        tls.isPKCS12 = true
        tls.password = Secret("hush")
        tls.minimumVersion = .tls13
        tls.isVerifying = false
        network.tls = tls
        var own = TLSSettings()
        own.caFolder = "/a/folder"
        network.tlsByOrigin[try Origin(url: "https://own.test")] = own
        var proxy = try Proxy(url: "http://127.0.0.1:3128")
        proxy.user = "hush"
        proxy.password = Secret("hush")
        proxy.exceptions = "localhost"
        network.proxy = .proxy(proxy)
        network.localInterface = "lo"
        try network.names.add(address: "own.test:443:127.0.0.1")
        network.names.family = .ip4
        network.httpVersion = .http2
        func words(_ url: String) -> String {
            CurlCommand(
                exchange: Exchange(method: "GET", url: url), redaction: nil, network: network
            ).text
        }
        let common =
            "--proxy 'http://127.0.0.1:3128' --noproxy 'localhost' --interface 'lo' "
            + "--resolve 'own.test:443:127.0.0.1' --ipv4 "
        let secure = words("https://other.test/x")
        XCTAssertTrue(
            secure.contains(
                #" --cacert '/a/ca.pem' --cert '/a/it'\''s.p12' --cert-type 'P12' --tlsv1.3 "#
                    + "--insecure \(common)--http2 "), secure)
        XCTAssertTrue(
            words("https://own.test/x").contains(
                " --capath '/a/folder' --tlsv1.2 \(common)--http2 "), words("https://own.test/x"))
        let plain = words("http://other.test/x")
        XCTAssertTrue(
            plain.hasPrefix("curl --globoff --path-as-is \(common)--http2-prior-knowledge "), plain)
        XCTAssertFalse((secure + plain).contains("hush"))
        network.proxy = .direct
        XCTAssertTrue(words("http://other.test/x").contains(" --noproxy '*' "))
        network.proxy = nil
        network.unixSocket = try UnixSocket("@api")
        XCTAssertTrue(words("http://other.test/x").contains(" --abstract-unix-socket 'api' "))
    }
}

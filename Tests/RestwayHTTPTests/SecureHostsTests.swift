import RestwayHTTP
import XCTest

final class SecureHostsTests: XCTestCase {
    private let url = "https://api.example.com/v2"

    private func hosts(_ header: String, now: Int64 = 0) -> SecureHosts {
        var hosts = SecureHosts()
        _ = hosts.learn(header, from: url, now: now)
        return hosts
    }

    func testAHostThatAsksForItIsReachedOverTLS() {
        let hosts = hosts("max-age=100", now: 1_000)
        XCTAssertEqual(
            hosts.secured("http://API.example.com/a?b", now: 1_099), "https://API.example.com/a?b")
        XCTAssertEqual(
            hosts.secured("http://api.example.com.:80", now: 1_000), "https://api.example.com.")
        XCTAssertEqual(
            hosts.secured("http://api.example.com:8080/", now: 1_000),
            "https://api.example.com:8080/")
        XCTAssertNil(hosts.secured("http://api.example.com/", now: 1_100))
        XCTAssertNil(hosts.secured("https://api.example.com/", now: 1_000))
        XCTAssertNil(hosts.secured("http://www.api.example.com/", now: 1_000))
        XCTAssertNil(hosts.secured("http://example.com/", now: 1_000))
    }

    func testSubdomainsCountIfTheHeaderSaysSo() {
        let hosts = hosts("max-age=100; includeSubDomains")
        XCTAssertNotNil(hosts.secured("http://a.b.api.example.com/", now: 1))
        XCTAssertNil(hosts.secured("http://xapi.example.com/", now: 1))
    }

    func testHeadersAreReadAsTheRFCSays() {
        for header in [
            "max-age=1", " Max-Age = \"1\" ;; x=y", "includeSubDomains; max-age=1; preload",
            "max-age=99999999999999999999",
        ] {
            XCTAssertNotNil(hosts(header).secured("http://api.example.com/", now: 0), header)
        }
        for header in [
            "", "max-age", "max-age=", "max-age=-1", "max-age=x", "max-age=1; max-age=1",
            "includeSubDomains", "max-age=0",
        ] {
            XCTAssertNil(hosts(header).secured("http://api.example.com/", now: 0), header)
        }
    }

    func testAnAgeOfZeroForgetsTheHost() {
        var hosts = hosts("max-age=100")
        XCTAssertFalse(hosts.learn("max-age=100", from: url, now: 0))
        XCTAssertTrue(hosts.learn("max-age=0", from: url, now: 0))
        XCTAssertNil(hosts.secured("http://api.example.com/", now: 0))
    }

    func testAddressesAreIgnored() {
        var hosts = SecureHosts()
        for url in ["https://127.0.0.1/", "https://[::1]/"] {
            XCTAssertFalse(hosts.learn("max-age=100", from: url, now: 0))
        }
    }

    func testAFileIsReadAsItIsWritten() throws {
        var hosts = hosts("max-age=100; includeSubDomains", now: 1_700_000_000)
        _ = hosts.learn("max-age=99999999999999", from: "https://example.org", now: 1_700_000_000)
        let text = hosts.file(now: 1_700_000_000)
        XCTAssertTrue(
            text.hasSuffix(
                "\n.api.example.com \"20231114 22:15:00\"\nexample.org \"unlimited\"\n"), text)
        XCTAssertEqual(try SecureHosts(file: text), hosts)
        XCTAssertEqual(try SecureHosts(file: ""), SecureHosts())
        XCTAssertEqual(
            hosts.file(now: 1_700_000_100),
            text.split(separator: "\n").filter { !$0.hasPrefix(".api") }.joined(separator: "\n")
                + "\n", "the time of one host has passed")
    }

    func testAnErrorOfAFileNamesTheLine() {
        for line in [
            "hunter2", "example.com soon", "example.com \"soon\"", ". \"unlimited\"",
            "example.com \"20231114 22:15:00x\"",
        ] {
            XCTAssertThrowsError(try SecureHosts(file: "# x\n\(line)")) { error in
                XCTAssertEqual((error as? StateFileError)?.message, "line 2 is no host of HSTS")
            }
        }
    }
}

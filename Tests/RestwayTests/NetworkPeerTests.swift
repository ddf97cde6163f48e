import Foundation
import Restway
import XCTest

/// Sockets, names, versions of HTTP and remembered hosts, with nginx and a server of names. nginx
/// says who connects, and in which version of HTTP a request came.
final class NetworkPeerTests: ServerTestCase {
    private func peers() throws -> FaultPeers.Network { try servers().network }

    private func client(
        at url: String, _ change: (inout Client.Options.Network) throws -> Void = { _ in }
    ) throws -> Client {
        try client(url, trusting: false) {
            $0.timeouts.total = .seconds(60)
            try change(&$0.network)
        }
    }

    /// The TLS settings of a client with a certificate, which nginx asks for.
    private func tls() throws -> Client.Options.TLS {
        let (peers, authority) = (try peers(), try servers().nginx.authority)
        return .init(caFile: authority, certificateFile: peers.certificate, keyFile: peers.key)
    }

    // MARK: Sockets

    func testASocketTakesThePlaceOfTheHost() async throws {
        let peers = try peers()
        let client = try client(at: "http://api.example") { $0.unixSocket = peers.unixSocket }
        let response = try await client.get("good")
        XCTAssertEqual(response.headers["X-Peer"], "unix:")
        try await expectHealth(of: client)
        let other = try self.client(at: peers.url) { $0.unixSocket = peers.unixSocket + "-none" }
        let error = try await failure { () throws(RestwayError) in try await other.get("good") }
        XCTAssertEqual(error.kind, .connect, "the socket stands in for a host that is there")
    }

    func testConnectionsAreMadeFromAnAddressOfThisMachine() async throws {
        let peers = try peers()
        for (address, peer) in [("127.0.0.2", "127.0.0.2"), (nil, "127.0.0.1")] {
            let client = try client(at: peers.url) { $0.localInterface = address }
            let response = try await client.get("good")
            XCTAssertEqual(response.headers["X-Peer"], peer)
        }
    }

    // MARK: Names

    func testNamesAreLookedUpOverHTTPS() async throws {
        let peers = try peers()
        let port = try XCTUnwrap(URL(string: peers.url)?.port)
        let client = try client(at: "http://api.example:\(port)") {
            $0.dohURL = peers.dohURL
            $0.tls = try tls()
        }
        // Only the server of names knows this name.
        let response = try await client.get("good")
        XCTAssertEqual(response.headers["X-Peer"], "127.0.0.1")
        try await expectHealth(of: client)
    }

    // MARK: Versions of HTTP

    func testHTTP2WithoutTLSIsUsedIfTheProgramSaysSo() async throws {
        let peers = try peers()
        let client = try client(at: peers.http2URL) { $0.httpVersion = .http2 }
        let response = try await client.get("good")
        XCTAssertEqual(response.httpVersion, "2")
        XCTAssertEqual(response.headers["X-Protocol"], "HTTP/2.0")
        try await expectHealth(of: client)
        for version in [nil, Client.Options.HTTPVersion.http11] {
            let older = try self.client(at: peers.http2URL) { $0.httpVersion = version }
            let error = try await failure { () throws(RestwayError) in
                try await older.get("good")
            }
            XCTAssertEqual(error.kind, .protocolViolation, "this server knows HTTP/2 alone")
        }
    }

    func testAServerWithoutHTTP2IsAnErrorIfItIsAskedFor() async throws {
        let client = try client(at: peers().url) { $0.httpVersion = .http2 }
        let error = try await failure { () throws(RestwayError) in try await client.get("good") }
        XCTAssertNil(error.httpStatus)
        XCTAssertTrue([.protocolViolation, .connectionLost].contains(error.kind), error.message)
    }

    func testTheVersionOverTLSIsTheProgramsChoice() async throws {
        let url = "https://127.0.0.1:\(try peers().securePort)"
        for (version, used) in [
            (nil, "2"), (Client.Options.HTTPVersion.http2, "2"), (.http11, "1.1"),
        ] {
            let client = try client(at: url) {
                $0.httpVersion = version
                $0.tls = try tls()
            }
            let response = try await client.get("good")
            XCTAssertEqual(response.httpVersion, used)
            XCTAssertEqual(response.headers["X-Protocol"], used == "2" ? "HTTP/2.0" : "HTTP/1.1")
        }
    }

    /// The libcurl of Debian has no HTTP/3. A client that ignored the choice could be made.
    func testHTTP3NeedsALibcurlThatHasIt() throws {
        XCTAssertThrowsError(
            try client(at: "https://127.0.0.1:9") { $0.httpVersion = .http3 }
        ) { error in
            let error = error as? RestwayError
            XCTAssertEqual(error?.kind, .config)
            XCTAssertTrue(error?.message.contains("HTTP/3") == true, "\(error?.message ?? "")")
        }
    }

    // MARK: Remembered hosts

    func testAHostIsRememberedInAFileAndReachedOverTLS() async throws {
        let file = try temporaryFile("hsts.txt")
        let place = "localhost:\(try peers().securePort)"
        func client(_ scheme: String, _ file: String?) throws -> Client {
            try self.client(at: "\(scheme)://\(place)") {
                $0.hstsFile = file
                $0.tls = try tls()
            }
        }
        // The server refuses a request without TLS.
        for file in [nil, file] {
            let unaware = try client("http", file)
            let error = try await failure { () throws(RestwayError) in
                try await unaware.get("good")
            }
            XCTAssertEqual(error.httpStatus, 400)
            unaware.close()
        }
        let learning = try client("https", file)
        let header = try await learning.get("good").headers["Strict-Transport-Security"]
        XCTAssertEqual(header, "max-age=3600")
        // A worker writes the file.
        let deadline = ContinuousClock.now + .seconds(20)
        while try !String(contentsOfFile: file, encoding: .utf8).contains("\nlocalhost \""),
            ContinuousClock.now < deadline
        {
            await Task.yield()
        }
        learning.close()
        let aware = try client("http", file)
        let response = try await aware.get("good")
        XCTAssertEqual(response.url, "https://\(place)/good")
        XCTAssertEqual(response.headers["X-Client"], "CN=client")
        let forgetful = try client("http", nil)
        let error = try await failure { () throws(RestwayError) in
            try await forgetful.get("good")
        }
        XCTAssertEqual(error.httpStatus, 400)
    }
}

import Foundation
import LoopbackServer
import Restway
import XCTest

/// How a client connects: proxies, addresses, sockets, and the checks of these settings.
final class NetworkTests: DemoTestCase {
    private static let answer =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"

    private func server() throws -> TestServer { try .answering { _ in Self.answer } }

    private func client(
        to url: String, _ environment: [String: JSON] = [:],
        _ change: (inout Client.Options.Network) -> Void = { _ in }
    ) throws -> Client {
        var options = Client.Options()
        change(&options.network)
        let environment = environment.merging(["baseURL": JSON(url)]) { first, _ in first }
        let document: JSON = ["restway": 1, "environments": ["here": .object(environment)]]
        return try ending(Client(API(document: document), options: options))
    }

    private func refusal(
        _ change: (inout Client.Options.Network) -> Void
    ) async throws -> RestwayError {
        try await failure { () throws(RestwayError) in
            var options = Client.Options(baseURL: "http://127.0.0.1:9")
            change(&options.network)
            return try ending(Client(API(document: ["restway": 1]), options: options))
        }
    }

    // MARK: Proxies

    func testAProxyIsAskedWithItsCredentials() async throws {
        let server = try server()
        let client = try client(to: "http://api.example") {
            $0.proxy = .server(.init(server.url(""), user: "me", password: "secret"))
        }
        try await client.get("thing")
        let request = try XCTUnwrap(server.requests.last)
        XCTAssertEqual(request.path, "http://api.example/thing")
        let credentials = Data("me:secret".utf8).base64EncodedString()
        XCTAssertEqual(request.header("Proxy-Authorization"), "Basic \(credentials)")
    }

    func testExceptionsAndADirectChoiceUseNoProxy() async throws {
        let server = try server()
        var proxy = Client.Options.Proxy("http://127.0.0.1:9", password: "hidden")
        XCTAssertFalse("\(proxy)".contains("hidden"))
        proxy.exceptions = ["example.com", "127.0.0.1"]
        try await client(to: server.url("")) { $0.proxy = .server(proxy) }.get("thing")
        let document: [String: JSON] = ["proxy": "http://127.0.0.1:9"]
        try await client(to: server.url(""), document) { $0.proxy = .direct }.get("thing")
        XCTAssertEqual(server.requests.map(\.path), ["/thing", "/thing"])
        let lost = try client(to: server.url(""), document)
        let error = try await failure { () throws(RestwayError) in try await lost.get("thing") }
        XCTAssertEqual(error.kind, .connect)
    }

    func testAProxyWithCredentialsInItsURLIsRefused() async throws {
        let error = try await refusal { $0.proxy = .server(.init("http://me:secret@here:1")) }
        XCTAssertEqual(error.kind, .config)
        XCTAssertFalse(error.message.contains("secret"))
    }

    // MARK: Places

    func testAddressesReplaceTheLookUp() async throws {
        let server = try server()
        let url = "http://api.example:\(server.port)"
        let client = try client(to: url) { $0.addresses = ["api.example:\(server.port):127.0.0.1"] }
        let response = try await client.get("thing")
        XCTAssertEqual(try response.text(), "ok")
        let error = try await refusal { $0.addresses = ["api.example:80:elsewhere"] }
        XCTAssertEqual(error.kind, .config)
    }

    func testASocketAndAProxyExcludeEachOther() async throws {
        let both = try await refusal {
            $0.unixSocket = "/nowhere/api.sock"
            $0.proxy = .server(.init("http://127.0.0.1:9"))
        }
        XCTAssertEqual(both.kind, .invalidArgument)
        XCTAssertEqual(both.field, "options.network.unixSocket")
    }

    func testAnInterfaceThatIsNotThereIsAnError() async throws {
        let server = try server()
        let client = try client(to: server.url("")) { $0.localInterface = "nowhere0" }
        let error = try await failure { () throws(RestwayError) in try await client.get("thing") }
        XCTAssertEqual(error.kind, .connect)
        let empty = try await refusal { $0.localInterface = "" }
        XCTAssertEqual(empty.kind, .invalidArgument)
    }

    func testALookUpOverHTTPSNeedsHTTPS() async throws {
        let server = try TestServer { _ in }
        let client = try client(to: "http://api.example") {
            $0.dohURL = "https://127.0.0.1:\(server.port)/dns-query"
        }
        let error = try await failure { () throws(RestwayError) in try await client.get("thing") }
        XCTAssertEqual(error.kind, .resolve)
        XCTAssertGreaterThan(server.connectionCount, 0)
        let plain = try await refusal { $0.dohURL = "http://127.0.0.1:9" }
        XCTAssertEqual(plain.kind, .config)
    }

    func testTheVersionOfAddressesIsKept() async throws {
        let server = try server()
        try await client(to: server.url("")) {
            $0.ipVersion = .ip4
            $0.happyEyeballs = .milliseconds(50)
        }.get("thing")
        let client = try client(to: "http://localhost:\(server.port)") {
            $0.ipVersion = .ip6
        }
        let error = try await failure { () throws(RestwayError) in try await client.get("thing") }
        XCTAssertTrue([.connect, .resolve].contains(error.kind), error.message)
        let long = try await refusal { $0.happyEyeballs = .seconds(61) }
        XCTAssertEqual(long.field, "options.network.happyEyeballs")
    }

    func testACallFailsAtOnceWhileTheServerCannotBeReached() async throws {
        let server = try server()
        let client = try client(to: server.url("")) { $0.failsWhenUnreachable = true }
        try client.setReachability(.unreachable)
        let error = try await failure { () throws(RestwayError) in try await client.get("thing") }
        XCTAssertEqual(error.kind, .connect)
        XCTAssertEqual(server.connectionCount, 0)
        try client.setReachability(.reachable)
        try await client.get("thing")
    }

    // MARK: Answers

    func testRedirectsCanBeAnswers() async throws {
        let server = try TestServer.answering { _ in
            "HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"
        }
        var options = Client.Options(baseURL: server.url(""))
        options.answers.followRedirects = false
        let client = try ending(Client(API(document: ["restway": 1]), options: options))
        let error = try await failure { () throws(RestwayError) in try await client.get("thing") }
        XCTAssertEqual(error.httpStatus, 302)
        XCTAssertEqual(server.requests.map(\.path), ["/thing"])
    }

    func testNestingAndSavedBodiesHaveLimits() async throws {
        let body = "[[[[1]]]]"
        let server = try TestServer.answering { _ in
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        var options = Client.Options(baseURL: server.url(""))
        options.limits.nestingDepth = 3
        options.limits.savedBytes = 5
        let document: JSON = [
            "restway": 1, "entities": ["Thing": [:]],
            "routes": ["thing": ["path": "thing", "response": ["entity": "Thing"]]],
        ]
        let client = try ending(Client(API(document: document), options: options))
        let deep = try await failure { () throws(RestwayError) in
            try await client.get(.route("thing"))
        }
        XCTAssertEqual(deep.kind, .mapping)
        let path = try temporaryFile("saved")
        let large = try await failure { () throws(RestwayError) in
            try await client.download("thing", to: path)
        }
        XCTAssertEqual(large.kind, .tooLarge)
        options.limits.nestingDepth = 4_000
        XCTAssertThrowsError(try Client(API(document: document), options: options))
    }

    // MARK: Time limits

    func testAPhaseOfOneRequestHasALimit() async throws {
        let server = try TestServer.silent()
        let client = try client(to: server.url(""))
        var request = Request(.get, "thing")
        request.timeouts.firstByte = .milliseconds(20)
        let chosen = request
        let error = try await failure { () throws(RestwayError) in try await client.send(chosen) }
        XCTAssertEqual(error.kind, .timedOut)
        XCTAssertTrue(error.message.contains("20 ms"), error.message)
    }

    // MARK: Cookies and rates

    func testCookiesAreListedSetAndCleared() async throws {
        let server = try TestServer.answering { _ in
            Self.answer.replacingOccurrences(
                of: "Content-Type", with: "Set-Cookie: seen=1; Path=/\r\nContent-Type")
        }
        let file = try temporaryFile("cookies.txt")
        let client = try client(to: server.url("")) { $0.cookieFile = file }
        try client.cookies.set("session", "abc", isHTTPOnly: true)
        try await client.get("thing")
        XCTAssertEqual(server.requests.last?.header("Cookie"), "session=abc")
        let cookies = try client.cookies.list(url: server.url(""))
        XCTAssertEqual(Set(cookies.map(\.name)), ["seen", "session"])
        let session = try XCTUnwrap(cookies.first { $0.name == "session" })
        XCTAssertEqual(session.domain, "127.0.0.1")
        XCTAssertTrue(session.isHTTPOnly)
        XCTAssertNil(session.expires)
        XCTAssertFalse("\(session)".contains("abc"))
        try client.cookies.set(
            "other", "1", domain: "example.com", path: "/a",
            expires: Date(timeIntervalSince1970: 4_000_000_000), includesSubdomains: true,
            isSecure: true)
        let other = try XCTUnwrap(client.cookies.list(url: "https://www.example.com/a/b").first)
        XCTAssertEqual(other.expires, Date(timeIntervalSince1970: 4_000_000_000))
        XCTAssertTrue(other.isSecure && other.includesSubdomains)
        XCTAssertEqual(try client.cookies.clear(name: "seen"), 1)
        XCTAssertEqual(try client.cookies.clear(), 2)
        XCTAssertEqual(try client.cookies.list(), [])
        let wrong = try await failure { () throws(RestwayError) in
            try client.cookies.set("a;b", "1")
        }
        XCTAssertEqual(wrong.kind, .invalidArgument)
        XCTAssertTrue(FileManager.default.fileExists(atPath: file))
    }

    func testAClientWithoutCookiesHasNone() async throws {
        var options = Client.Options(baseURL: "http://127.0.0.1:9")
        options.keepsCookies = false
        let client = try ending(Client(API(document: ["restway": 1]), options: options))
        let error = try await failure { () throws(RestwayError) in try client.cookies.list() }
        XCTAssertEqual(error.kind, .invalidArgument)
    }

    func testTheRateThatAServerStatesIsKnown() async throws {
        let server = try TestServer.answering { _ in
            Self.answer.replacingOccurrences(
                of: "Content-Type",
                with: "RateLimit-Limit: 60\r\nRateLimit-Remaining: 41\r\nRateLimit-Reset: 30\r\n"
                    + "Content-Type")
        }
        let client = try client(to: server.url(""))
        try client.calls.setRate(["requests": 100, "headers": true])
        XCTAssertNil(try client.calls.rate().limit)
        try await client.get("thing")
        let rate = try client.calls.rate(of: server.url("/any"))
        XCTAssertEqual(rate.limit, 60)
        XCTAssertEqual(rate.remaining, 41)
        XCTAssertEqual(rate.underWay, 0)
        XCTAssertEqual(rate.waiting, 0)
        XCTAssertNotNil(rate.reset)
        let wrong = try await failure { () throws(RestwayError) in
            try client.calls.rate(of: "nowhere")
        }
        XCTAssertEqual(wrong.kind, .invalidURL)
    }
}

/// TLS settings of a program, with nginx as the server.
final class TLSTests: ServerTestCase {
    private func client(
        _ change: (inout Client.Options.Network) throws -> Void
    ) throws -> Client {
        try client(try servers().nginx.secureURL, trusting: false) { try change(&$0.network) }
    }

    func testAnAuthorityOfTheProgramIsTrusted() async throws {
        let authority = try servers().nginx.authority
        let client = try client {
            $0.tls = .init(caFile: authority)
        }
        let response = try await client.get("good")
        XCTAssertEqual(response.httpVersion, "2")
        let newer = try self.client {
            $0.tls = .init(caFile: authority, minimumVersion: .tls13)
        }
        let error = try await failure { () throws(RestwayError) in try await newer.get("good") }
        XCTAssertEqual(error.kind, .tls)
    }

    func testAFolderOfAuthoritiesIsTrusted() async throws {
        let folder = try temporaryFile("authorities")
        let authority = try servers().nginx.authority
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: authority, toPath: "\(folder)/authority.pem")
        // OpenSSL finds a certificate by a name that it has not got yet.
        for (isPrepared, kind) in [(false, RestwayError.Kind.tls), (true, nil)] {
            if isPrepared { XCTAssertTrue(PeerProcess.run(["openssl", "rehash", folder])) }
            let client = try client {
                $0.tls = .init()
                $0.tls?.caFolder = folder
            }
            let outcome = await Self.outcome { () throws(RestwayError) in
                try await client.get("good")
            }
            if case .failure(let error) = outcome {
                XCTAssertEqual(error.kind, kind, error.message)
            } else {
                XCTAssertNil(kind)
            }
        }
    }

    func testTheSettingsOfAnOriginReplaceTheOthers() async throws {
        let servers = try servers()
        let client = try client {
            $0.tls = .init()
            $0.tlsByOrigin = [servers.nginx.secureURL: .init(caFile: servers.nginx.authority)]
            $0.httpVersion = .http11
        }
        let response = try await client.get("good")
        XCTAssertEqual(response.httpVersion, "1.1")
    }

    func testACertificateIsNotCheckedWhereTheProgramSaysSo() async throws {
        let client = try client {
            $0.tls = .init()
            $0.tls?.insecureNoVerification = true
        }
        let response = try await client.get("good")
        XCTAssertEqual(response.status, 200)
    }

    func testAnotherPublicKeyIsRefused() async throws {
        let authority = try servers().nginx.authority
        let client = try client {
            $0.tls = .init(caFile: authority)
            $0.tls?.pinnedPublicKey = "sha256//" + Data(count: 32).base64EncodedString()
        }
        let error = try await failure { () throws(RestwayError) in try await client.get("good") }
        XCTAssertEqual(error.kind, .tls)
    }

    func testSettingsThatCannotBeUsedAreRefused() throws {
        let tls = Client.Options.TLS(certificateFile: "/nowhere/me.p12", password: "hidden")
        XCTAssertFalse("\(tls)".contains("hidden"))
        for change: (inout Client.Options.Network) -> Void in [
            { $0.tls = tls },
            { $0.tls = .init(caFile: "/nowhere/authority.pem") },
            {
                $0.tls = .init()
                $0.tls?.pinnedPublicKey = "key"
            },
        ] {
            XCTAssertThrowsError(try client(change)) { error in
                XCTAssertEqual((error as? RestwayError)?.kind, .config)
            }
        }
        XCTAssertThrowsError(try client { $0.tlsByOrigin = ["https://a.example/v2": .init()] }) {
            XCTAssertEqual(($0 as? RestwayError)?.kind, .invalidArgument)
        }
    }
}

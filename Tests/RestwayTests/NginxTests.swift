import Foundation
import Restway
import XCTest

/// Calls to nginx, a server that many programs meet: kept connections, codings, conditions, ranges,
/// limits, proxied origins, and HTTP/2 over TLS.
final class NginxTests: ServerTestCase {
    private static let largeBytes = 24 << 20
    /// nginx ends a connection after 7 requests, and one of HTTP/2 after 200.
    private static let load = 500

    private func client(_ change: (inout Client.Options) -> Void = { _ in }) throws -> Client {
        try client(try servers().nginx.url) {
            $0.timeouts.total = .seconds(60)
            change(&$0)
        }
    }

    private func secureClient(trusting isTrusting: Bool = true) throws -> Client {
        try client(try servers().nginx.secureURL, trusting: isTrusting) {
            $0.timeouts.total = .seconds(60)
        }
    }

    private func content(of file: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: "\(try servers().nginx.files)/\(file)"))
    }

    private func get(
        _ client: Client, _ path: String, _ headers: Headers
    ) async throws -> Response {
        try await client.get(.path(path), headers: headers)
    }

    // MARK: Connections

    func testRequestsAllSucceedWhileTheServerEndsConnections() async throws {
        try await expectManyAnswers(client())
    }

    func testHTTP2RequestsAllSucceedWhileTheServerGoesAway() async throws {
        try await expectManyAnswers(secureClient())
    }

    private func expectManyAnswers(_ client: Client) async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<Self.load {
                group.addTask { (number, try await Self.good(client, number)) }
            }
            for try await (number, echo) in group {
                XCTAssertEqual(echo.target, "/good?n=\(number)")
            }
        }
        try await expectHealth(of: client)
    }

    func testAConnectionIsKept() async throws {
        let client = try client()
        let first = try await client.get("good")
        XCTAssertEqual(first.httpVersion, "1.1")
        let second = try await client.get("good")
        XCTAssertEqual(second.timings.connect, .zero)
    }

    /// A POST would not be repeated.
    func testRequestsOneByOneMeetEveryEndOfAKeptConnection() async throws {
        let client = try client()
        for _ in 0..<21 {
            let response = try await client.post("good", body: .data(Data()))
            XCTAssertEqual(response.status, 200)
        }
    }

    func testTLSIsAgreedOnWithHTTP2() async throws {
        let client = try secureClient()
        let response = try await client.get("good")
        XCTAssertEqual(response.httpVersion, "2")
        let redirected = try await self.client().get("secure/any")
        XCTAssertEqual(redirected.url, "\(try servers().nginx.secureURL)/good")
        XCTAssertEqual(redirected.httpVersion, "2")
    }

    func testACertificateOfAnUnknownAuthorityIsRefused() async throws {
        let client = try secureClient(trusting: false)
        let error = try await failure { () throws(RestwayError) in try await client.get("good") }
        XCTAssertEqual(error.kind, .tls)
        XCTAssertEqual(error.domain, .transport)
        XCTAssertFalse(error.isRetryable)
    }

    func testABrokenOriginResetsItsStreamAlone() async throws {
        let client = try secureClient()
        let error = try await failure { () throws(RestwayError) in
            try await client.get("origin/reset_behind_proxy")
        }
        XCTAssertEqual(error.kind, .connectionLost)
        XCTAssertEqual(error.transportCode, 92)
        try await expectHealth(of: client)
    }

    // MARK: Answers

    func testACodingIsUndoneAndTheAnswerIsDecoded() async throws {
        struct Item: Decodable { let n: Int }
        let client = try client()
        for headers: Headers in [["Accept-Encoding": "gzip"], [:]] {
            let response = try await get(client, "list.json", headers)
            XCTAssertNotNil(response.headers["Content-Encoding"])
            XCTAssertEqual(response.body, try content(of: "list.json"))
            XCTAssertEqual(try response.decode([Item].self).count, 2_001)
        }
        var plain = Headers()
        plain.omitted = ["Accept-Encoding"]
        let response = try await get(client, "list.json", plain)
        XCTAssertNil(response.headers["Content-Encoding"])
        XCTAssertEqual(response.body, try content(of: "list.json"))
    }

    func testAnETagIsAnsweredWithNotModified() async throws {
        let client = try client()
        let first = try await client.get("large.bin", headers: ["Range": "bytes=0-0"])
        let tag = try XCTUnwrap(first.headers["ETag"])
        let response = try await get(client, "large.bin", ["If-None-Match": tag])
        XCTAssertEqual(response.status, 304)
        XCTAssertEqual(response.headers["ETag"], tag)
        XCTAssertTrue(response.body.isEmpty)
    }

    func testTheCacheAsksWhetherItsAnswerStillHolds() async throws {
        let client = try client { $0.cache.isOn = true }
        let stored = try await client.get("list.json")
        XCTAssertEqual(stored.cache?.state, .stored)
        var request = Request(.get, "list.json")
        request.caching = Caching(.validate)
        let validated = try await client.send(request)
        XCTAssertEqual(validated.cache?.state, .validated)
        XCTAssertEqual(validated.status, 200)
        XCTAssertEqual(validated.body, try content(of: "list.json"))
    }

    func testARangeIsAnsweredWithAPart() async throws {
        let client = try client()
        let response = try await get(client, "large.bin", ["Range": "bytes=65530-65541"])
        XCTAssertEqual(response.status, 206)
        XCTAssertEqual(
            response.headers["Content-Range"], "bytes 65530-65541/\(Self.largeBytes)")
        XCTAssertEqual(response.body, try content(of: "large.bin")[65_530..<65_542])
        let error = try await failure { () throws(RestwayError) in
            try await client.get("large.bin", headers: ["Range": "bytes=\(Self.largeBytes)-"])
        }
        XCTAssertEqual(error.kind, .http)
        XCTAssertEqual(error.httpStatus, 416)
    }

    func testAHeadHasTheLengthAndNoBody() async throws {
        let response = try await client().head("large.bin")
        XCTAssertEqual(response.headers["Content-Length"], "\(Self.largeBytes)")
        XCTAssertTrue(response.body.isEmpty)
    }

    func testALargeBodyStopsAtTheLimit() async throws {
        let client = try client { $0.limits.bodyBytes = Self.largeBytes - 1 }
        let error = try await failure { () throws(RestwayError) in
            try await client.get("large.bin")
        }
        XCTAssertEqual(error.kind, .tooLarge)
        try await expectHealth(of: client)
    }

    // MARK: Streams and files

    func testALargeBodyIsStreamed() async throws {
        let content = try content(of: "large.bin")
        for client in [try client(), try secureClient()] {
            var read = Data()
            for try await piece in try await client.stream("large.bin") { read += piece }
            XCTAssertTrue(read == content)
        }
    }

    func testADownloadGoesOnAfterItsTaskWasCancelled() async throws {
        let client = try client()
        let path = try temporaryFile("large.bin")
        let request = Request(.get, "limited/large.bin")
        let progress = ProgressReporter(interval: .milliseconds(1))
        let task = CallTask { () throws(RestwayError) in
            try await client.download(request, to: path, keepsPart: true, progress: progress)
        }
        for await state in progress where state.download.done > Self.largeBytes / 4 {
            task.cancel()
        }
        let kind = await task.kind
        XCTAssertEqual(kind, .cancelled)
        XCTAssertFalse(FileManager.default.fileExists(atPath: path))
        let file = try await continued(client, request, path)
        XCTAssertGreaterThan(file.resumedFrom, 0)
        XCTAssertEqual(file.length, Int64(Self.largeBytes))
        let content = try content(of: "large.bin")
        XCTAssertTrue(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
        let digest = try Resource.file(path).digest(.sha256)
        XCTAssertEqual(file.digest, digest.map { String(format: "%02x", $0) }.joined())
    }

    /// Downloads again. A worker may still close the part of the cancelled call.
    private func continued(
        _ client: Client, _ request: Request, _ path: String
    ) async throws -> SavedFile {
        while true {
            let outcome = await Self.outcome { () throws(RestwayError) in
                try await client.download(request, to: path, keepsPart: true, digesting: true)
            }
            if case .failure(let error) = outcome, error.kind == .io { continue }
            return try outcome.get()
        }
    }

    func testABodyOfPiecesArrivesWhole() async throws {
        for (name, client) in [("h1", try client()), ("h2", try secureClient())] {
            let pieces = AsyncStream<[UInt8]> { continuation in
                for number in 0..<60 {
                    continuation.yield([UInt8](repeating: UInt8(number), count: 70_000))
                }
                continuation.finish()
            }
            let response = try await client.put("put/swift-\(name)", body: .stream(pieces))
            XCTAssertEqual(response.status, 201)
            let path = "\(try servers().nginx.put)/swift-\(name)"
            let stored = try Data(contentsOf: URL(fileURLWithPath: path))
            XCTAssertEqual(stored.count, 60 * 70_000)
            XCTAssertTrue((0..<60).allSatisfy { stored[$0 * 70_000 + 69_999] == UInt8($0) })
        }
    }

    func testABodyThatIsTooLargeForTheServerIsRefused() async throws {
        for client in [try client(), try secureClient()] {
            let error = try await failure { () throws(RestwayError) in
                try await client.put("put/refused", body: .data(Data(count: (16 << 20) + 1)))
            }
            XCTAssertEqual(error.kind, .http)
            XCTAssertEqual(error.httpStatus, 413)
            try await expectHealth(of: client)
        }
    }

    // MARK: Errors

    func testAGatewayTellsOfItsOrigin() async throws {
        let client = try client()
        for (path, status) in [
            ("reset_before_headers", 502), ("close_in_headers", 502), ("stall_behind_proxy", 504),
        ] {
            let error = try await failure { () throws(RestwayError) in
                try await client.get("origin/\(path)")
            }
            XCTAssertEqual(error.kind, .http, path)
            XCTAssertEqual(error.httpStatus, status, path)
            XCTAssertTrue(error.isRetryable, path)
            try await expectHealth(of: client, path)
        }
    }

    func testAConnectionThatTheServerDropsIsLost() async throws {
        let client = try client()
        for path in ["origin/reset_behind_proxy", "gone/now"] {
            let error = try await failure { () throws(RestwayError) in
                try await client.get(.path(path))
            }
            XCTAssertEqual(error.kind, .connectionLost, path)
            XCTAssertTrue(error.isRetryable, path)
            XCTAssertTrue(error.message.contains(path), error.message)
            try await expectHealth(of: client, path)
        }
    }

    func testARedirectToItselfEnds() async throws {
        let client = try client()
        let error = try await failure { () throws(RestwayError) in try await client.get("round") }
        XCTAssertEqual(error.kind, .tooManyRedirects)
        try await expectHealth(of: client)
    }

    func testStreamsThatAreLeftLeaveTheConnectionToOthers() async throws {
        let client = try secureClient()
        try await client.get("good")
        for _ in 0..<4 {
            for try await piece in try await client.stream("large.bin") where !piece.isEmpty {
                break
            }
        }
        let good = try await client.get("good")
        XCTAssertEqual(good.timings.connect, .zero)
        try await expectHealth(of: client)
    }
}

import Foundation
import LoopbackServer
import Restway
import XCTest

/// Bodies of requests: files, sequences, multipart bodies, and uploads that go on after a failure.
final class BodyTests: DemoTestCase {
    private struct Echo: Decodable {
        let headers: [String: String]
        let body: String
        let body_bytes: Int

        func header(_ name: String) -> String? {
            headers.first { $0.key.lowercased() == name }?.value
        }
    }

    private func file(_ text: String, _ name: String = "notes.txt") throws -> String {
        let path = try temporaryFile(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func echo(_ client: Client, _ body: RequestBody) async throws -> Echo {
        try await client.post("echo/any", body: body)
    }

    // MARK: Resources

    func testAFileIsSentWithTheTypeOfItsName() async throws {
        let echo = try await echo(client(), .file(file("Buy milk")))
        XCTAssertEqual(echo.body, "Buy milk")
        XCTAssertEqual(echo.header("content-type"), "text/plain")
        XCTAssertEqual(echo.header("content-length"), "8")
        let other = try await self.echo(client(), .file(file("a"), mediaType: "text/x-a"))
        XCTAssertEqual(other.header("content-type"), "text/x-a")
    }

    func testAFileThatIsMissingIsAnError() async throws {
        let client = try client()
        let error = try await failure { () throws(RestwayError) in
            try await client.post("echo", body: .file("/nowhere.txt"))
        }
        XCTAssertEqual(error.kind, .io)
    }

    func testAResourceKnowsItsLengthAndItsDigest() async throws {
        let path = try file("abc")
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let resources = [
            Resource.file(path), .data(Data("abc".utf8)),
            try .descriptor(handle.fileDescriptor, offset: 0),
        ]
        for resource in resources {
            XCTAssertEqual(try resource.length(), 3)
            XCTAssertEqual(
                try resource.digest(.md5).map { String(format: "%02x", $0) }.joined(),
                "900150983cd24fb0d6963f7d28e17f72")
            let echo = try await echo(client(), .resource(resource).digested(.contentMD5))
            XCTAssertEqual(echo.body, "abc")
            XCTAssertEqual(echo.header("content-md5"), "kAFQmDzST7DWlj99KOF/cg==")
            XCTAssertNil(echo.header("repr-digest"))
            let digested = try await self.echo(
                client(), .resource(resource).digested(.digest, .reprDigest))
            let digest = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
            XCTAssertEqual(digested.header("digest"), "SHA-256=\(digest)")
            XCTAssertEqual(digested.header("repr-digest"), "sha-256=:\(digest):")
        }
        XCTAssertEqual(Resource.file(path).name, "notes.txt")
        XCTAssertThrowsError(try Resource.descriptor(-1)) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .io)
        }
    }

    func testABodyIsCompressed() async throws {
        let text = String(repeating: "all work and no play ", count: 500)
        for body in [RequestBody.text(text), try .file(file(text))] {
            let echo = try await echo(client(), body.gzipped())
            XCTAssertEqual(echo.header("content-encoding"), "gzip")
            XCTAssertEqual(echo.body, text)
        }
        let announced = try await echo(client(), .text(text).announced())
        XCTAssertEqual(announced.header("expect"), "100-continue")
    }

    // MARK: Forms

    func testAMultipartBodyHasFieldsAndFiles() async throws {
        let client = try client()
        var request = Request(.post, "echo/photos")
        request.parameters = ["year": 2026]
        request.body = .multipart(
            fields: ["title": "Ann"],
            files: [
                "photo": .file(try file("pixels", "a.png")),
                "photo": .data(Data("more".utf8), name: "b.bin"),
            ])
        let echo: Echo = try await client.send(request)
        XCTAssertTrue(echo.header("content-type")?.hasPrefix("multipart/form-data;") ?? false)
        let parts = [
            "name=\"title\"\r\n\r\nAnn\r\n", "name=\"year\"\r\n\r\n2026\r\n",
            "name=\"photo\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\npixels\r\n",
            "name=\"photo\"; filename=\"b.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n"
                + "more\r\n",
        ]
        var rest = echo.body[...]
        for part in parts {
            guard let range = rest.range(of: part) else { return XCTFail(echo.body) }
            rest = rest[range.upperBound...]
        }
    }

    func testParametersAreWrittenAsAForm() async throws {
        let client = try client()
        var request = Request(.post, "echo/any")
        request.parameters = ["a": "1 2", "b": true]
        let expected: [(RequestBody.Form?, String)] = [
            (.url, "a=1%202&b=true"), (.json, #"{"a":"1 2","b":true}"#),
            (nil, #"{"a":"1 2","b":true}"#),
        ]
        for (form, text) in expected {
            request.body = .parameters(as: form)
            let echo: Echo = try await client.send(request)
            XCTAssertEqual(echo.body.replacingOccurrences(of: "+", with: "%20"), text)
        }
    }

    // MARK: Sequences

    private struct Broken: Error {}

    func testASequenceOfPiecesIsSent() async throws {
        let pieces = AsyncStream<[UInt8]> { continuation in
            for piece in ["one ", "", "two ", String(repeating: "x", count: 600_000)] {
                continuation.yield(Array(piece.utf8))
            }
            continuation.finish()
        }
        let echo = try await echo(client(), .stream(pieces, mediaType: "text/plain"))
        XCTAssertEqual(echo.body_bytes, 600_008)
        XCTAssertTrue(echo.body.hasPrefix("one two xxx"))
        XCTAssertEqual(echo.header("transfer-encoding"), "chunked")
        let data = AsyncStream<Data> { continuation in
            continuation.yield(Data("abc".utf8))
            continuation.finish()
        }
        let known = try await self.echo(client(), .stream(data, length: 3))
        XCTAssertEqual(known.header("content-length"), "3")
        XCTAssertEqual(known.body, "abc")
    }

    func testASequenceThatThrowsFailsTheCall() async throws {
        let client = try client()
        let pieces = AsyncThrowingStream<[UInt8], any Error> { continuation in
            continuation.yield([1, 2])
            continuation.finish(throwing: Broken())
        }
        let error = try await failure { () throws(RestwayError) in
            try await client.post("echo/any", body: .stream(pieces))
        }
        XCTAssertEqual(error.kind, .io)
        XCTAssertTrue(error.underlyingError is Broken)
    }

    func testASequenceWithTheWrongLengthFailsTheCall() async throws {
        let client = try client()
        let pieces = AsyncStream<[UInt8]> { continuation in
            continuation.yield([1, 2])
            continuation.finish()
        }
        let error = try await failure { () throws(RestwayError) in
            try await client.post("echo/any", body: .stream(pieces, length: 3))
        }
        XCTAssertEqual(error.field, "length")
    }

    /// A sequence that can be read again and again.
    private struct Repeated: AsyncSequence, Sendable {
        let reads: Counter

        struct Iterator: AsyncIteratorProtocol {
            var rest = [Array("one ".utf8), Array("two".utf8)][...]
            mutating func next() async -> [UInt8]? { rest.popFirst() }
        }

        func makeAsyncIterator() -> Iterator {
            reads.add(1)
            return Iterator()
        }
    }

    func testARepeatableSequenceIsSentAgainAfterARedirect() async throws {
        let server = try TestServer { connection in
            while let request = connection.readRequest() {
                let body = String(decoding: request.body, as: UTF8.self)
                guard request.path == "/v2/old" else {
                    connection.answer(body)
                    continue
                }
                connection.answer(
                    status: "307 Temporary Redirect", headers: ["Location: /v2/new"])
            }
        }
        let client = try client(of: server)
        let reads = Counter()
        let response = try await client.post(
            "old", body: .stream(Repeated(reads: reads), isRepeatable: true))
        XCTAssertEqual(try response.text(), "one two")
        XCTAssertEqual(reads.value, 2)
        let error = try await failure { () throws(RestwayError) in
            try await client.post("old", body: .stream(Repeated(reads: reads)))
        }
        XCTAssertEqual(error.httpStatus, 307)
    }

    func testTheReadingOfASequenceEndsWithItsCall() async throws {
        let hasBegun = Signal()
        let isCancelled = Signal()
        let (pieces, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        continuation.onTermination = { _ in isCancelled.give() }
        continuation.yield([1])
        let server = try TestServer { connection in
            connection.readHead()
            guard connection.waitForBytes() else { return }
            hasBegun.give()
            connection.readToEnd()
        }
        let client = try client(of: server)
        let task = Task { () async -> RestwayError.Kind? in
            do throws(RestwayError) {
                try await client.post("any", body: .stream(pieces))
                return nil
            } catch {
                return error.kind
            }
        }
        let begun = await hasBegun.given()
        XCTAssertTrue(begun)
        task.cancel()
        let kind = await task.value
        XCTAssertEqual(kind, .cancelled)
        let cancelled = await isCancelled.given()
        XCTAssertTrue(cancelled)
    }

    // MARK: Resumable uploads

    /// A server of tus that loses the connection of the first PATCH.
    private func tus(_ received: ReceivedBytes) throws -> TestServer {
        let patches = Counter()
        return try TestServer { connection in
            while let request = connection.readRequest() {
                switch request.method {
                case "POST":
                    connection.answer(
                        status: "201 Created",
                        headers: ["Tus-Resumable: 1.0.0", "Location: /v2/films/7"])
                case "HEAD":
                    connection.write(
                        "HTTP/1.1 200 OK\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: "
                            + "\(received.bytes.count)\r\nContent-Length: 0\r\n\r\n")
                default:
                    patches.add(1)
                    received.append(request.body)
                    if patches.value == 1 { return }
                    connection.answer(
                        status: "204 No Content",
                        headers: [
                            "Tus-Resumable: 1.0.0", "Upload-Offset: \(received.bytes.count)",
                        ])
                }
            }
        }
    }

    func testAnUploadGoesOnAfterAFailure() async throws {
        let received = ReceivedBytes()
        let server = try tus(received)
        let client = try client(of: server)
        let path = try file("0123456789", "film.mp4")
        let state = try temporaryFile("film.upload")
        let body = RequestBody.file(path).resumable(.tus, state: state, pieceBytes: 4)
        let error = try await failure { () throws(RestwayError) in
            try await client.post("films", body: body)
        }
        XCTAssertEqual(error.kind, .connectionLost)
        XCTAssertEqual(String(decoding: received.bytes, as: UTF8.self), "0123")
        XCTAssertTrue(FileManager.default.fileExists(atPath: state))

        let progress = ProgressReporter()
        var request = Request(.post, "films")
        request.body = body
        let response = try await client.send(request, progress: progress)
        XCTAssertEqual(response.url, server.url("/v2/films/7"))
        XCTAssertEqual(String(decoding: received.bytes, as: UTF8.self), "0123456789")
        XCTAssertFalse(FileManager.default.fileExists(atPath: state))
        XCTAssertEqual(progress.state.upload.done, 10)
        XCTAssertEqual(progress.state.upload.total, 10)
    }

    func testAnUploadIsEndedAtTheServer() async throws {
        let received = ReceivedBytes()
        let server = try tus(received)
        let client = try client(of: server)
        let state = try temporaryFile("film.upload")
        let film = RequestBody.file(try file("0123456789", "film.mp4"))
        _ = try await failure { () throws(RestwayError) in
            try await client.post("films", body: film.resumable(.tus, state: state))
        }
        let ending = film.resumable(.tus, state: state, isEnded: true)
        try await client.post("films", body: ending)
        XCTAssertEqual(server.requests.last?.method, "DELETE")
        XCTAssertEqual(server.requests.last?.path, "/v2/films/7")
        XCTAssertFalse(FileManager.default.fileExists(atPath: state))
    }

    func testTheProtocolOfAnUploadIsTheProgramsChoice() async throws {
        let server = try TestServer { connection in
            while let request = connection.readRequest() {
                if request.method == "POST", request.body.isEmpty {
                    connection.answer(
                        status: "201 Created",
                        headers: ["Tus-Resumable: 1.0.0", "Location: /v2/films/7"])
                } else {
                    connection.answer(
                        headers: ["Upload-Complete: ?1", "Upload-Offset: \(request.body.count)"])
                }
            }
        }
        let document: JSON = [
            "restway": 1,
            "routes": ["films": ["method": "POST", "path": "films", "resumable": "tus"]],
        ]
        let film = RequestBody.file(try file("0123456789", "film.mp4"))
        for (body, version, methods) in [
            (film.resumable(.ietf), "8", ["POST", "PATCH"]),
            (film.resumable(.plain), nil, ["POST"]),
        ] {
            let before = server.requests.count
            try await client(of: server, document).post(.route("films"), body: body)
            let requests = server.requests[before...]
            XCTAssertEqual(requests.map(\.method), methods)
            for request in requests {
                XCTAssertEqual(request.header("Upload-Draft-Interop-Version"), version)
                XCTAssertNil(request.header("Tus-Resumable"))
            }
            XCTAssertEqual(requests.last?.body, Array("0123456789".utf8))
        }
    }
}

/// Bytes that several threads append to.
final class ReceivedBytes: @unchecked Sendable {
    private let lock = NSLock()
    private var content: [UInt8] = []

    var bytes: [UInt8] { lock.withLock { content } }
    func append(_ bytes: [UInt8]) { lock.withLock { content += bytes } }
}

import Foundation
import LoopbackServer
import Restway
import XCTest

/// Bodies and events that a loop reads while they arrive.
final class StreamTests: DemoTestCase {
    // MARK: Bodies

    func testABodyComesInPieces() async throws {
        let client = try client()
        let stream = try await client.stream("bad/big", parameters: ["bytes": 3_000_000])
        XCTAssertEqual(stream.response.status, 200)
        XCTAssertTrue(stream.response.body.isEmpty)
        var count = 0
        var pieces = 0
        for try await piece in stream {
            count += piece.count
            pieces += 1
        }
        XCTAssertEqual(count, 3_000_000)
        XCTAssertGreaterThan(pieces, 1)
    }

    func testTheAnswerComesBeforeItsBody() async throws {
        let hasHead = Signal()
        let server = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(
                "HTTP/1.1 200 OK\r\nX-A: 1\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n")
            guard hasHead.wait() else { return }
            connection.write("3\r\none\r\n0\r\nX-Sum: 7\r\n\r\n")
        }
        let stream = try await client(of: server).stream("any")
        XCTAssertEqual(stream.response.headers["x-a"], "1")
        XCTAssertEqual(stream.trailers, [:])
        hasHead.give()
        var text = ""
        for try await piece in stream { text += String(decoding: piece, as: UTF8.self) }
        XCTAssertEqual(text, "one")
        XCTAssertEqual(stream.trailers["x-sum"], "7")
    }

    func testAnErrorOfTheServerHasItsText() async throws {
        let client = try client()
        let error = try await failure { () throws(RestwayError) in
            try await client.stream("enterprises/4000000")
        }
        XCTAssertEqual(error.httpStatus, 404)
        XCTAssertNotNil(error.apiMessage)
    }

    func testABodyThatBreaksOffIsAnError() async throws {
        let stream = try await client().stream("bad/half")
        let error = try await failure { () throws(RestwayError) in
            var count = 0
            for try await piece in stream { count += piece.count }
            return count
        }
        XCTAssertEqual(error.kind, .connectionLost)
    }

    /// A server that sends without an end, and tells when the client has closed the connection.
    private func endless(_ isLeft: Signal) throws -> TestServer {
        try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
            let piece = [UInt8](repeating: 7, count: 65_536)
            while connection.write(piece) {}
            isLeft.give()
        }
    }

    func testTheEndOfALoopEndsTheCall() async throws {
        let isLeft = Signal()
        let server = try endless(isLeft)
        let client = try client(of: server)
        let stream = try await client.stream("any")
        for try await piece in stream where !piece.isEmpty { break }
        let left = await isLeft.given()
        XCTAssertTrue(left)
        let error = try await failure { () throws(RestwayError) in
            for try await _ in stream {}
        }
        XCTAssertEqual(error.field, "stream")
    }

    func testAStreamThatIsDroppedEndsTheCall() async throws {
        let isLeft = Signal()
        let server = try endless(isLeft)
        let client = try client(of: server)
        _ = try await client.stream("any")
        let left = await isLeft.given()
        XCTAssertTrue(left)
    }

    func testACancelledTaskEndsTheCall() async throws {
        let isLeft = Signal()
        let hasBegun = Signal()
        let server = try endless(isLeft)
        let client = try client(of: server)
        let task = Task { () async -> RestwayError? in
            do throws(RestwayError) {
                for try await _ in try await client.stream("any") { hasBegun.give() }
                return nil
            } catch {
                return error
            }
        }
        let begun = await hasBegun.given()
        XCTAssertTrue(begun)
        task.cancel()
        let error = await task.value
        XCTAssertEqual(error?.kind, .cancelled)
        let left = await isLeft.given()
        XCTAssertTrue(left)
    }

    func testTheServerWaitsForASlowLoop() async throws {
        let total = 48 << 20
        let ahead = Counter()
        let isFull = Signal()
        let server = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
            let piece = [UInt8](repeating: 7, count: 65_536)
            let sent = connection.fillUp(with: piece, atMost: total)
            ahead.add(sent)
            isFull.give()
            for _ in 0..<((total - sent) / piece.count) { connection.write(piece) }
            connection.write([UInt8](repeating: 7, count: (total - sent) % piece.count))
        }
        let stream = try await client(of: server).stream("any")
        var pieces = stream.makeAsyncIterator()
        var received = try await pieces.next()?.count ?? 0
        let full = await isFull.given()
        XCTAssertTrue(full)
        // 2 MiB in the library, and the buffers of the two sockets.
        XCTAssertLessThan(ahead.value, total / 2)
        while let piece = try await pieces.next() { received += piece.count }
        XCTAssertEqual(received, total)
    }

    // MARK: Events

    private let tracker: JSON = [
        "restway": 1,
        "entities": DemoTestCase.issues,
        "routes": [
            "changes": [
                "path": "repos/octo/hello/events", "stream": "events",
                "response": ["entity": "Issue", "event": "opened"],
            ]
        ],
    ]

    private struct Issue: Decodable, Equatable {
        let number: Int
        let title: String
    }

    func testEventsAreMappedToObjects() async throws {
        let client = try ending(
            Client(API(document: tracker), options: Client.Options(baseURL: url())))
        let events = try await client.events(
            .route("changes"), options: .init(reconnections: 0))
        XCTAssertEqual(events.response.status, 200)
        var issues: [Issue] = []
        for try await event in events {
            XCTAssertEqual(event.name, "opened")
            XCTAssertEqual(event.object?["number"], Int(event.id))
            let issue: Issue = try event.decode()
            XCTAssertTrue(event.text.contains("\"number\":"))
            issues.append(issue)
        }
        XCTAssertGreaterThan(issues.count, 0)
        XCTAssertEqual(try client.store.count("Issue"), issues.count)
    }

    func testAStreamIsOpenedAgainWhereItEnded() async throws {
        let server = try TestServer { connection in
            guard let request = connection.readRequest() else { return }
            let last = request.header("last-event-id").flatMap { Int($0) } ?? 0
            connection.write(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
                    + "retry: 1\nid: \(last + 1)\ndata: {\"number\": \(last + 1), \"title\": \"a\"}"
                    + "\n\n")
        }
        let client = try client(of: server)
        var numbers: [Int] = []
        for try await event in try await client.events("any") {
            let issue: Issue = try event.decode()
            XCTAssertEqual(event.id, "\(issue.number)")
            XCTAssertEqual(event.objects, [])
            numbers.append(issue.number)
            if numbers.count == 3 { break }
        }
        XCTAssertEqual(numbers, [1, 2, 3])
    }

    func testLinesAndAnEventThatCannotBeMapped() async throws {
        let server = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.answer(
                "{\"number\": 1, \"title\": \"a\"}\n{\n{\"number\": 2, \"title\": \"b\"}\n",
                headers: ["Content-Type: application/jsonl"])
        }
        var document = tracker
        if case .object(var members) = document {
            members["routes"] = [
                "lines": ["path": "lines", "stream": "lines", "response": ["entity": "Issue"]]
            ]
            document = .object(members)
        }
        let client = try client(of: server, document)
        var seen: [String] = []
        for try await event in try await client.events(.route("lines")) {
            seen.append(event.error.map { "\($0.kind)" } ?? event.object?["title"] ?? "?")
        }
        XCTAssertEqual(seen, ["a", "mapping", "b"])
    }

    func testAnEventThatIsTooLargeEndsTheStream() async throws {
        let server = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.answer(
                "\"\(String(repeating: "a", count: 4_000))\"\n",
                headers: ["Content-Type: application/jsonl"])
        }
        let client = try client(of: server)
        let error = try await failure { () throws(RestwayError) in
            let events = try await client.events("any", options: .init(eventBytes: 100))
            for try await event in events { XCTFail(event.text) }
        }
        XCTAssertEqual(error.kind, .tooLarge)
        let wrong = try await failure { () throws(RestwayError) in
            try await client.events("any", options: .init(eventBytes: 0))
        }
        XCTAssertEqual(wrong.field, "options.eventBytes")
    }
}

/// A number that several threads change.
final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    var value: Int { lock.withLock { count } }
    func add(_ number: Int) { lock.withLock { count += number } }
}

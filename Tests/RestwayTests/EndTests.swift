import Foundation
import LoopbackServer
import XCTest

@testable import Restway

/// Nothing that the module makes outlives its use.
final class EndTests: DemoTestCase {
    private let document: JSON = [
        "restway": 1,
        "entities": DemoTestCase.issues,
        "routes": [
            "issues": [
                "path": "repos/octo/hello/issues", "response": ["entity": "Issue"],
                "pages": ["next": "link"],
            ],
            "changes": ["path": "repos/octo/hello/events", "stream": "events"],
            "note": ["method": "POST", "path": "echo/note", "offline": true],
        ],
        "cache": [:],
        "outbox": ["path": "outbox.db"],
    ]

    /// Weak references to what the module and the core have made.
    private struct Ends {
        struct Reference {
            let name: String
            weak var object: AnyObject?
        }

        var references: [Reference] = []

        mutating func add(_ name: String, _ object: AnyObject?) {
            XCTAssertNotNil(object, name)
            references.append(Reference(name: name, object: object))
        }

        var alive: [String] { references.filter { $0.object != nil }.map(\.name) }
    }

    private func tracker(_ ends: inout Ends) throws -> Client {
        let client = try Client(
            API(document: document),
            options: Client.Options(baseURL: url(), outbox: temporaryFile("outbox.db")))
        ends.add("client", client)
        ends.add("client of the core", client.core)
        ends.add("calls of the core", client.core.calls)
        ends.add("store of the core", client.core.store)
        ends.add("watchers of the outbox", client.outboxWatchers)
        return client
    }

    /// Waits until the objects have ended: a worker or a notice may hold one for a moment longer.
    private func expectEnd(
        _ ends: Ends, file: StaticString = #filePath, line: UInt = #line
    ) async {
        let deadline = ContinuousClock.now + .seconds(10)
        while !ends.alive.isEmpty, ContinuousClock.now < deadline { await Task.yield() }
        XCTAssertEqual(ends.alive, [], file: file, line: line)
    }

    func testAStreamEndsWithItsLoop() async throws {
        var ends = Ends()
        do {
            let client = try tracker(&ends)
            let stream = try await client.stream("bad/big", parameters: ["bytes": 4_000_000])
            ends.add("stream", stream.call)
            ends.add("queue", stream.call.queue)
            ends.add("call", stream.call.queue.call)
            for try await piece in stream where !piece.isEmpty { break }
            let events = try await client.events(
                .route("changes"), options: .init(reconnections: 0))
            ends.add("events", events.call)
            ends.add("queue of events", events.call.queue)
            for try await _ in events {}
            let dropped = try await client.stream("bad/big", parameters: ["bytes": 4_000_000])
            ends.add("dropped stream", dropped.call)
            ends.add("call of the dropped stream", dropped.call.queue.call)
        }
        await expectEnd(ends)
    }

    func testACancelledStreamEnds() async throws {
        var ends = Ends()
        let server = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfirst")
            connection.readToEnd()
        }
        do {
            let client = try client(of: server)
            ends.add("client", client)
            let stream = try await client.stream("any")
            ends.add("queue", stream.call.queue)
            ends.add("call", stream.call.queue.call)
            let hasBegun = Signal()
            let task = Task {
                for try await _ in stream { hasBegun.give() }
            }
            let begun = await hasBegun.given()
            XCTAssertTrue(begun)
            task.cancel()
            let result = await task.result
            XCTAssertThrowsError(try result.get())
        }
        await expectEnd(ends)
    }

    func testBodiesAndProgressEndWithTheirCalls() async throws {
        var ends = Ends()
        do {
            let client = try tracker(&ends)
            let pieces = AsyncStream<[UInt8]> { continuation in
                continuation.yield([1, 2, 3])
                continuation.finish()
            }
            let body = RequestBody.stream(pieces)
            ends.add("source of the body", body.source)
            let progress = ProgressReporter()
            ends.add("progress", progress)
            var request = Request(.post, "echo/any")
            request.body = body
            let loop = Task {
                for await _ in progress {}
            }
            try await client.send(request, progress: progress)
            await loop.value
            try await client.download(
                "status", to: temporaryFile("status.json"), progress: ProgressReporter())
        }
        await expectEnd(ends)
    }

    func testPagesListsAndWatchesEndWithTheirLoops() async throws {
        var ends = Ends()
        do {
            let client = try tracker(&ends)
            for try await _ in try client.pages(
                .route("issues"), parameters: ["per_page": 2], options: .init(prefetching: true))
            {
                break
            }
            let list = try client.list(.route("issues"), parameters: ["per_page": 2])
            ends.add("list", list)
            try await list.loadMore()
            for await result in try list.results() where result.count == 2 { break }
            for await difference in try list.differences() {
                XCTAssertEqual(difference.insertions.count, 2)
                break
            }
            let query = try client.store.query("Issue")
            for await result in try client.results(of: query) where !result.isEmpty { break }
            var changes = try client.changes(of: "Issue").makeAsyncIterator()
            try client.draft("Issue", ["number": 900]).insert()
            let change = await changes.next()
            XCTAssertEqual(change?.count, 1)
        }
        await expectEnd(ends)
    }

    func testTheOutboxAndTheCacheEndWithTheirClient() async throws {
        var ends = Ends()
        do {
            let client = try tracker(&ends)
            let events = try client.outbox.events()
            try client.setReachability(.unreachable)
            let error = try await failure { () throws(RestwayError) in
                try await client.post(.route("note"), body: .json(["a": 1]))
            }
            let id = try XCTUnwrap(error.outboxID)
            try client.setReachability(.reachable)
            let item = try await client.outbox.wait(for: id)
            XCTAssertEqual(item.state, .delivered)
            for await event in events {
                guard case .item(let told) = event else { continue }
                XCTAssertEqual(told.id, id)
                break
            }
            try await client.get("status")
            XCTAssertNotNil(try client.cache.statistics())
            try client.store.transaction { try $0.insert(client.draft("Issue", ["number": 1])) }
        }
        await expectEnd(ends)
    }
}

import Foundation
import LoopbackServer
import Restway
import XCTest

/// The response cache as a program sees it.
final class CacheTests: DemoTestCase {
    private let document: JSON = [
        "restway": 1,
        "entities": ["Item": ["identity": "id", "attributes": ["id": ["type": "int"]]]],
        "routes": [
            "items": ["path": "items", "cacheTTL": 60, "response": ["entity": "Item"]],
            "other": ["path": "other", "cacheTTL": 60],
        ],
    ]

    /// A server that counts requests, and a client with a cache.
    private func cached(
        _ requests: Counter, _ change: (inout Client.Options) -> Void = { $0.cache.isOn = true }
    ) throws -> (client: Client, server: TestServer) {
        let server = try TestServer { connection in
            while connection.readRequest() != nil {
                requests.add(1)
                connection.answer(
                    "[{\"id\": \(requests.value)}]", headers: ["Content-Type: application/json"])
            }
        }
        return (try client(of: server, document, change), server)
    }

    private func items(_ caching: Caching = Caching()) -> Request {
        var request = Request(.get, .route("items"))
        request.caching = caching
        return request
    }

    func testAnAnswerIsKeptAndGivenAgain() async throws {
        let requests = Counter()
        let (client, server) = try cached(requests)
        let stored = try await client.send(items())
        XCTAssertEqual(stored.cache?.state, .stored)
        let hit = try await client.send(items())
        XCTAssertEqual(hit.cache?.state, .hit)
        XCTAssertEqual(hit.cache?.lifetime, .seconds(60))
        XCTAssertEqual(hit.cache?.isStale, false)
        XCTAssertEqual(hit.object?["id"], 1)
        XCTAssertEqual(requests.value, 1)
        let reloaded = try await client.send(items(Caching(.reload)))
        XCTAssertEqual(reloaded.object?["id"], 2)
        let bypassed = try await client.send(items(Caching(.bypass)))
        XCTAssertEqual(bypassed.object?["id"], 3)
        let again = try await client.send(items())
        XCTAssertEqual(try again.json(), [["id": 2]])
        withExtendedLifetime(server) {}
    }

    func testTheCacheAloneAnswers() async throws {
        let requests = Counter()
        let (client, server) = try cached(requests)
        XCTAssertNil(try client.cache.find(items()))
        let nothing = try await client.cache.response(to: items())
        XCTAssertNil(nothing)
        let missing = try await client.send(items(Caching(.only)))
        XCTAssertEqual(missing.cache?.state, .missing)
        XCTAssertEqual(missing.status, 0)
        XCTAssertEqual(requests.value, 0)
        try await client.send(items())
        XCTAssertEqual(try client.cache.find(items())?.state, .hit)
        let kept = try await client.cache.response(to: items())
        XCTAssertEqual(kept?.object?["id"], 1)
        XCTAssertEqual(requests.value, 1)
        withExtendedLifetime(server) {}
    }

    func testEntriesAreListedAndRemoved() async throws {
        let requests = Counter()
        let file = try temporaryFile("cache.db")
        let (client, server) = try cached(requests) { $0.files.cache = file }
        try client.cache.setDiscriminator("ann")
        try await client.get(.route("items"))
        try await client.get(.route("other"))
        try client.cache.setDiscriminator("bob")
        try await client.get(.route("items"))
        let entries = try client.cache.entries()
        XCTAssertEqual(Set(entries.map(\.route)), ["items", "other"])
        XCTAssertEqual(entries.count, 3)
        let ann = try client.cache.entries(discriminator: "ann", limit: 1)
        XCTAssertEqual(ann.count, 1)
        XCTAssertEqual(ann.first?.discriminator, "ann")
        let entry = try XCTUnwrap(client.cache.entries(route: "other").first)
        XCTAssertEqual(entry.url, server.url("/v2/other"))
        XCTAssertEqual(entry.status, 200)
        XCTAssertGreaterThan(entry.bytes, 0)
        XCTAssertEqual(try client.cache.entries(olderThan: .seconds(3_600)), [])
        XCTAssertEqual(try client.cache.remove(key: entry.key), 1)
        XCTAssertEqual(try client.cache.remove(route: "items", discriminator: "ann"), 1)
        XCTAssertEqual(try client.cache.remove(url: server.url("/v2/items")), 1)
        XCTAssertEqual(try client.cache.removeAll(), 0)
        XCTAssertThrowsError(try client.cache.remove()) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .invalidArgument)
        }
        XCTAssertThrowsError(try client.cache.setDiscriminator("")) { error in
            XCTAssertEqual((error as? RestwayError)?.field, "discriminator")
        }
        let statistics = try client.cache.statistics()
        XCTAssertEqual(statistics.stored, 3)
        XCTAssertEqual(statistics.misses, 3)
        XCTAssertEqual(statistics.entries, 0)
        XCTAssertNil(try client.cache.problem())
    }

    func testALifetimeOfARequestCounts() async throws {
        let requests = Counter()
        let (client, server) = try cached(requests)
        try await client.send(items(Caching(lifetime: .seconds(5))))
        XCTAssertEqual(try client.cache.find(items())?.lifetime, .seconds(5))
        try client.cache.removeAll()
        let passed = try await client.send(items(Caching(lifetime: .seconds(-1))))
        XCTAssertNotEqual(passed.cache?.state, .hit)
        XCTAssertEqual(requests.value, 2)
        withExtendedLifetime(server) {}
    }

    func testAClientWithoutACacheSaysSo() async throws {
        let requests = Counter()
        let (client, server) = try cached(requests) { $0.cache.isOn = false }
        XCTAssertThrowsError(try client.cache.entries()) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .config)
            XCTAssertEqual((error as? RestwayError)?.field, "cache")
        }
        let response = try await client.get(.route("items"))
        XCTAssertNil(response.cache)
        let others: [(inout Client.Options) -> Void] = [
            { $0.files.cache = "/nonexistent/cache.db" }, { $0.cache.bytesMax = 1 << 20 },
            { $0.cache.memoryBytesMax = 0 }, { $0.cache.usesHeuristics = true },
        ]
        for other in others {
            XCTAssertThrowsError(
                try cached(requests) { options in
                    options.cache.isOn = false
                    other(&options)
                }
            ) { error in
                XCTAssertEqual((error as? RestwayError)?.kind, .invalidArgument)
                XCTAssertEqual((error as? RestwayError)?.field, "options.cache.isOn")
            }
        }
        XCTAssertThrowsError(try cached(requests) { $0.cache.bytesMax = 1 }) { error in
            XCTAssertEqual((error as? RestwayError)?.field, "options.cache.bytesMax")
        }
        withExtendedLifetime(server) {}
    }
}

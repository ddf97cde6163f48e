import XCTest

@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome

/// Outboxes that the document tunes and whose file the program names.
final class OutboxPathTests: OutboxTestCase {
    func testTheDocumentTunesTheOutboxWhoseFileTheProgramNames() throws {
        let named = #""path": "unused.db", "baseMilliseconds": 1000"#
        let tuned = document().replacing(named, #""baseMilliseconds": 700"#)
        let api = try TestAPI.load(tuned)
        var options = ClientOptions()
        let without = refusal {
            _ = try Client(api: api, options: options, transport: transport, clock: clock)
        }
        XCTAssertEqual(without?.reason, .config)
        XCTAssertTrue(without?.message.contains("name a file in the client's options") ?? false)
        options.files.outbox = path
        let client = try Client(api: api, options: options, transport: transport, clock: clock)
        defer { client.close() }
        XCTAssertEqual(client.outbox?.definition.baseMilliseconds, 700)
        try queueOffline(client, put(1))
        XCTAssertEqual(try states(client), ["1 waiting"])
    }

    func testWithoutAPathThereIsNoOutbox() throws {
        func client(_ outbox: String) throws -> Client {
            let text = #"{"restway": 1, "environments": {"a": {"baseURL": "http://api.test"}}, "#
            return try Client(
                api: try TestAPI.load(text + #""outbox": \#(outbox)}"#), options: ClientOptions(),
                transport: transport, clock: clock)
        }
        let untouched = try client(#"{"baseMilliseconds": 200}"#)
        XCTAssertNil(untouched.outbox)
        untouched.close()
        let failure = refusal {
            _ = try client(#"{"offline": [{"path": "notes/:id"}]}"#)
        }
        XCTAssertEqual(failure?.reason, .config)
    }
}

extension String {
    fileprivate func replacing(_ part: String, _ other: String) -> String {
        guard let range = firstRange(of: part) else { return self }
        return self[..<range.lowerBound] + other + self[range.upperBound...]
    }
}

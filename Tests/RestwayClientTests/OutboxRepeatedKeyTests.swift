import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome

/// Answers to a key that the server has seen before: 409 while it works on the first attempt, 422
/// if the key came with another request.
final class OutboxRepeatedKeyTests: OutboxTestCase {
    private let later = [HeaderField(name: "Retry-After", value: "30")]
    private let type = "https://api.test/problems/in-progress"
    private var listed: String { #", "inProgress": ["\#(type)"]"# }
    private var problem: String { #"{"type":"\#(type)","title":"busy"}"# }

    /// Makes a client with an item that was answered once with 503.
    private func begin(_ outbox: String = "", _ rest: String = "") throws -> Client {
        let client = try client(outbox, rest)
        try queueOffline(client, put(1))
        let answer = rest.contains("batch") ? (200, #"[{"code": 503}]"#) : (503, "")
        XCTAssertEqual(
            try flushed(client) { $0.answer(answer.0, answer.1) }, ["1 waiting 503"])
        return client
    }

    private func flushed(
        _ client: Client, isForced: Bool = false, _ answer: (FakeTransport.Started) -> Void
    ) throws -> [String] {
        try flush(client, isForced: isForced)
        answer(transport.next())
        return words(nextFlushed())
    }

    private func reason(_ client: Client) throws -> OutboxDeathReason? {
        try client.requireOutbox().find(1).deathReason
    }

    func testA409WithRetryAfterToARepeatedKeyIsTemporary() throws {
        let client = try begin()
        XCTAssertEqual(
            try flushed(client) { $0.answer(409, headers: later) }, ["1 waiting 409"])
        XCTAssertNil(try reason(client))
        // The server asked for the wait, so a flush by the program keeps it.
        try flush(client)
        XCTAssertEqual(words(nextFlushed()), [])
        XCTAssertEqual(
            try flushed(client, isForced: true) { $0.answer(200) }, ["1 delivered 200"])
    }

    func testA409OfAListedProblemTypeIsTemporary() throws {
        let client = try client(listed)
        try queueOffline(client, put(1), put(2))
        try flush(client)
        transport.answer(409, problem)
        transport.answer(409, "[1")
        XCTAssertEqual(words(nextFlushed()), ["1 waiting 409", "2 dead 409"])
        XCTAssertEqual(try client.requireOutbox().find(2).deathReason, .refused)
    }

    func testA409OfAnotherTypeIsADeadLetterAtTheFirstTryOnly() throws {
        let client = try begin()
        XCTAssertEqual(try flushed(client) { $0.answer(409, problem) }, ["1 waiting 409"])
        _ = try client.requireOutbox().dropAll()
        try queueOffline(client, put(2))
        XCTAssertEqual(try flushed(client) { $0.answer(409, problem) }, ["2 dead 409"])
    }

    func testAFirstTryThatMeetsAConflictIsADeadLetterUnlessTheServerAsksToWait() throws {
        let client = try client(listed)
        try queueOffline(client, put(1))
        XCTAssertEqual(try flushed(client) { $0.answer(409, headers: later) }, ["1 waiting 409"])
        try queueOffline(client, put(2))
        XCTAssertEqual(try flushed(client) { $0.answer(409) }, ["2 dead 409"])
        try queueOffline(client, put(3))
        XCTAssertEqual(try flushed(client) { $0.answer(409, problem) }, ["3 waiting 409"])
    }

    func testTheHostKnowsBetter() throws {
        let client = try begin(listed)
        try client.setFailureReader { failure in
            var failure = failure
            failure.replace(apiCode: nil, apiMessage: nil, message: nil, isRetryable: false)
            return failure
        }
        XCTAssertEqual(
            try flushed(client) { $0.answer(409, problem, headers: later) }, ["1 dead 409"])
    }

    func testTheCallThatStoredTheRequestIsTheFirstTry() throws {
        let client = try client()
        let call = try client.send(put(1))
        transport.next().fail(.connectionLost)
        XCTAssertEqual(failure(of: call)?.reason, .queued)
        XCTAssertEqual(
            try flushed(client) { $0.answer(409, headers: later) }, ["1 waiting 409"])
    }

    func testAnItemOfAProcessThatDiedMayHaveBeenSent() throws {
        let first = try client(transport: FakeTransport())
        try queueOffline(first, put(1))
        first.close()
        let second = try client()
        XCTAssertEqual(
            try flushed(second) { $0.answer(409, headers: later) }, ["1 waiting 409"])
        // An item that this process stored itself has not been sent before.
        try queueOffline(second, put(2))
        XCTAssertEqual(try flushed(second) { $0.answer(409) }, ["2 dead 409"])
    }

    func testAnItemOfABatchIsJudgedByItsOwnAnswer() throws {
        let client = try begin(listed, #", "batch": {"path": "/batch", "limit": 1}"#)
        let answer = #"[{"code": 409, "headers": {"Retry-After": "30"}}]"#
        XCTAssertEqual(try flushed(client) { $0.answer(200, answer) }, ["1 waiting 409"])
        let other = #"[{"code": 409, "body": "{\"type\":\"\#(type)\"}"}]"#
        XCTAssertEqual(
            try flushed(client, isForced: true) { $0.answer(200, other) }, ["1 waiting 409"])
    }

    func testAKeyThatCameWithAnotherRequestIsAReasonOfItsOwn() throws {
        let client = try begin()
        try observe(client)
        let said = #"{"type":"about:blank","title":"Idempotency-Key is already used"}"#
        try flush(client)
        let first = transport.next()
        first.answer(422, said)
        let report = nextFlushed().all[0]
        XCTAssertEqual(report.deathReason, .keyReused)
        XCTAssertTrue(report.lastError?.contains("Idempotency-Key") ?? false)
        let outbox = try client.requireOutbox()
        XCTAssertEqual(try reason(client), .keyReused)
        XCTAssertEqual(try outbox.find(1).lastError, report.lastError)
        // The reason is read from the file, too.
        client.close()
        let wire = FakeTransport()
        let second = try self.client(transport: wire)
        XCTAssertEqual(try reason(second), .keyReused)
        try second.setReachability(.unreachable)
        try second.requireOutbox().edit(1, body: nil, mediaType: nil)
        XCTAssertEqual(try reason(second), nil)
        try flush(second)
        XCTAssertNotEqual(key(wire.answer(200)), key(first.exchange))
    }

    func testA422AboutAValueIsARefusal() throws {
        let client = try begin()
        XCTAssertEqual(
            try flushed(client) { $0.answer(422, #"{"title":"name is too long"}"#) },
            ["1 dead 422"])
        XCTAssertEqual(try reason(client), .refused)
    }

    func testTheCodeOfTheAPINamesTheKeyToo() throws {
        let client = try begin("", #", "errors": {"code": "error.code"}"#)
        XCTAssertEqual(
            try flushed(client) { $0.answer(422, #"{"error":{"code":"IDEMPOTENCY_REUSE"}}"#) },
            ["1 dead 422"])
        XCTAssertEqual(try reason(client), .keyReused)
    }
}

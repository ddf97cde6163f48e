import RestwayHTTP
import XCTest

@testable import RestwayBatch
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Tests what a session refuses, and batch formats of the program.
final class BatchRefusalTests: BatchTestCase {
    // MARK: Refusals

    func testWhatABatchCannotHoldIsRefusedAtOnce() throws {
        let session = try BatchSession(try client().batches)
        var far = RequestSpec(target: .route("elsewhere", nil))
        far.variables["baseURL"] = .value(.string("http://other.test"))
        XCTAssertEqual(failure { _ = try session.add(far) }?.reason, .invalidURL)
        var binary = RequestSpec(target: .path(.put, "things/1"))
        binary.given.body = .init(bytes: [0xFF], mediaType: "image/png")
        XCTAssertEqual(failure { _ = try session.add(binary) }?.field, "body")
        var streamed = RequestSpec(target: .path(.put, "things/1"))
        streamed.given.body = ScriptedReader(["piece"]).body()
        XCTAssertEqual(failure { _ = try session.add(streamed) }?.field, "body")
        let unknown = RequestSpec(target: .route("nobody", nil))
        XCTAssertEqual(failure { _ = try session.add(unknown) }?.reason, .unknownRoute)
        XCTAssertEqual(session.count, 0)
        XCTAssertEqual(failure { try session.wait(milliseconds: 0) }?.reason, .invalidArgument)
        try session.send()
        XCTAssertEqual(failure { try session.send() }?.reason, .invalidArgument)
        XCTAssertEqual(
            failure { _ = try session.add(self.get("things/1")) }?.reason, .invalidArgument)
        XCTAssertEqual(failure { _ = try session.response(at: 0) }?.field, "index")
    }

    func testWithoutASectionThereIsNoSession() throws {
        let client = try Client(
            api: try TestAPI.load(), options: ClientOptions(), transport: transport, clock: clock)
        defer { client.close() }
        XCTAssertEqual(failure { _ = try BatchSession(client.batches) }?.reason, .config)
    }

    func testTheSectionIsChecked() {
        func problems(_ batch: String) -> [String] {
            TestAPI.problems(#"{"restway": 1, "batch": \#(batch)}"#)
        }
        XCTAssertEqual(problems(#"{"path": "batch"}"#), [])
        XCTAssertEqual(problems(#"{}"#), [#"$.batch: "path" is missing"#])
        XCTAssertEqual(problems(#"{"path": ""}"#), ["$.batch.path: must not be empty"])
        XCTAssertEqual(
            problems(#"{"path": "http://a.test/b"}"#),
            ["$.batch.path: must be a path below the base URL"])
        XCTAssertEqual(
            problems(#"{"path": "b/:id"}"#), ["$.batch.path: must be a path without variables"])
        XCTAssertEqual(
            problems(#"{"path": "b", "limit": 0}"#),
            ["$.batch.limit: must be between 1 and 1000, is 0"])
        XCTAssertEqual(
            problems(#"{"path": "b", "limits": 1}"#),
            [#"$.batch.limits: unknown key "limits"; did you mean "limit"?"#])
    }

    // MARK: Formats

    /// A format of lines in place of JSON.
    private struct Lines: BatchFormat {
        var takesBinaryBodies: Bool { true }

        func encode(_ items: [BatchItem]) throws(BatchError) -> BatchBody {
            let lines = items.map { "\($0.method) \($0.uri) \($0.body?.count ?? -1)" }
            return BatchBody(Array(lines.joined(separator: "\n").utf8), mediaType: "text/lines")
        }

        func decode(
            _ body: BatchBody, count: Int
        ) throws(BatchError) -> [Result<BatchAnswer, BatchError>] {
            let lines = String(decoding: body.bytes, as: UTF8.self).split(separator: "\n")
            return lines.map { .success(BatchAnswer(code: Int($0) ?? 0)) }
        }
    }

    func testAnotherFormatWritesAndReads() throws {
        let client = try client()
        try client.batches.setFormat(Lines())
        var binary = RequestSpec(target: .path(.put, "things/1"))
        binary.given.body = .init(bytes: [0xFF], mediaType: "image/png")
        let session = try session(client, [get("things/0"), binary])
        try send(session)
        let started = transport.next()
        guard case .bytes(let bytes) = started.exchange.body else { return XCTFail("no body") }
        XCTAssertEqual(
            String(decoding: bytes, as: UTF8.self), "GET /things/0 -1\nPUT /things/1 1")
        XCTAssertEqual(
            Headers(started.exchange.headers)[first: "Content-Type"], "text/lines")
        started.answer(200, "200\n404")
        try session.wait(milliseconds: 0)
        XCTAssertEqual(try session.response(at: 0).status, 200)
        XCTAssertEqual(failure { _ = try session.response(at: 1) }?.httpStatus, 404)
        try client.batches.setFormat(nil)
    }
}

import Glibc
import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// Answers that come from the network in place of the API: they end no stored request.
final class OutboxNetworkAnswerTests: OutboxTestCase {
    private let html = [HeaderField(name: "Content-Type", value: "text/html; charset=utf-8")]
    private let page = "<!DOCTYPE html><title>Welcome</title>"
    private let portal = "http://portal.test/login"
    private lazy var wire = transport

    private func stored(_ spec: RequestSpec? = nil, _ rest: String = "") throws -> Client {
        // The transport ends with its client.
        wire = FakeTransport()
        let client = try client("", rest, transport: wire)
        try queueOffline(client, spec ?? put(1))
        return client
    }

    private func flushed(
        _ client: Client, _ answer: (FakeTransport.Started) -> Void
    ) throws -> [String] {
        try flush(client, isForced: true)
        answer(wire.next())
        return words(nextFlushed())
    }

    private func item(_ client: Client) throws -> StoredRequest {
        try client.requireOutbox().find(1)
    }

    private func delete() -> RequestSpec {
        var spec = RequestSpec(target: .route("thing", .delete))
        spec.variables["id"] = .value(.string("1"))
        return spec
    }

    /// Moves the clock to the next timer until a request goes out.
    private func nextAfterWaits() -> FakeTransport.Started {
        let limit = SystemClock().now().advanced(milliseconds: 30_000)
        while transport.waitingCount == 0, SystemClock().now() < limit {
            if let next = clock.nextMilliseconds { clock.advance(milliseconds: max(1, next)) }
            sched_yield()
        }
        return transport.next()
    }

    // MARK: Pages

    func testAPageOfHTMLLeavesTheItemAndSaysWhy() throws {
        let client = try stored()
        XCTAssertEqual(
            try flushed(client) { $0.answer(200, page, headers: html) }, ["1 waiting 200"])
        let waiting = try item(client)
        XCTAssertEqual(waiting.waitReason, .notTheAPI)
        XCTAssertEqual(waiting.attempts, 1)
        XCTAssertGreaterThan(waiting.nextAttempt, 0)
        XCTAssertTrue(waiting.lastError?.contains("page of HTML") ?? false)
        // The reason is read from the file, too.
        client.close()
        let wire = FakeTransport()
        let second = try self.client(transport: wire)
        XCTAssertEqual(try item(second).waitReason, .notTheAPI)
        try flush(second, isForced: true)
        wire.answer(200, #"{"id": 1}"#)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200"])
    }

    func testAnItemWithoutAnythingToMapWaitsToo() throws {
        var spec = RequestSpec(target: .path(.put, "notes/7"))
        spec.given.body = .init(bytes: Array("{}".utf8), mediaType: "application/json")
        let client = try client(
            #", "offline": [{"method": "PUT", "path": "notes/:id"}]"#)
        try queueOffline(client, spec)
        XCTAssertEqual(
            try flushed(client) { $0.answer(201, page, headers: html) }, ["1 waiting 201"])
        XCTAssertEqual(try item(client).waitReason, .notTheAPI)
    }

    func testAPageIsNoTakenValueOfTheStore() throws {
        let client = try stored()
        _ = try flushed(client) { $0.answer(200, page, headers: html) }
        XCTAssertEqual(try states(client), ["1 waiting"])
        XCTAssertEqual(try client.requireOutbox().counts().waiting, 1)
    }

    func testACallThatIsAnsweredByTheNetworkIsStored() throws {
        let client = try client()
        let call = try client.send(put(1))
        transport.answer(200, page, headers: html)
        XCTAssertEqual(failure(of: call)?.reason, .queued)
        XCTAssertEqual(try item(client).waitReason, .notTheAPI)
        XCTAssertNotEqual(client.reachability, .reachable)
    }

    func testAnswersOfTheAPIThatOnlyLookLikePages() throws {
        let json = [HeaderField(name: "Content-Type", value: "text/html")]
        for (status, body) in [(200, #"{"id": 1}"#), (200, ""), (204, "")] {
            let client = try stored()
            XCTAssertEqual(
                try flushed(client) { $0.answer(status, body, headers: json) },
                ["1 delivered \(status)"])
            client.close()
            removeFiles()
        }
    }

    func testARefusalMayHaveABodyOfHTML() throws {
        let client = try stored()
        XCTAssertEqual(
            try flushed(client) { $0.answer(413, page, headers: html) }, ["1 dead 413"])
        XCTAssertNil(try item(client).waitReason)
    }

    func testARouteMayTakeHTML() throws {
        for key in [#""accept": "text/html""#, #""parse": "text""#] {
            wire = FakeTransport()
            let client = try client(
                routes: #", "page": {"method": "PUT", "path": "pages/:id", "offline": true, "#
                    + key + "}", transport: wire)
            var spec = RequestSpec(target: .route("page", .put))
            spec.variables["id"] = .value(.string("1"))
            try queueOffline(client, spec)
            XCTAssertEqual(
                try flushed(client) { $0.answer(200, page, headers: html) }, ["1 delivered 200"])
            client.close()
            removeFiles()
        }
    }

    func testAnItemOfABatchMeetsTheNetwork() throws {
        let client = try stored(nil, #", "batch": {"path": "/batch"}"#)
        let part = #"[{"code": 200, "headers": {"Content-Type": "text/html"}, "body": "<p>"}]"#
        XCTAssertEqual(try flushed(client) { $0.answer(200, part) }, ["1 waiting 200"])
        XCTAssertEqual(try item(client).waitReason, .notTheAPI)
        // The page may also be the answer to the whole batch.
        XCTAssertEqual(
            try flushed(client) { $0.answer(200, page, headers: html) }, ["1 waiting 0"])
        XCTAssertEqual(try item(client).waitReason, .notTheAPI)
    }

    // MARK: Redirects and statuses

    func testARedirectToAnotherOriginIsNotFollowed() throws {
        for status in [301, 302, 303, 307, 308] {
            let client = try stored()
            let location = [HeaderField(name: "Location", value: portal)]
            XCTAssertEqual(
                try flushed(client) {
                    $0.answer(status, headers: location, redirectURL: portal)
                }, ["1 waiting \(status)"])
            XCTAssertEqual(try item(client).waitReason, .notTheAPI)
            client.close()
            removeFiles()
        }
    }

    func testARedirectToATrustedOriginIsFollowed() throws {
        let text = """
            {"restway": 1, "environments": {"test": {
                "baseURL": "http://api.test/v1", "trustedOrigins": ["http://portal.test"]}},
             "outbox": {"path": "unused.db"}, "routes": {"thing": {
                "method": "PUT", "path": "things/:id", "offline": true}}}
            """
        var options = ClientOptions()
        options.files.outbox = path
        let client = try Client(
            api: try TestAPI.load(text), options: options, transport: transport, clock: clock)
        addTeardownBlock { client.close() }
        try queueOffline(client, put(1))
        try flush(client)
        transport.answer(
            307, headers: [HeaderField(name: "Location", value: portal)], redirectURL: portal)
        XCTAssertEqual(transport.answer(200, #"{"id": 1}"#).url, portal)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200"])
    }

    func testStatusesOfTheNetworkLeaveTheItem() throws {
        for status in [407, 511] {
            let client = try stored()
            XCTAssertEqual(
                try flushed(client) { $0.answer(status, page, headers: html) },
                ["1 waiting \(status)"])
            XCTAssertEqual(try item(client).waitReason, .notTheAPI)
            client.close()
            removeFiles()
        }
    }

    func testATemporaryStatusIsAnAnswerOfTheAPI() throws {
        let client = try stored()
        XCTAssertEqual(try flushed(client) { $0.answer(529) }, ["1 waiting 529"])
        XCTAssertNil(try item(client).waitReason)
    }

    func testOtherItemsAreTriedBeforeTheWaitOfThisOneIsOver() throws {
        let client = try client()
        try queueOffline(client, put(1), put(2))
        try client.setReachability(.reachable)
        // Until then, only one item meets the network.
        transport.answer(200, page, headers: html)
        let second = nextAfterWaits()
        XCTAssertTrue(second.exchange.url.hasSuffix("/2"))
        XCTAssertEqual(try states(client), ["1 waiting", "2 sending"])
        second.answer(200, #"{"id": 2}"#)
    }

    // MARK: Deletions

    func testAStoredDeleteThatFindsNothingIsDelivered() throws {
        for status in [404, 410] {
            let client = try stored(delete())
            XCTAssertEqual(
                try flushed(client) { $0.answer(status, page, headers: html) },
                ["1 delivered \(status)"])
            client.close()
            removeFiles()
        }
    }

    func testADocumentMayWaitForA404() throws {
        let client = try client(#", "status": [404]"#)
        try queueOffline(client, delete())
        XCTAssertEqual(try flushed(client) { $0.answer(404) }, ["1 waiting 404"])
    }

    func testADeleteThatIsRepeatedOnlineAndFindsNothingIsDone() throws {
        var spec = RequestSpec(target: .path(.delete, "gone/1"))
        spec.sending.authMode = nil
        let client = try client()
        let first = try client.send(spec)
        transport.answer(404)
        XCTAssertEqual(failure(of: first)?.httpStatus, 404)
        let second = try client.send(spec)
        transport.answer(503)
        nextAfterWaits().answer(404, page, headers: html)
        XCTAssertEqual(try second.wait(milliseconds: 0).status, 404)
        // A server that has answered 429 has deleted nothing.
        let third = try client.send(spec)
        transport.answer(429)
        nextAfterWaits().answer(404)
        XCTAssertEqual(failure(of: third)?.httpStatus, 404)
    }
}

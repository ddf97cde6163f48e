import Glibc
import RestwayHTTP
import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// The rows of the table in docs/RETRY.md, each for a stored request, for a call that is retried,
/// and for the rate of the origin where the row names it.
final class AnswerTableTests: OutboxTestCase {
    private struct Answer {
        var status: Int
        var fields: [(String, String)] = []
        var body = ""

        init(_ status: Int, _ fields: [(String, String)] = [], _ body: String = "") {
            (self.status, self.fields, self.body) = (status, fields, body)
        }

        func send(_ started: FakeTransport.Started) {
            started.answer(
                status, body, headers: fields.map { HeaderField(name: $0.0, value: $0.1) },
                redirectURL: fields.first { $0.0 == "Location" }?.1)
        }
    }

    private static let wait = [("Retry-After", "1")]
    private static let html = [("Content-Type", "text/html")]
    private static let json = [("Content-Type", "application/json")]
    private static let page = "<!DOCTYPE html><title>Welcome</title>"
    private static let busy = Answer(
        409, [("Content-Type", "application/problem+json")], #"{"type": "busy"}"#)

    /// Answers that say that the request did not take effect.
    private static let limits = [
        Answer(403, wait), Answer(423, wait), Answer(403, [("X-RateLimit-Remaining", "0")]),
        Answer(429), Answer(429, wait), Answer(503, wait),
    ]
    /// Answers after which the request may have arrived.
    private static let temporary =
        [408, 425, 500, 502, 503, 504, 507, 599].map { Answer($0) } + [Answer(500, wait)]
    private static let refusals =
        [400, 402, 403, 404, 405, 406, 410, 412, 413, 415, 422, 423, 428, 451, 501, 505]
        .map { Answer($0) }
        + [Answer(404, html, page), Answer(413, html, page), Answer(422, wait), Answer(501, wait)]
    /// Answers of the network.
    private static let network = [
        Answer(200, html, page), Answer(201, html, page), Answer(407), Answer(511),
        Answer(302, [("Location", "http://portal.test/login")]),
        Answer(307, [("Location", "http://portal.test/login")]),
    ]

    private lazy var wire = transport

    private func freshClient(_ rest: String = "") throws -> Client {
        wire = FakeTransport()
        return try client(
            #", "inProgress": ["busy"]"#, rest, routes: """
                , "online": {"method": ["PUT", "POST", "DELETE"], "path": "online/:id",
                             "entity": "Thing", "response": {"entity": "Thing"}},
                  "once": {"method": "PUT", "path": "once/:id", "retry": false}
                """, transport: wire)
    }

    private func request(_ method: Method, _ route: String = "thing") -> RequestSpec {
        var spec = RequestSpec(target: .route(route, method))
        if route != "things" {
            spec.variables["id"] = .value(.string("1"))
        }
        if method != .delete {
            spec.given.body = .init(
                bytes: Array(#"{"name":"a"}"#.utf8), mediaType: "application/json")
        }
        return spec
    }

    // MARK: A stored request

    /// Stores a request, lets the server give these answers to it, and returns how it ends.
    private func stored(
        _ spec: RequestSpec, _ answers: Answer..., then check: (Client) throws -> Void = { _ in }
    ) throws -> String {
        let client = try freshClient()
        try queueOffline(client, spec)
        var word = ""
        for answer in answers {
            try flush(client, isForced: true)
            answer.send(wire.next())
            word = nextFlushed().all.map { "\($0.state)" }.joined()
        }
        try check(client)
        client.close()
        removeFiles()
        return word
    }

    func testAStored409WaitsIfSomethingOfItMayBeUnderWay() throws {
        let (put, plain) = (request(.put), Answer(409))
        XCTAssertEqual(try stored(put, plain), "dead")
        XCTAssertEqual(try stored(put, Answer(409, Self.wait)), "waiting")
        XCTAssertEqual(try stored(put, Self.busy), "waiting")
        XCTAssertEqual(try stored(put, Answer(500), plain), "waiting")
        // A 409 that waits may have arrived itself.
        XCTAssertEqual(try stored(put, Answer(409, Self.wait), plain), "waiting")
        XCTAssertEqual(try stored(put, Answer(409, Self.wait), plain, Answer(200)), "delivered")
    }

    func testALostAnswerMakesTheNext409Wait() throws {
        let client = try freshClient()
        try queueOffline(client, request(.put))
        try flush(client, isForced: true)
        wire.next().fail(.connectionLost)
        XCTAssertEqual(nextFlushed().all.map(\.state), [.waiting])
        client.close()
        // Another process sends it again.
        let second = try freshClient()
        try flush(second, isForced: true)
        Answer(409).send(wire.next())
        XCTAssertEqual(nextFlushed().all.map(\.state), [.waiting])
    }

    func testALimitDidNotTakeEffect() throws {
        for limit in Self.limits {
            XCTAssertEqual(try stored(request(.put), limit), "waiting", "\(limit)")
            // The server does not know the request, so the 409 is about something else.
            XCTAssertEqual(try stored(request(.put), limit, Answer(409)), "dead", "\(limit)")
            XCTAssertEqual(try stored(request(.put), limit, Answer(200)), "delivered", "\(limit)")
        }
    }

    func testATemporaryAnswerLeavesOpenWhetherTheRequestHasArrived() throws {
        for answer in Self.temporary {
            XCTAssertEqual(try stored(request(.put), answer), "waiting", "\(answer)")
            XCTAssertEqual(try stored(request(.put), answer, Answer(409)), "waiting", "\(answer)")
        }
    }

    func testAnUnreadableSuccessIsDelivered() throws {
        let bodies: [(FakeTransport.Started) -> Void] = [
            { Answer(200, Self.json, #"{"id": 1, "na"#).send($0) },
            { Answer(200, Self.json + [("Content-Encoding", "gzip")], "no gzip").send($0) },
            { Answer(200, [("Content-Type", "image/png")], "png").send($0) },
            { $0.begin(200, [HeaderField(name: "Content-Type", value: "application/json")])
                $0.fail(.connectionLost) },
            { $0.begin(200, [HeaderField(name: "Content-Type", value: "application/json")])
                $0.fail(.tooLarge) },
        ]
        for (index, send) in bodies.enumerated() {
            let client = try freshClient()
            let entity = try client.api.entity(named: "Thing")
            let draft = Draft(entity)
            let (id, name) = (0, try XCTUnwrap(entity.attributeIndex(named: "name")))
            try draft.set(.int64(1), attribute: id)
            try draft.set(.string("mine"), attribute: name)
            var spec = request(.put)
            spec.given.body = nil
            spec.subject = .draft(draft, client.store)
            try queueOffline(client, spec)
            try flush(client, isForced: true)
            send(wire.next())
            let item = try XCTUnwrap(nextFlushed().all.first)
            XCTAssertEqual(item.state, .delivered, "\(index)")
            XCTAssertFalse(item.lastError?.isEmpty ?? true, "\(index)")
            XCTAssertEqual(try states(client), [], "\(index)")
            let things = try client.store.objects(Query(entity))
            XCTAssertEqual(things.map { $0.value(at: name) }, [.string("mine")], "\(index)")
            client.close()
            removeFiles()
        }
    }

    func testAStoredDeleteThatFindsNothingIsDelivered() throws {
        for status in [404, 410] {
            XCTAssertEqual(try stored(request(.delete), Answer(status)), "delivered")
            XCTAssertEqual(try stored(request(.put), Answer(status)), "dead")
        }
    }

    func testTheNetworkLeavesTheItem() throws {
        for answer in Self.network {
            for method in [Method.put, .delete] {
                let word = try stored(request(method), answer) { client in
                    let item = try client.requireOutbox().find(1)
                    XCTAssertEqual(item.waitReason, .notTheAPI, "\(answer)")
                    XCTAssertGreaterThan(item.nextAttempt, 0, "\(answer)")
                }
                XCTAssertEqual(word, "waiting", "\(answer)")
            }
        }
    }

    func testRedirectsThatMakeAPostAGet() throws {
        let home = [("Location", "http://api.test/v1/things/")]
        let post = request(.post, "things")
        let refused = try stored(post, Answer(301, home)) { client in
            let error = try client.requireOutbox().find(1).lastError ?? ""
            XCTAssertTrue(error.contains("http://api.test/v1/things/"), error)
        }
        XCTAssertEqual(refused, "dead")
        let waiting = try stored(post, Answer(302, home)) { client in
            XCTAssertEqual(try client.requireOutbox().find(1).waitReason, .credential)
        }
        XCTAssertEqual(waiting, "waiting")
        let away = [("Location", "http://portal.test/")]
        let led = try stored(post, Answer(302, away)) { client in
            XCTAssertEqual(try client.requireOutbox().find(1).waitReason, .notTheAPI)
        }
        XCTAssertEqual(led, "waiting")
    }

    func testTheObjectBehindA303IsNotTheObjectOfTheRequest() throws {
        let client = try freshClient()
        let entity = try client.api.entity(named: "Thing")
        let draft = Draft(entity)
        try draft.set(.string("mine"), attribute: 1)
        let subject = RequestSpec.Subject.draft(draft, client.store)
        try queueOffline(client, RequestSpec(target: .subject(.post), subject: subject))
        try flush(client, isForced: true)
        Answer(303, [("Location", "http://api.test/v1/things/7")]).send(wire.next())
        Answer(200, Self.json, #"{"id": 7, "name": "other"}"#).send(wire.next())
        XCTAssertEqual(nextFlushed().all.map(\.state), [.delivered])
        let things = try client.store.objects(Query(entity))
        let found = Set(things.map { "\($0.identity.map { "\($0)" } ?? "-") \($0.value(at: 1))" })
        XCTAssertEqual(found.count, 2, "\(found)")
        XCTAssertTrue(things.contains { $0.identity == nil && $0.value(at: 1) == .string("mine") })
    }

    func testA401WaitsForACredential() throws {
        let word = try stored(request(.put), Answer(401)) { client in
            XCTAssertEqual(try client.requireOutbox().find(1).waitReason, .credential)
        }
        XCTAssertEqual(word, "waiting")
    }

    func testOtherAnswersAreRefusals() throws {
        for answer in Self.refusals {
            XCTAssertEqual(try stored(request(.put), answer), "dead", "\(answer)")
        }
    }

    // MARK: A retried call without an outbox

    /// Sends a request that is never stored, and returns the statuses of its attempts. After the
    /// given answers, the server has taken the request.
    private func online(_ method: Method, key: Bool = false, _ answers: Answer...) throws -> [Int] {
        let client = try freshClient()
        defer {
            client.close()
            removeFiles()
        }
        var spec = request(method, "online")
        if key { spec.headers.append((name: "Idempotency-Key", value: "k")) }
        let call = try client.send(spec)
        for answer in answers + [Answer(204)] {
            let limit = SystemClock().now().advanced(milliseconds: 30_000)
            while wire.waitingCount == 0, !call.isComplete, SystemClock().now() < limit {
                // A later timer is the time limit of the call.
                if let next = clock.nextMilliseconds, next <= 2_000 {
                    clock.advance(milliseconds: max(1, next))
                }
                sched_yield()
            }
            if call.isComplete { break }
            answer.send(wire.next())
        }
        do {
            return try call.wait(milliseconds: 0).attempts.map(\.httpStatus)
        } catch let failure {
            return failure.attempts.map(\.httpStatus)
        }
    }

    func testTemporaryAnswersAreRetried() throws {
        for answer in Self.limits + Self.temporary {
            XCTAssertEqual(try online(.put, answer), [answer.status, 204], "\(answer)")
            // A POST without a key is not sent again by itself.
            XCTAssertEqual(try online(.post, answer), [answer.status], "\(answer)")
        }
        XCTAssertEqual(try online(.post, key: true, Answer(503)), [503, 204])
    }

    func testARetried409WaitsIfSomethingOfItMayBeUnderWay() throws {
        XCTAssertEqual(try online(.put, Answer(409)), [409])
        XCTAssertEqual(try online(.put, Answer(409, Self.wait)), [409, 204])
        XCTAssertEqual(try online(.put, Answer(500), Answer(409)), [500, 409, 204])
        XCTAssertEqual(try online(.put, Answer(429), Answer(409)), [429, 409])
        XCTAssertEqual(try online(.put, Answer(503, Self.wait), Answer(409)), [503, 409])
    }

    func testARetriedDeleteThatFindsNothingIsDone() throws {
        for status in [404, 410] {
            XCTAssertEqual(try online(.delete, Answer(500), Answer(status)), [500, status])
            XCTAssertEqual(try online(.delete, Answer(status)), [status])
        }
    }

    func testRefusalsAndTheNetworkAreNotRetried() throws {
        for answer in Self.refusals + [Answer(401), Answer(407), Answer(511)] {
            XCTAssertEqual(try online(.put, answer), [answer.status], "\(answer)")
        }
    }

    func testAnUnreadableSuccessIsNotRetried() throws {
        XCTAssertEqual(try online(.put, Answer(200, Self.json, #"{"id": 1, "na"#)), [200])
    }

    func testALimitHasNotDeletedAnything() throws {
        for limit in Self.limits {
            let client = try freshClient()
            let call = try client.send(request(.delete, "online"))
            limit.send(wire.next())
            while wire.waitingCount == 0 {
                if let next = clock.nextMilliseconds { clock.advance(milliseconds: max(1, next)) }
                sched_yield()
            }
            Answer(404).send(wire.next())
            XCTAssertEqual(failure(of: call)?.httpStatus, 404, "\(limit)")
            client.close()
            removeFiles()
        }
    }

    // MARK: The rate of the origin

    func testALimitHoldsTheOriginAndALockDoesNot() throws {
        func holds(_ answer: Answer) throws -> Bool {
            let client = try freshClient(#", "rate": {}"#)
            defer {
                client.close()
                removeFiles()
            }
            let first = try client.send(request(.put, "once"))
            answer.send(wire.next())
            XCTAssertEqual(failure(of: first)?.httpStatus, answer.status)
            let second = try client.send(request(.put, "note"))
            let reading = try client.rate(of: nil)
            if reading.waiting == 0 { Answer(204).send(wire.next()) } else { second.cancel() }
            return reading.waiting > 0
        }
        let reset = [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "20")]
        for answer in [Answer(403, Self.wait), Answer(429, Self.wait), Answer(503, Self.wait),
            Answer(403, reset), Answer(429, reset)]
        {
            XCTAssertTrue(try holds(answer), "\(answer)")
        }
        for answer in [Answer(423, Self.wait), Answer(409, Self.wait), Answer(500, Self.wait),
            Answer(422, Self.wait), Answer(403), Answer(429), Answer(503)]
        {
            XCTAssertFalse(try holds(answer), "\(answer)")
        }
    }
}

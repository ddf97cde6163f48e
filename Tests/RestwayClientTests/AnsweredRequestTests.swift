import Glibc
import RestwayHTTP
import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// A request that is not safe is neither sent again nor stored once the server has answered it,
/// whatever becomes of the answer.
final class AnsweredRequestTests: OutboxTestCase {
    private typealias Started = FakeTransport.Started

    private let json = [HeaderField(name: "Content-Type", value: "application/json")]
    private let gzip = [
        HeaderField(name: "Content-Type", value: "application/json"),
        HeaderField(name: "Content-Encoding", value: "gzip"),
    ]
    private lazy var wire = transport

    private func post() -> RequestSpec {
        var spec = RequestSpec(target: .route("things", .post))
        spec.given.body = .init(bytes: Array(#"{"name":"a"}"#.utf8), mediaType: "application/json")
        return spec
    }

    private func get() -> RequestSpec {
        var spec = RequestSpec(target: .route("thing", .get))
        spec.variables["id"] = .value(.string("1"))
        return spec
    }

    /// The ways in which an answer can break behind its status.
    private var breaks: [(name: String, end: (Started, Int) -> Void)] {
        let errors: [TransportError.Kind] = [
            .connectionLost, .protocolViolation, .timedOut, .tooLarge, .outOfMemory, .internal,
        ]
        var all: [(name: String, end: (Started, Int) -> Void)] = errors.map { kind in
            ("\(kind)", { started, status in
                started.begin(status, self.json)
                started.fail(kind)
            })
        }
        all.append(("no gzip", { $0.answer($1, #"{"id": 7}"#, headers: self.gzip) }))
        let cut = String(decoding: [0x1F, 0x0B] as [UInt8], as: UTF8.self)
        all.append(("gzip cut", { $0.answer($1, cut, headers: self.gzip) }))
        return all
    }

    /// Makes a client whose document lets a POST be tried again, too.
    private func eagerClient() throws -> Client {
        wire = FakeTransport()
        return try client(
            #", "capMilliseconds": 1000"#, routes: """
                , "plain": {"method": "POST", "path": "plain", "retry": {"attempts": 3,
                            "methods": ["POST", "GET"], "baseMilliseconds": 1}}
                """, transport: wire)
    }

    func testACallEndsWithWhatIsKnown() throws {
        for (name, end) in breaks {
            let client = try eagerClient()
            let call = try client.send(post())
            end(wire.next(), 201)
            let failure = try XCTUnwrap(failure(of: call), name)
            XCTAssertNotEqual(failure.reason, .queued, name)
            XCTAssertEqual(failure.httpStatus, 201, name)
            XCTAssertEqual(
                failure.response?.headers[first: "Content-Type"], "application/json", name)
            XCTAssertFalse(failure.isRetryable, name)
            XCTAssertEqual(try states(client), [], name)
            XCTAssertEqual(wire.waitingCount, 0, name)
            client.close()
            removeFiles()
        }
    }

    func testACallIsNotRetried() throws {
        for (name, end) in breaks {
            let client = try eagerClient()
            let call = try client.send(RequestSpec(target: .route("plain", .post)))
            end(wire.next(), 200)
            let failure = try XCTUnwrap(failure(of: call), name)
            XCTAssertEqual(failure.httpStatus, 200, name)
            XCTAssertEqual(failure.attempts.count, 1, name)
            client.close()
            removeFiles()
        }
    }

    func testAStoredRequestIsDeliveredWithTheError() throws {
        for (name, end) in breaks {
            let client = try eagerClient()
            try queueOffline(client, post())
            try flush(client, isForced: true)
            end(wire.next(), 201)
            let item = try XCTUnwrap(nextFlushed().all.first, name)
            XCTAssertEqual(item.state, .delivered, name)
            XCTAssertNotNil(item.lastError, name)
            XCTAssertEqual(item.response?.status, 201, name)
            XCTAssertEqual(try states(client), [], name)
            client.close()
            removeFiles()
        }
    }

    func testOtherHeadsCountByTheirStatus() throws {
        for (status, state) in [(400, "dead"), (503, "waiting"), (429, "waiting")] {
            for (name, end) in breaks {
                let client = try eagerClient()
                try queueOffline(client, post())
                try flush(client, isForced: true)
                end(wire.next(), status)
                XCTAssertEqual(words(nextFlushed()), ["1 \(state) \(status)"], name)
                let error = try client.requireOutbox().find(1).lastError ?? ""
                XCTAssertTrue(error.contains("\(status)"), error)
                client.close()
                removeFiles()
            }
        }
    }

    func testACallCountsByItsStatus() throws {
        let client = try eagerClient()
        var call = try client.send(post())
        breaks[0].end(wire.next(), 503)
        XCTAssertEqual(failure(of: call)?.reason, .queued)
        client.close()
        removeFiles()
        let second = try eagerClient()
        call = try second.send(post())
        breaks[0].end(wire.next(), 422)
        let refused = try XCTUnwrap(failure(of: call))
        XCTAssertEqual(refused.reason, .http)
        XCTAssertEqual(refused.httpStatus, 422)
        XCTAssertTrue(refused.message.contains("its body could not be read"), refused.message)
    }

    func testASafeRequestMayBeRepeated() throws {
        let client = try eagerClient()
        let call = try client.send(get())
        breaks[0].end(wire.next(), 200)
        clock.waitAndAdvance(until: { self.wire.waitingCount > 0 })
        wire.answer(200, #"{"id": 1}"#, headers: json)
        XCTAssertEqual(try call.wait(milliseconds: 0).status, 200)
    }

    func testADeletionThatFoundNothingNeedsNoBody() throws {
        let client = try eagerClient()
        var spec = RequestSpec(target: .route("thing", .delete))
        spec.variables["id"] = .value(.string("1"))
        try queueOffline(client, spec)
        try flush(client, isForced: true)
        breaks[0].end(wire.next(), 404)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 404"])
    }

    // MARK: Redirects that change the method

    private func redirect(_ started: Started, _ status: Int, _ target: String) {
        started.answer(
            status, headers: [HeaderField(name: "Location", value: target)], redirectURL: target)
    }

    private let slash = "http://api.test/v1/things/"
    private let login = "http://api.test/login?next=secret"

    private func draft(_ client: Client) throws -> (Draft, RequestSpec) {
        let entity = try client.api.entity(named: "Thing")
        let draft = Draft(entity)
        let name = try XCTUnwrap(entity.attributeIndex(named: "name"))
        try draft.set(.string("mine"), attribute: name)
        return (draft, RequestSpec(target: .subject(.post), subject: .draft(draft, client.store)))
    }

    func testACallAboutADraftFailsWithTheRedirect() throws {
        for status in [301, 302] {
            let client = try eagerClient()
            let (draft, spec) = try draft(client)
            let call = try client.send(spec)
            redirect(wire.next(), status, slash)
            let failure = try XCTUnwrap(failure(of: call))
            XCTAssertEqual(failure.httpStatus, status)
            XCTAssertEqual(failure.response?.headers[first: "Location"], slash)
            XCTAssertTrue(failure.message.contains("lacks its last slash"), failure.message)
            XCTAssertEqual(draft.snapshot().value(at: 1), .string("mine"))
            XCTAssertNil(draft.snapshot().identity)
            XCTAssertEqual(try states(client), [])
            client.close()
            removeFiles()
        }
    }

    func testAStoredRequestIsRefusedBy301AndWaitsAfter302() throws {
        for (status, word) in [(301, "dead"), (302, "waiting")] {
            let client = try eagerClient()
            try queueOffline(client, post())
            try flush(client, isForced: true)
            redirect(wire.next(), status, status == 301 ? slash : login)
            XCTAssertEqual(words(nextFlushed()), ["1 \(word) \(status)"])
            let item = try client.requireOutbox().find(1)
            XCTAssertEqual(item.waitReason, status == 302 ? .credential : nil)
            XCTAssertFalse(item.lastError?.contains("secret") ?? true, item.lastError ?? "")
            XCTAssertTrue(item.lastError?.contains("http://api.test/") ?? false)
            client.close()
            removeFiles()
        }
    }

    func testWithoutRedirectsRequestsEndAsWithThem() throws {
        // Redirects are answers (`nil`), or any redirect is one too many.
        for (status, word, redirectsMax): (Int, String, Int?) in [
            (301, "dead", nil), (302, "waiting", nil), (303, "delivered", nil),
            (301, "dead", 0), (302, "waiting", 0),
        ] {
            wire = FakeTransport()
            let client = try client(transport: wire) {
                $0.calls.followsRedirects = redirectsMax != nil
                $0.calls.redirectsMax = redirectsMax ?? 0
            }
            try queueOffline(client, post())
            try flush(client, isForced: true)
            redirect(wire.next(), status, status == 301 ? slash : login)
            XCTAssertEqual(words(nextFlushed()), ["1 \(word) \(status)"])
            if status == 302 {
                XCTAssertEqual(try client.requireOutbox().find(1).waitReason, .credential)
            }
            _ = try client.requireOutbox().dropAll()
            try client.setReachability(.reachable)
            let (draft, spec) = try draft(client)
            let call = try client.send(spec)
            redirect(wire.next(), status, slash)
            let failure = try XCTUnwrap(failure(of: call))
            XCTAssertEqual(failure.reason, .http)
            XCTAssertEqual(failure.httpStatus, status)
            XCTAssertEqual(failure.response?.headers[first: "Location"], slash)
            XCTAssertNil(draft.snapshot().identity)
            XCTAssertEqual(try states(client), [])
            XCTAssertEqual(wire.waitingCount, 0)
            client.close()
            removeFiles()
        }
    }

    func testARedirectInABatchIsAnAnswerToItsItem() throws {
        for (status, word) in [(301, "dead"), (302, "waiting"), (303, "delivered")] {
            wire = FakeTransport()
            let client = try client(
                "", #", "batch": {"path": "/batch"}"#, transport: wire)
            try queueOffline(client, post(), put(5))
            try flush(client, isForced: true)
            let target = status == 301 ? slash : login
            wire.next().answer(
                200,
                #"[{"code": \#(status), "headers": {"Location": "\#(target)"}}, {"code": 204}]"#)
            XCTAssertEqual(
                words(nextFlushed()), ["1 \(word) \(status)", "2 delivered 204"])
            XCTAssertEqual(wire.waitingCount, 0, "no redirect is followed")
            if word != "delivered" {
                let item = try client.requireOutbox().find(1)
                XCTAssertEqual(item.waitReason, status == 302 ? .credential : nil)
            }
            client.close()
            removeFiles()
        }
    }

    func testA302ToAnotherOriginIsOfTheNetwork() throws {
        let client = try eagerClient()
        try queueOffline(client, post())
        try flush(client, isForced: true)
        redirect(wire.next(), 302, "http://portal.test/")
        XCTAssertEqual(words(nextFlushed()), ["1 waiting 302"])
        XCTAssertEqual(try client.requireOutbox().find(1).waitReason, .notTheAPI)
    }

    func testA303HasTakenTheRequest() throws {
        // The page behind it, and whether the draft becomes its object.
        for (status, body, id): (Int, String, Int64?) in [
            (200, #"{"id": 7, "name": "mine"}"#, 7),
            (200, #"[{"id": 1, "name": "old"}, {"id": 2, "name": "older"}]"#, nil),
            (404, "", nil), (500, "", nil),
        ] {
            let client = try eagerClient()
            try queueOffline(client, draft(client).1)
            try flush(client, isForced: true)
            redirect(wire.next(), 303, slash)
            let second = wire.next()
            XCTAssertEqual(second.exchange.method, "GET")
            second.answer(status, body, headers: json)
            XCTAssertEqual(words(nextFlushed()), ["1 delivered \(status)"])
            XCTAssertEqual(try states(client), [])
            let query = try Query(client.api.entity(named: "Thing"))
            let things = try client.store.objects(query).map { $0.identity }
            XCTAssertEqual(things.contains(.integer(7)), id == 7)
            client.close()
            removeFiles()
        }
    }

    func testACallWhose303FailsIsNotStored() throws {
        let client = try eagerClient()
        let call = try client.send(post())
        redirect(wire.next(), 303, slash)
        wire.next().fail(.connectionLost)
        clock.waitAndAdvance(until: { self.wire.waitingCount > 0 || call.isComplete })
        while !call.isComplete, wire.waitingCount > 0 {
            let next = wire.next()
            XCTAssertEqual(next.exchange.method, "GET")
            next.fail(.connectionLost)
            clock.waitAndAdvance(until: { self.wire.waitingCount > 0 || call.isComplete })
        }
        XCTAssertEqual(failure(of: call)?.reason, .connectionLost)
        XCTAssertEqual(try states(client), [])
    }

    func testAPlainRequestFollowsAsBrowsersDo() throws {
        let client = try eagerClient()
        let call = try client.send(RequestSpec(target: .route("plain", .post)))
        redirect(wire.next(), 302, login)
        wire.answer(200)
        XCTAssertEqual(try call.wait(milliseconds: 0).status, 200)
    }

    // MARK: Resources

    func testARequestThatFoundNoDescriptorIsStored() throws {
        let client = try eagerClient()
        let call = try client.send(post())
        wire.next().fail(.noResources)
        XCTAssertEqual(failure(of: call)?.reason, .queued)
        let item = try client.requireOutbox().find(1)
        XCTAssertEqual(item.state, .waiting)
    }
}

extension ManualClock {
    /// Moves the clock to the next timer until the condition holds.
    fileprivate func waitAndAdvance(until condition: () -> Bool) {
        let limit = SystemClock().now().advanced(milliseconds: 30_000)
        while !condition(), SystemClock().now() < limit {
            // A later timer is the time limit of a call whose wait has ended already.
            if let next = nextMilliseconds, next <= 1_000 { advance(milliseconds: max(1, next)) }
            sched_yield()
        }
    }
}

import RestwayHTTP
import RestwayJSON
import RestwayThreads
import XCTest

@testable import RestwayAuth
@testable import RestwayBatch
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Sessions: which requests are sent, how answers are handled, and how sessions end.
final class BatchSessionTests: BatchTestCase {
    // MARK: Requests that are sent

    func testRequestsGoOutInOneAuthorisedCallAndCarryTheirOwnHeadersOnly() throws {
        let client = try client()
        var list = get("things")
        list.parameters = [Parameter(keys: ["q"], value: .string("a b"))]
        var put = RequestSpec(target: .route("thing", .put))
        put.variables["id"] = .value(.string("7"))
        put.given.body = .init(bytes: Array("{\"x\":1}".utf8), mediaType: "application/json")
        put.headers = [(name: "X-Mine", value: "m")]
        let session = try session(client, [list, put, get("http://api.test/v1/things/2")])
        try send(session)
        let exchange = answer(Self.answer(200), Self.answer(200), Self.answer(200))
        XCTAssertEqual(exchange.method, "POST")
        XCTAssertEqual(exchange.url, "http://api.test/v1/batch")
        let headers = Headers(exchange.headers)
        XCTAssertEqual(headers[first: "Authorization"], "Bearer t1")
        XCTAssertEqual(headers[first: "Content-Type"], "application/json")
        XCTAssertEqual(headers[first: "X-Env"], "e")
        XCTAssertEqual(headers[first: "X-All"], "a")
        XCTAssertEqual(
            try items(exchange),
            [
                #"{"method":"GET","uri":"/things?q=a%20b"}"#,
                #"{"method":"PUT","uri":"/things/7","body":"{\"x\":1}","headers":"#
                    + #"{"X-Route":"r","Content-Type":"application/json","X-Mine":"m"}}"#,
                #"{"method":"GET","uri":"/things/2"}"#,
            ])
        try session.wait(milliseconds: 0)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testAnEmptySessionIsAnEmptyAnswerWithoutACall() throws {
        let session = try session(try client(), [])
        try send(session)
        try session.wait(milliseconds: 0)
        XCTAssertTrue(session.isComplete)
        XCTAssertEqual(everythingTold(), ["session ok", "end"])
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testALongerSessionIsSeveralCallsWhoseAnswersAreJoinedInOrder() throws {
        let client = try client(limit: 2)
        let session = try session(client, (0..<5).map { get("things/\($0)") })
        try send(session)
        for range in [0..<2, 2..<4, 4..<5] {
            let started = transport.next()
            XCTAssertEqual(try items(started.exchange), range.map(Self.item))
            XCTAssertEqual(transport.waitingCount, 0)
            let answers = range.map { Self.answer(200, #"{"id":\#($0)}"#) }
            started.answer(200, "[" + answers.joined(separator: ",") + "]")
        }
        try session.wait(milliseconds: 0)
        for index in 0..<5 {
            let response = try session.response(at: index)
            XCTAssertEqual(response.objects.first?.value(named: "id"), .int64(Int64(index)))
            XCTAssertEqual(response.url, "http://api.test/v1/things/\(index)")
        }
        XCTAssertEqual(
            everythingTold(),
            (0..<5).flatMap { ["\($0) 200", "end \($0)"] } + ["session ok", "end"])
    }

    // MARK: Answers

    func testEachRequestGoesThroughStatusErrorsAndMappingOfItsOwn() throws {
        let client = try client(limit: 4)
        let session = try session(
            client,
            (1...3).map { get("things/\($0)") }
                + [RequestSpec(target: .path(.delete, "things/1"))])
        try send(session)
        _ = answer(
            Self.answer(200, #"{"id":1,"name":"one"}"#),
            Self.answer(422, #"{"error":{"code":"taken","text":"no"}}"#),
            Self.answer(200, "{"), Self.answer(204))
        try session.wait(milliseconds: 0)
        XCTAssertEqual(
            try session.response(at: 0).objects.first?.value(named: "name"), .string("one"))
        let refused = failure { _ = try session.response(at: 1) }
        XCTAssertEqual(refused?.reason, .http)
        XCTAssertEqual(refused?.httpStatus, 422)
        XCTAssertEqual(refused?.apiCode, "taken")
        XCTAssertEqual(refused?.apiMessage, "no")
        XCTAssertEqual(failure { _ = try session.response(at: 2) }?.reason, .mapping)
        XCTAssertEqual(try session.response(at: 3).status, 204)
        // The DELETE came last, so its effect on the store came last, too.
        XCTAssertEqual(try client.store.count(nil), 0)
    }

    func testARedirectIsAnAnswer() throws {
        let session = try session(try client(), [get("things/1")])
        try send(session)
        _ = transport.answer(
            200, #"[{"code":302,"headers":{"Location":"http://api.test/v1/things/2"}}]"#)
        try session.wait(milliseconds: 0)
        XCTAssertEqual(failure { _ = try session.response(at: 0) }?.httpStatus, 302)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testA401RefreshesOnceAndIsSentAgainWithTheNextCall() throws {
        let client = try client(limit: 2)
        let refreshes = Monitor<[RefreshTicket]>([])
        try client.setAuthFunctions { functions in
            functions.refresh = { ticket in refreshes.update { $0.append(ticket) } }
        }
        let session = try session(client, (0..<3).map { get("things/\($0)") })
        try send(session)
        let first = answer(Self.answer(401), Self.answer(401))
        XCTAssertEqual(Headers(first.headers)[first: "Authorization"], "Bearer t1")
        let ticket: RefreshTicket = refreshes.wait { $0.isEmpty ? nil : $0.removeFirst() }!
        var credential = Credential()
        credential.token = Secret("t2")
        XCTAssertTrue(try ticket.succeed(credential))
        let second = answer(Self.answer(200), Self.answer(200))
        XCTAssertEqual(Headers(second.headers)[first: "Authorization"], "Bearer t2")
        XCTAssertEqual(
            try items(second), [0, 1].map(Self.item))
        let third = answer(Self.answer(200))
        XCTAssertEqual(try items(third), [#"{"method":"GET","uri":"/things/2"}"#])
        try session.wait(milliseconds: 0)
        for index in 0..<3 { XCTAssertEqual(try session.response(at: index).status, 200) }
        XCTAssertTrue(refreshes.withLock { $0.isEmpty })
    }

    func testARetryGoesOutInACallOfItsOwn() throws {
        let client = try client(rest: #", "retry": {"attempts": 2, "baseMilliseconds": 0}"#)
        let session = try session(client, [get("things/0"), get("things/1")])
        try send(session)
        _ = answer(Self.answer(503), Self.answer(200))
        let again = answer(Self.answer(200))
        XCTAssertEqual(try items(again), [#"{"method":"GET","uri":"/things/0"}"#])
        try session.wait(milliseconds: 0)
        XCTAssertEqual(try session.response(at: 0).attempts.count, 2)
    }

    // MARK: Failures of calls

    func testAWrongShapeFailsTheRequestsOfTheCallAndNothingIsStored() throws {
        let client = try client(limit: 2)
        let session = try session(client, (0..<3).map { get("things/\($0)") })
        try send(session)
        _ = answer(Self.answer(200, #"{"id":0}"#))
        let failed = failure { try session.wait(milliseconds: 0) }
        XCTAssertEqual(failed?.reason, .batch)
        XCTAssertEqual(failed?.domain, .batch)
        XCTAssertNil(failed?.field)
        XCTAssertEqual(failed?.httpStatus, 200)
        XCTAssertEqual(
            failed?.message,
            "POST http://api.test/v1/batch: 1 answers came for 2 requests")
        for index in 0..<2 {
            XCTAssertEqual(
                failure { _ = try session.response(at: index) }?.message, failed?.message)
        }
        let unsent = failure { _ = try session.response(at: 2) }
        XCTAssertEqual(unsent?.reason, .batch)
        XCTAssertTrue(
            unsent?.message.hasPrefix("GET http://api.test/v1/things/2 was not sent") ?? false)
        XCTAssertEqual(try client.store.count(nil), 0)
        XCTAssertEqual(everythingTold().last { $0 != "end" }, "session batch")
    }

    /// A descriptor without a path, or the rules for answers to requests without a route, would
    /// take the envelopes of a batch for the API's answers.
    func testTheAnswerToABatchIsNeitherMappedNorValidated() throws {
        let client = try client(
            rest: #", "responses": [{"entity": "Thing"}], "validate": {"headers": ["X-API"]}"#)
        let session = try session(client, [get("others/1")])
        try send(session)
        _ = answer(
            #"{"code": 200, "headers": {"X-API": "1"}, "body": "{\"id\": 7, \"name\": \"x\"}"}"#)
        try session.wait(milliseconds: 0)
        XCTAssertEqual(try session.response(at: 0).objects.map(\.identity), [.integer(7)])
        XCTAssertEqual(try client.store.count(nil), 1)
    }

    /// The server may have carried out the others, and then their answers count.
    func testARequestWithoutAnAnswerFailsAloneAndTheBatchGoesOn() throws {
        let client = try client(limit: 3)
        let session = try session(client, (0..<5).map { get("things/\($0)") })
        try send(session)
        _ = answer(
            Self.answer(200, #"{"id":0}"#), "null", #"{"code":"200","body":{"id":2}}"#)
        _ = answer(#"{"code":7}"#, Self.answer(200, #"{"id":4}"#))
        try session.wait(milliseconds: 0)
        for index in [0, 2, 4] {
            XCTAssertEqual(try session.response(at: index).objects.count, 1)
        }
        for (index, field) in [(1, "[1]"), (3, "[0].code")] {
            let failed = failure { _ = try session.response(at: index) }
            XCTAssertEqual(failed?.reason, .batch)
            XCTAssertEqual(failed?.field, field)
            XCTAssertEqual(failed?.httpStatus, 0)
            // The server has the request whose answer cannot be read.
            XCTAssertEqual(failed?.isRetryable, index == 1)
        }
        XCTAssertEqual(try client.store.count(nil), 3)
        XCTAssertEqual(client.reachability, .reachable)
    }

    func testWhenOneOfSeveralCallsFailsEarlierAnswersStand() throws {
        let client = try client(limit: 1)
        let session = try session(client, (0..<4).map { get("things/\($0)") })
        try send(session)
        _ = answer(Self.answer(200, #"{"id":0}"#))
        transport.next().fail(.connectionLost)
        XCTAssertEqual(failure { try session.wait(milliseconds: 0) }?.reason, .connectionLost)
        XCTAssertEqual(try session.response(at: 0).objects.count, 1)
        XCTAssertEqual(
            failure { _ = try session.response(at: 1) }?.reason, .connectionLost)
        for index in 2..<4 {
            let failure = failure { _ = try session.response(at: index) }
            XCTAssertEqual(failure?.reason, .batch)
            XCTAssertEqual(failure?.isRetryable, true)
        }
        XCTAssertEqual(try client.store.count(nil), 1)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testTheStatusOfACallIsTheErrorOfItsRequests() throws {
        let session = try session(try client(), [get("things/0")])
        try send(session)
        transport.answer(500, #"{"error":{"code":"down"}}"#)
        XCTAssertEqual(failure { try session.wait(milliseconds: 0) }?.httpStatus, 500)
        XCTAssertEqual(failure { _ = try session.response(at: 0) }?.apiCode, "down")
    }

    // MARK: Ends

    func testCancelEndsEveryRequestAndTheCall() throws {
        let session = try session(try client(limit: 1), [get("things/0"), get("things/1")])
        try send(session)
        let started = transport.next()
        session.cancel()
        XCTAssertEqual(failure { try session.wait(milliseconds: 0) }?.reason, .cancelled)
        transport.waitForCancels()
        started.answer(200, "[\(Self.answer(200))]")
        XCTAssertEqual(
            everythingTold(),
            ["0 cancelled", "end 0", "1 cancelled", "end 1", "session cancelled", "end"])
    }

    func testARequestThatIsCancelledLeavesTheOthersAlone() throws {
        let session = try BatchSession(try client().batches)
        let calls = try (0..<3).map { try session.add(get("things/\($0)")) }
        calls[0].cancel()
        try session.send()
        let started = transport.next()
        XCTAssertEqual(
            try items(started.exchange), [1, 2].map(Self.item))
        calls[1].cancel()
        started.answer(200, "[\(Self.answer(500)),\(Self.answer(201))]")
        try session.wait(milliseconds: 0)
        XCTAssertEqual(failure { _ = try session.response(at: 0) }?.reason, .cancelled)
        XCTAssertEqual(failure { _ = try session.response(at: 1) }?.reason, .cancelled)
        XCTAssertEqual(try session.response(at: 2).status, 201)
    }

    func testCloseCompletesEverythingOnce() throws {
        let client = try client(limit: 1)
        let sent = try session(client, [get("things/0"), get("things/1")])
        try send(sent)
        _ = transport.next()
        let unsent = try BatchSession(client.batches)
        let call = try unsent.add(get("things/2"))
        client.close()
        XCTAssertEqual(failure { try sent.wait(milliseconds: 0) }?.reason, .closed)
        XCTAssertEqual(failure { _ = try call.wait(milliseconds: 0) }?.reason, .closed)
        XCTAssertEqual(failure { try unsent.send() }?.reason, .closed)
        XCTAssertEqual(failure { try unsent.add(self.get("things/3")) }?.reason, .closed)
        let told = everythingTold()
        XCTAssertEqual(
            told.sorted(),
            ["0 closed", "1 closed", "end", "end 0", "end 1", "session closed"].sorted())
        XCTAssertEqual(told.suffix(2), ["session closed", "end"])
    }

    func testATimeOutOfTheCallIsTheErrorOfItsRequests() throws {
        let session = try session(try client(), [get("things/0")])
        try send(session)
        transport.next().fail(.timedOut)
        XCTAssertEqual(failure { try session.wait(milliseconds: 0) }?.reason, .timedOut)
        XCTAssertEqual(failure { _ = try session.response(at: 0) }?.reason, .timedOut)
    }

    func testAWaitThatPassesCancelsTheSession() throws {
        let session = try session(try client(), [get("things/0")])
        try send(session)
        XCTAssertEqual(failure { try session.wait(milliseconds: 1) }?.reason, .timedOut)
        XCTAssertEqual(failure { _ = try session.response(at: 0) }?.reason, .cancelled)
    }

    func testAnAbandonedSessionIsNeverSent() throws {
        let session = try session(try client(), [get("things/0")])
        session.abandon()
        XCTAssertEqual(failure { _ = try session.response(at: 0) }?.reason, .cancelled)
        XCTAssertEqual(failure { try session.send() }?.reason, .cancelled)
        XCTAssertEqual(transport.waitingCount, 0)
    }
}

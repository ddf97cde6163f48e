import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Tests how a call uses a body that the program gives piece by piece.
final class BodyReaderTests: AuthTestCase {
    private static let policy = #"{"attempts": 4, "baseMilliseconds": 100}"#

    private func put(_ body: RequestSpec.Body) -> RequestSpec {
        var spec = RequestSpec(target: .path(.put, "things"))
        spec.given.body = body
        return spec
    }

    func testThePiecesGoOutAsTheyCome() throws {
        let client = try client(auth: "{}")
        let reader = ScriptedReader(["one", "two", "three"])
        let call = try client.send(put(reader.body()))
        let started = transport.next()
        XCTAssertNil(started.exchange.body.count)
        XCTAssertEqual(Headers(started.exchange.headers)[first: "Content-Type"], "text/plain")
        XCTAssertEqual(reader.reads, 0, "nothing is read before a transport asks")
        XCTAssertEqual(started.pull(), "onetwothree")
        started.answer(200)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(reader.rewinds, 0)
    }

    func testAReaderIsHeldToItsLength() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        for (pieces, message) in [
            (["abc"], "gave 3 of its 5 bytes"), (["abc", "def"], "gave more than its 5 bytes"),
            (["abc", "de", "f"], "gave more than its 5 bytes"),
        ] {
            let reader = ScriptedReader(pieces)
            let call = try client.send(put(reader.body(length: 5)))
            let started = transport.next()
            XCTAssertEqual(started.exchange.body.count, 5)
            XCTAssertNil(started.pull(), "an incomplete body never ends")
            let failure = failure(of: call)
            XCTAssertEqual(failure?.reason, .invalidArgument)
            XCTAssertTrue(failure?.message.hasSuffix(message) == true, "\(failure?.message ?? "")")
            XCTAssertEqual(failure?.attempts.count, 1)
        }
        let exact = ScriptedReader(["abc", "de"])
        let call = try client.send(put(exact.body(length: 5)))
        let started = transport.next()
        XCTAssertEqual(started.pull(), "abcde")
        started.answer(200)
        _ = try call.wait(milliseconds: 0)
    }

    func testAReaderThatFailsFailsTheCallWithItsReason() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        let reader = ScriptedReader(["a"], failure: Failure(.io, "the disk is gone"))
        let call = try client.send(put(reader.body()))
        XCTAssertNil(transport.next().pull())
        let failure = failure(of: call)
        XCTAssertEqual(failure?.reason, .io)
        XCTAssertTrue(failure?.message.hasSuffix("the disk is gone") == true)
        XCTAssertEqual(failure?.attempts.count, 1, "it is not tried again")
        transport.waitForCancels()
        XCTAssertEqual(reader.rewinds, 0)
    }

    func testItIsRewoundBeforeARetryAReplayAndARedirectThatKeepsTheBody() throws {
        let client = try client(retry: Self.policy, refreshes: true)
        let reader = ScriptedReader(["one", "two"])
        let call = try client.send(put(reader.body()))
        var started = transport.next()
        XCTAssertEqual(started.pull(), "onetwo")
        started.answer(503)
        _ = advanceToNext()
        started = transport.next()
        XCTAssertEqual(started.pullOne(), "one", "half of it, then the connection is lost")
        started.fail(.connectionLost)
        _ = advanceToNext()
        started = transport.next()
        XCTAssertEqual(started.pull(), "onetwo")
        started.answer(401)
        nextRefresh().succeedOrFail(token("t2"))
        started = transport.next()
        XCTAssertEqual(started.pull(), "onetwo")
        started.answer(307, redirectURL: "http://api.test/v1/other")
        started = transport.next()
        XCTAssertEqual(started.exchange.url, "http://api.test/v1/other")
        XCTAssertEqual(started.pull(), "onetwo")
        XCTAssertEqual(reader.rewinds, 4)
        started.answer(303, redirectURL: "http://api.test/v1/done")
        started = transport.next()
        XCTAssertEqual(started.exchange.method, "GET")
        XCTAssertNil(started.pull(), "a GET has no body")
        started.answer(200)
        XCTAssertEqual(
            try call.wait(milliseconds: 0).attempts.map(\.reason), [.first, .retry, .retry, .replay]
        )
        XCTAssertEqual(reader.rewinds, 4)
    }

    func testWithoutRewindWhatWasReadIsNotSentAgain() throws {
        let client = try client(retry: Self.policy, refreshes: true)
        for status in [503, 401, 307] {
            let reader = ScriptedReader(["one"])
            let call = try client.send(put(reader.body(rewinds: false)))
            let started = transport.next()
            XCTAssertEqual(started.pull(), "one")
            started.answer(
                status, redirectURL: status == 307 ? "http://api.test/v1/other" : nil)
            let failure = failure(of: call)
            XCTAssertEqual(failure?.httpStatus, status)
            XCTAssertEqual(failure?.attempts.count, 1)
            XCTAssertTrue(failure?.message.hasSuffix(
                "it was not sent again, as the body's reader cannot be rewound") == true)
            if status == 401 {
                // No other call is sent with the credential that the server has refused.
                let next = try client.send(.get("things"))
                nextRefresh().succeedOrFail(token("t2"))
                XCTAssertEqual(authorization(transport.answer(200)), "Bearer t2")
                _ = try next.wait(milliseconds: 0)
            }
        }
        XCTAssertEqual(transport.waitingCount, 0)
        // An answer that would not cause another send is reported unchanged.
        let call = try client.send(put(ScriptedReader(["a"]).body(rewinds: false)))
        let started = transport.next()
        XCTAssertEqual(started.pull(), "a")
        started.answer(404)
        XCTAssertEqual(failure(of: call)?.message.contains { $0 == ";" }, false)
    }

    func testWithoutRewindWhatWasNotReadIsSentAgain() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        let reader = ScriptedReader(["one"])
        let call = try client.send(put(reader.body(rewinds: false)))
        transport.next().fail(.connect)
        _ = advanceToNext()
        let started = transport.next()
        XCTAssertEqual(started.pull(), "one")
        started.answer(200)
        XCTAssertEqual(try call.wait(milliseconds: 0).attempts.count, 2)
    }

    func testARewindThatFailsFailsTheCall() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        let reader = ScriptedReader(["one"], rewind: Failure(.io, "the tape is torn"))
        let call = try client.send(put(reader.body()))
        let started = transport.next()
        XCTAssertEqual(started.pull(), "one")
        started.answer(503)
        _ = advanceToNext()
        let failure = failure(of: call)
        XCTAssertEqual(failure?.reason, .io)
        XCTAssertTrue(failure?.message.hasSuffix("the tape is torn") == true)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testACallEndsWhileItsReaderIsAsked() throws {
        for closes in [false, true] {
            let client = try client(auth: "{}")
            let reader = ScriptedReader(["one"], gate: 0)
            var call: Call? = try client.send(put(reader.body()))
            transport.next().ask()
            reader.waitForReads(1)
            if closes { client.close() } else { call!.cancel() }
            XCTAssertEqual(failure(of: call!)?.reason, closes ? .closed : .cancelled)
            call = nil
            XCTAssertFalse(reader.hasEnded, "its function still runs")
            reader.open()
            reader.waitForEnd()
            XCTAssertEqual(reader.reads, 1)
        }
    }

    func testARewindWaitsForAReadThatStillRuns() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        let reader = ScriptedReader(["one", "two"], gate: 1)
        let call = try client.send(put(reader.body()))
        var started = transport.next()
        XCTAssertEqual(started.pullOne(), "one")
        started.ask()
        reader.waitForReads(2)
        started.answer(503)
        _ = advanceToNext()
        // The time limit of the call still applies meanwhile.
        while clock.nextMilliseconds == nil { sched_yield() }
        XCTAssertEqual(reader.rewinds, 0)
        reader.open()
        started = transport.next()
        XCTAssertEqual(started.pull(), "onetwo")
        started.answer(200)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(reader.rewinds, 1)
    }

    func testTheTimeOutHoldsWhileARewindWaits() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        let reader = ScriptedReader(["one"], gate: 0)
        let call = try client.send(put(reader.body()))
        let started = transport.next()
        started.ask()
        reader.waitForReads(1)
        started.fail(.connectionLost)
        _ = advanceToNext()
        XCTAssertEqual(advanceToNext(), 60_000)
        XCTAssertEqual(failure(of: call)?.reason, .timedOut)
        XCTAssertEqual(reader.rewinds, 0)
        reader.open()
    }

    func testOneCallReadsAtATimeAndALaterOneRewinds() throws {
        let client = try client(auth: "{}")
        let reader = ScriptedReader(["one", "two"])
        let spec = put(reader.body())
        let first = try client.send(spec)
        let started = transport.next()
        XCTAssertEqual(started.pullOne(), "one")
        let refused = failure(of: try client.send(spec))
        XCTAssertEqual(refused?.reason, .invalidArgument)
        XCTAssertEqual(refused?.field, "reader")
        first.cancel()
        let second = try client.send(spec)
        // The reader no longer gets the requests of the previous exchange.
        started.ask()
        let again = transport.next()
        XCTAssertEqual(again.pull(), "onetwo")
        again.answer(200)
        _ = try second.wait(milliseconds: 0)
        XCTAssertEqual(reader.rewinds, 1)

        let once = put(ScriptedReader(["one"]).body(rewinds: false))
        let only = try client.send(once)
        let sent = transport.next()
        XCTAssertEqual(sent.pull(), "one")
        sent.answer(200)
        _ = try only.wait(milliseconds: 0)
        XCTAssertEqual(failure(of: try client.send(once))?.reason, .invalidArgument)
    }

    func testReadersThatWaitKeepNobodyElseWaiting() throws {
        let client = try client(auth: "{}")
        let readers = (0..<8).map { _ in ScriptedReader(["one"], gate: 0) }
        let calls = try readers.map { try client.send(put($0.body())) }
        let started = calls.map { _ in transport.next() }
        for started in started { started.ask() }
        for reader in readers { reader.waitForReads(1) }
        // There are more readers than workers, but other work continues.
        let told = Monitor(false)
        let other = try client.send(
            .get("things"), completion: { _, _ in told.update { $0 = true } })
        transport.answer(200, #"{"list": [{"id": 1}]}"#)
        told.wait { $0 ? () : nil }
        XCTAssertEqual(try other.wait(milliseconds: 0).objects.count, 1)
        for call in calls { call.cancel() }
        for reader in readers { reader.open() }
    }

    func testProgressGoesOnWithoutATotal() throws {
        let client = try client(auth: "{}")
        var spec = put(ScriptedReader(["one"]).body())
        spec.reception.progress = ProgressRequest(intervalMilliseconds: 1, function: nil)
        let call = try client.send(spec)
        let started = transport.next()
        XCTAssertNil(call.progress.upload.total)
        started.observer.progressed(
            uploaded: 3, uploadTotal: 0, downloaded: 0, downloadTotal: 0)
        XCTAssertEqual(call.progress.upload, .init(done: 3, total: nil))
        started.answer(200)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(call.progress.upload, .init(done: 3, total: 3))
    }

    func testACurlCommandTakesTheBodyFromItsInput() throws {
        let client = try client(auth: "{}")
        let command = try client.curlCommand(put(ScriptedReader(["x"]).body()), reveals: false)
        XCTAssertTrue(command.hasSuffix("--data-binary @- 'http://api.test/v1/things'"), command)
    }
}

import RestwayHTTP
import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayBodies
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Tests event streams with a transport that the test controls, and a clock that it moves.
final class EventStreamTests: AuthTestCase {
    /// An event as the receiver of a test has seen it.
    private struct Seen: Equatable {
        var name = "message"
        var id = ""
        var data: String
        var objects: [Int64] = []
        var failure: Failure.Reason?
        /// The number of objects in the store when the event arrived.
        var storedCount = 0
    }

    private struct Received {
        var heads: [Int] = []
        var events: [Seen] = []
        var failures: [Failure] = []
    }

    private let received = Monitor(Received())
    private static let type = [HeaderField(name: "Content-Type", value: "text/event-stream")]

    /// - Parameter answer: Called after each event, with the number of events so far.
    private func spec(
        _ path: String = "things", of client: Client? = nil,
        _ options: EventReceiver.Options = EventReceiver.Options(),
        answer: @escaping @Sendable (Int) -> Result<BodyFlow, Failure> = { _ in .success(.proceed) }
    ) -> RequestSpec {
        let receiver = EventReceiver(
            options,
            receiveHead: { [received] head in
                received.update { $0.heads.append(head.status) }
                return .success(())
            },
            receive: { [received] event in
                let objects: [Int64] = event.objects.map { object in
                    guard case .int64(let number) = object.value(at: 0) else { return -1 }
                    return number
                }
                let stored = event.objects.first.flatMap { object in
                    try? client?.calls.store.newest(object.entity, storeKey: object.storeKey)
                }
                let seen = Seen(
                    name: event.name, id: event.id,
                    data: String(decoding: event.data, as: UTF8.self), objects: objects,
                    failure: event.failure?.reason, storedCount: stored == nil ? 0 : 1)
                let count = received.update { received in
                    received.events.append(seen)
                    if let failure = event.failure { received.failures.append(failure) }
                    return received.events.count
                }
                return answer(count)
            })
        var spec = RequestSpec.get(path)
        spec.reception.bodyDestination = .events(receiver, nil)
        return spec
    }

    private func begin(
        _ status: Int = 200, _ headers: [HeaderField] = type
    ) -> FakeTransport.Started {
        transport.begin(status, headers)
    }

    @discardableResult
    private func give(_ text: String, to started: FakeTransport.Started) -> BodyReply {
        Array(text.utf8).withUnsafeBytes { started.observer.receivedBody($0) }
    }

    private func wait(for count: Int) -> [Seen] {
        received.wait { $0.events.count >= count ? $0.events : nil } ?? []
    }

    private func header(_ name: String, _ started: FakeTransport.Started) -> String? {
        Headers(started.exchange.headers)[first: name]
    }

    private func never() -> EventReceiver.Options {
        var options = EventReceiver.Options()
        options.reconnectionsMax = 0
        return options
    }

    /// The descriptor of "things" takes its objects from the key "list".
    private func thing(_ id: Int) -> String { #"data: {"list": {"id": \#(id)}}"# + "\n\n" }

    // MARK: Events

    func testEachEventIsMappedAndStoredBeforeTheProgramReceivesIt() throws {
        let client = try client(auth: "{}")
        let call = try client.send(spec(of: client, never()))
        let started = begin()
        give("id: a\nevent: new\n" + thing(1) + thing(2), to: started)
        XCTAssertEqual(
            wait(for: 2),
            [
                Seen(
                    name: "new", id: "a", data: #"{"list": {"id": 1}}"#, objects: [1],
                    storedCount: 1),
                Seen(id: "a", data: #"{"list": {"id": 2}}"#, objects: [2], storedCount: 1),
            ])
        XCTAssertFalse(call.isComplete)
        started.observer.completed(.success(ExchangeSummary()))
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(response.status, 200)
        XCTAssertEqual(response.bodyCount, 0)
        XCTAssertEqual(received.withLock { $0.heads }, [200])
    }

    func testEventsThatArriveTogetherAreOneCommit() throws {
        let client = try client(auth: "{}")
        let commits = Monitor<[Int]>([])
        let observer = try client.observe(
            .everything, changed: { changes in commits.update { $0.append(changes.changes.count) } }
        )
        defer { withExtendedLifetime(observer) {} }
        let call = try client.send(spec(of: client, never()))
        let started = begin()
        give(
            thing(1) + "event: other\n" + thing(2) + "data: no\n\n" + thing(3) + thing(3),
            to: started)
        XCTAssertEqual(wait(for: 5).map(\.objects), [[1], [2], [], [3], [3]])
        started.observer.completed(.success(ExchangeSummary()))
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(commits.wait { $0.isEmpty ? nil : $0 }, [3])
    }

    func testTheLogTellsWhatEventsHaveStored() throws {
        let lines = Monitor<[String]>([])
        Log.shared.set(LogLevels(all: .debug)) { record in
            lines.update { $0.append(record.message) }
        }
        defer { Log.shared.set(LogLevels(), nil) }
        let client = try client(auth: "{}")
        let call = try client.send(spec(of: client, never()))
        let started = begin()
        give(thing(1) + thing(2), to: started)
        _ = wait(for: 2)
        let stored = "2 objects inserted, 0 updated"
        Log.shared.flush()
        XCTAssertTrue(lines.withLock { $0.contains { $0.hasSuffix(stored) } })
        started.observer.completed(.success(ExchangeSummary()))
        _ = try call.wait(milliseconds: 0)
    }

    func testAnEventThatDoesNotMapIsToldAndTheStreamGoesOn() throws {
        let client = try client(auth: "{}")
        let call = try client.send(spec(of: client, never()))
        let started = begin()
        give(
            thing(1) + "event: end\ndata: [DONE]\n\n" + "data: {\n\n" + thing(2) + "data: 3\n\n",
            to: started)
        let events = wait(for: 5)
        XCTAssertEqual(events.map(\.objects), [[1], [], [], [2], []])
        XCTAssertEqual(events.map(\.failure), [nil, .mapping, .mapping, nil, nil])
        let failure = received.withLock { $0.failures[0] }
        XCTAssertTrue(failure.message.contains("the event \"end\": "), failure.message)
        XCTAssertTrue(failure.message.hasSuffix("(byte 5): [DONE]"), failure.message)
        started.observer.completed(.success(ExchangeSummary()))
        _ = try call.wait(milliseconds: 0)
    }

    func testAnEventWithEmptyDataHasNoObjects() throws {
        let client = try client(auth: "{}")
        let call = try client.send(spec(of: client, never()))
        let started = begin()
        give("data\n\n" + thing(1) + "data:  \n\n" + thing(2), to: started)
        let events = wait(for: 4)
        XCTAssertEqual(events.map(\.objects), [[], [1], [], [2]])
        XCTAssertEqual(events.compactMap(\.failure), [])
        started.observer.completed(.success(ExchangeSummary()))
        _ = try call.wait(milliseconds: 0)
    }

    func testTheObjectsOfEventsInAnyPiecesAreTheSame() throws {
        let client = try client(auth: "{}")
        let call = try client.send(spec(of: client, never()))
        let started = begin()
        for id in 1...20 {
            for byte in thing(id).utf8 { give(String(UnicodeScalar(byte)), to: started) }
        }
        XCTAssertEqual(wait(for: 20).map(\.objects), (1...20).map { [$0] })
        started.observer.completed(.success(ExchangeSummary()))
        _ = try call.wait(milliseconds: 0)
    }

    func testLinesEndWithTheBodyAndMapTheLastLine() throws {
        let client = try client(auth: "{}")
        let call = try client.send(spec(of: client))
        let started = begin(200, [HeaderField(name: "Content-Type", value: "application/jsonl")])
        give("{\"list\": [{\"id\": 1}, {\"id\": 2}]}\n{\"list\": {\"id\": 3}}", to: started)
        XCTAssertEqual(wait(for: 1).map(\.objects), [[1, 2]])
        started.observer.completed(.success(ExchangeSummary()))
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(wait(for: 2).map(\.objects), [[1, 2], [3]])
        XCTAssertNil(clock.nextMilliseconds, "lines are not read again")
    }

    func testATruncatedTextOfASequenceIsAnErrorAndTheNextOneIsRead() throws {
        let client = try client(auth: "{}")
        let call = try client.send(spec(of: client))
        let started = begin(
            200, [HeaderField(name: "Content-Type", value: "application/json-seq")])
        give("\u{1E}{\"list\": \u{1E}{\"list\": {\"id\": 3}}\n", to: started)
        started.observer.completed(.success(ExchangeSummary()))
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(wait(for: 2).map(\.failure), [.mapping, nil])
        XCTAssertEqual(wait(for: 2)[1].objects, [3])
    }

    // MARK: Reconnection

    func testAStreamIsOpenedAgainWithTheLastIDUntilTheServerHasNothing() throws {
        let client = try client(auth: "{}")
        let call = try client.send(spec(of: client))
        var started = begin()
        XCTAssertEqual(header("Accept", started)?.hasPrefix("text/event-stream, "), true)
        XCTAssertEqual(header("Cache-Control", started), "no-cache")
        XCTAssertNil(header("Last-Event-ID", started))
        give("retry: 250\nid: 7\n" + thing(1) + "id: 8\ndata: incomplete\n", to: started)
        _ = wait(for: 1)
        started.fail(.connectionLost)
        XCTAssertEqual(advanceToNext(), 250)
        started = begin()
        XCTAssertEqual(header("Last-Event-ID", started), "7")
        give(thing(2), to: started)
        XCTAssertEqual(wait(for: 2)[1].id, "7")
        started.observer.completed(.success(ExchangeSummary()))
        XCTAssertEqual(advanceToNext(), 250)
        transport.next().fail(.connect)
        XCTAssertEqual(advanceToNext(), 2_000)
        XCTAssertFalse(call.isComplete)
        started = begin(204, [])
        started.observer.completed(.success(ExchangeSummary()))
        XCTAssertEqual(try call.wait(milliseconds: 0).status, 204)
        XCTAssertEqual(received.withLock { $0.heads }, [200, 200])
    }

    func testARedirectIsFollowedAnewByEachConnection() throws {
        let client = try client(auth: "{}")
        let call = try client.send(spec(of: client))
        let first = transport.next()
        first.answer(307, redirectURL: "http://api.test/v1/other")
        let started = begin()
        XCTAssertTrue(started.exchange.url.hasSuffix("other"))
        give("retry: 1\n\n", to: started)
        started.fail(.connectionLost)
        _ = advanceToNext()
        let second = begin(204, [])
        XCTAssertEqual(second.exchange.url, first.exchange.url)
        second.observer.completed(.success(ExchangeSummary()))
        _ = try call.wait(milliseconds: 0)
    }

    func testAnotherStatusOrMediaTypeEndsTheStream() throws {
        let client = try client(auth: "{}")
        for isStatus in [true, false] {
            let call = try client.send(spec(of: client))
            let started = begin()
            give("\n", to: started)
            started.observer.completed(.success(ExchangeSummary()))
            _ = advanceToNext()
            if isStatus {
                transport.answer(503, "later")
            } else {
                let other = begin(200, [HeaderField(name: "Content-Type", value: "text/html")])
                give("<html>", to: other)
                transport.waitForCancels()
                other.fail(.cancelled)
            }
            XCTAssertEqual(failure(of: call)?.reason, isStatus ? .http : .mapping)
        }
        XCTAssertEqual(received.withLock { $0.heads }, [200, 200])
    }

    func testTheRetryPolicyHoldsForStatusesAndForTheFirstConnection() throws {
        let client = try client(
            auth: "{}",
            retry: #"{"attempts": 2, "baseMilliseconds": 100, "deadlineMilliseconds": 1000}"#)
        let call = try client.send(spec(of: client))
        transport.next().fail(.connect)
        _ = advanceToNext()
        var started = begin()
        give("retry: 5000\n" + thing(1), to: started)
        _ = wait(for: 1)
        for _ in 0..<3 {
            started.observer.completed(.success(ExchangeSummary()))
            XCTAssertEqual(advanceToNext(), 5_000)
            transport.answer(503, "later")
            XCTAssertLessThan(advanceToNext(), 5_000, "each connection has its own retries")
            started = begin()
            give(thing(2), to: started)
        }
        _ = wait(for: 4)
        call.cancel()
        transport.waitForCancels()
        started.fail(.cancelled)
        XCTAssertEqual(failure(of: call)?.reason, .cancelled)
    }

    func testAStreamThatWasNotOpenedOnceIsNotOpenedAgain() throws {
        let client = try client(auth: "{}")
        let call = try client.send(spec(of: client))
        transport.next().fail(.connect)
        XCTAssertEqual(failure(of: call)?.reason, .connect)
    }

    func testAStreamThatWasOpenedWithPOSTEndsWithItsBody() throws {
        let client = try client(auth: "{}")
        for isLost in [false, true] {
            var spec = spec(of: client)
            spec.target = .path(.post, "things")
            let call = try client.send(spec)
            let started = begin()
            give(thing(1), to: started)
            if isLost {
                started.fail(.connectionLost)
                XCTAssertEqual(failure(of: call)?.reason, .connectionLost)
            } else {
                started.observer.completed(.success(ExchangeSummary()))
                XCTAssertEqual(try call.wait(milliseconds: 0).status, 200)
            }
        }
        XCTAssertNil(clock.nextMilliseconds)
    }

    func testTheRequestsOwnTimeLimitHoldsForAllConnections() throws {
        let client = try client(auth: "{}")
        var spec = spec(of: client)
        let unlimited = try client.send(spec)
        let first = begin()
        XCTAssertEqual(first.exchange.timeouts.totalMilliseconds, 0)
        unlimited.cancel()
        transport.waitForCancels()
        first.fail(.cancelled)
        spec.timeouts.totalMilliseconds = 4_000
        let call = try client.send(spec)
        let started = begin()
        XCTAssertEqual(started.exchange.timeouts.totalMilliseconds, 4_000)
        give(thing(1), to: started)
        _ = wait(for: 1)
        started.fail(.connectionLost)
        XCTAssertEqual(advanceToNext(), 3_000)
        let second = begin()
        XCTAssertEqual(second.exchange.timeouts.totalMilliseconds, 1_000)
        second.fail(.timedOut)
        XCTAssertEqual(failure(of: call)?.reason, .timedOut)
    }

    func testACloseOrACancelEndsAStreamThatWaits() throws {
        for closes in [false, true] {
            let client = try client(auth: "{}", clock: clock)
            let call = try client.send(spec(of: client))
            let started = begin()
            give("\n", to: started)
            started.fail(.connectionLost)
            while clock.nextMilliseconds == nil { sched_yield() }
            if closes { client.close() } else { call.cancel() }
            XCTAssertEqual(failure(of: call)?.reason, closes ? .closed : .cancelled)
            // The thread that ended the call cancels the timer after it has told the outcome.
            while clock.nextMilliseconds != nil { sched_yield() }
        }
    }

    // MARK: The program

    func testAReceiverThatPausesGetsTheRestOfACommitAndNoMore() throws {
        let client = try client(auth: "{}")
        let call = try client.send(
            spec(of: client, never()) { .success($0 == 1 ? .pause : .proceed) })
        let started = begin()
        give(thing(1) + thing(2), to: started)
        _ = wait(for: 2)
        give(thing(3), to: started)
        started.observer.completed(.success(ExchangeSummary()))
        XCTAssertEqual(received.withLock { $0.events.count }, 2)
        XCTAssertFalse(call.isComplete)
        call.resume()
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(wait(for: 3).count, 3)
    }

    func testAReceiverThatFailsEndsTheCallWhateverItsReasonIs() throws {
        let client = try client(auth: "{}")
        for (index, reason) in [Failure.Reason.store, .connectionLost].enumerated() {
            let call = try client.send(
                spec(of: client) { _ in .failure(Failure(reason, "no more, please")) })
            let started = begin()
            give(thing(1) + thing(2), to: started)
            transport.waitForCancels(index + 1)
            started.fail(.cancelled)
            let failure = failure(of: call)
            XCTAssertEqual(failure?.reason, reason)
            XCTAssertTrue(failure?.message.contains("no more, please") ?? false)
            XCTAssertEqual(received.withLock { $0.events.count }, index + 1)
            XCTAssertNil(clock.nextMilliseconds)
        }
    }

    func testAnEventBeyondTheBoundEndsTheCall() throws {
        let client = try client(auth: "{}")
        var options = EventReceiver.Options()
        options.bytesMax = 30
        let call = try client.send(spec(of: client, options))
        let started = begin()
        give(thing(1) + "data: " + String(repeating: "x", count: 30), to: started)
        transport.waitForCancels()
        started.fail(.cancelled)
        let failure = failure(of: call)
        XCTAssertEqual(failure?.reason, .tooLarge)
        XCTAssertTrue(failure?.message.contains("larger than 30 bytes") ?? false)
        XCTAssertEqual(received.withLock { $0.events.map(\.objects) }, [[1]])
    }
}

import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

final class ProgressTests: AuthTestCase {
    private let told = Monitor<[CallProgress]>([])

    private func watched(_ method: Watched = .get) -> RequestSpec {
        var spec = RequestSpec(target: .path(method == .get ? .get : .put, "things"))
        if method == .put {
            spec.given.body = .init(
                bytes: Array(repeating: 0, count: 100), mediaType: "application/octet-stream")
        }
        spec.reception.progress = ProgressRequest(intervalMilliseconds: 10) { [told] _, progress in
            told.update { $0.append(progress) }
        }
        return spec
    }

    func testTheFractionWeighsItsPartsAndNeverGoesBack() {
        var progress = CallProgress(uploadTotal: 100)
        progress.update { $0.upload.done = 50 }
        XCTAssertEqual(progress.fraction, 0.2, accuracy: 1e-9)
        progress.update { $0.upload.done = 100 }
        progress.update { $0.download = .init(done: 10, total: 40) }
        XCTAssertEqual(progress.fraction, 0.5, accuracy: 1e-9)
        progress.update { $0.download.total = nil }
        XCTAssertEqual(progress.fraction, 0.5, accuracy: 1e-9, "not known is not done")
        progress.update { $0.upload.done = 0 }
        XCTAssertEqual(progress.fraction, 0.5, accuracy: 1e-9)
        progress.update { progress in
            progress.upload.done = 100
            progress.download = .init(done: 40, total: 40)
            progress.mapping = .init(done: 7, total: 7)
        }
        XCTAssertLessThan(progress.fraction, 1, "only a success is all")
        progress.finish()
        XCTAssertEqual(progress.fraction, 1)
    }

    func testWithoutABodyTheDownloadCountsMore() {
        var progress = CallProgress(uploadTotal: 0)
        progress.update { $0.download = .init(done: 1, total: 2) }
        XCTAssertEqual(progress.fraction, 0.4, accuracy: 1e-9)
    }

    func testNoticesKeepTheirDistanceAndTheLastSaysThatAllIsDone() throws {
        let client = try client(auth: "{}")
        let call = try client.send(watched(.put))
        let started = transport.next()
        XCTAssertTrue(started.observer.wantsProgress)
        for done in [10, 20, 30] as [Int64] {
            started.observer.progressed(
                uploaded: done, uploadTotal: 100, downloaded: 0, downloadTotal: 0)
            XCTAssertEqual(call.progress.upload.done, done)
        }
        XCTAssertNotNil(told.wait { $0.isEmpty ? nil : () })
        clock.advance(milliseconds: 10)
        started.observer.progressed(
            uploaded: 40, uploadTotal: 100, downloaded: 0, downloadTotal: 0)
        XCTAssertNotNil(told.wait { $0.count == 2 ? () : nil })
        started.answer(200, #"{"list": [{"id": 1}, {"id": 2}]}"#)
        _ = try call.wait(milliseconds: 0)
        XCTAssertNotNil(told.wait { $0.last?.fraction == 1 ? () : nil })
        let all = told.withLock { $0 }
        XCTAssertEqual(all.map(\.fraction), all.map(\.fraction).sorted())
        XCTAssertEqual(all.last?.upload, .init(done: 100, total: 100))
    }

    func testAnUploadThatGoesOnKeepsItsProgressWhileTheServerIsAsked() throws {
        let client = try client(
            auth: "{}", retry: #"{"attempts": 2, "baseMilliseconds": 100}"#)
        var spec = watched(.put)
        spec.target = .path(.post, "things")
        let resource = Resource(
            .bytes(Array(repeating: 0, count: 100)), name: nil, mediaType: nil)
        spec.given.body = .init(resource: resource, digests: [])
        var plan = UploadPlan(.tus)
        plan.pieceBytesMax = 40
        spec.given.upload = plan
        let call = try client.send(spec)
        transport.answer(201, headers: [HeaderField(name: "Location", value: "/uploads/1")])
        transport.answer(204, headers: [HeaderField(name: "Upload-Offset", value: "40")])
        let piece = transport.next()
        piece.observer.progressed(uploaded: 5, uploadTotal: 40, downloaded: 0, downloadTotal: 0)
        XCTAssertEqual(call.progress.upload, .init(done: 45, total: 100))
        piece.fail(.connectionLost)
        _ = advanceToNext()
        let question = transport.next()
        XCTAssertEqual(question.exchange.method, "HEAD")
        question.observer.progressed(uploaded: 0, uploadTotal: 0, downloaded: 0, downloadTotal: 0)
        XCTAssertEqual(call.progress.upload, .init(done: 40, total: 100))
        question.answer(
            200,
            headers: [
                HeaderField(name: "Upload-Offset", value: "100"),
                HeaderField(name: "Upload-Length", value: "100"),
            ])
        XCTAssertEqual(try call.wait(milliseconds: 0).status, 200)
    }

    func testWhoCancelsWhereItIsToldIsNotToldAgain() throws {
        let client = try client(auth: "{}")
        let exchange = Lock<FakeTransport.Started?>(nil)
        var spec = watched(.put)
        spec.reception.progress = ProgressRequest(intervalMilliseconds: 10) {
            [told, clock] call, progress in
            told.update { $0.append(progress) }
            // The next notice is queued before the completion.
            clock.advance(milliseconds: 10)
            exchange.withLock { $0 }?.observer.progressed(
                uploaded: 20, uploadTotal: 100, downloaded: 0, downloadTotal: 0)
            call.cancel()
        }
        let isOver = Monitor(false)
        let call = try client.send(spec) { _, _ in isOver.update { $0 = true } }
        let started = transport.next()
        exchange.withLock { $0 = started }
        started.observer.progressed(
            uploaded: 10, uploadTotal: 100, downloaded: 0, downloadTotal: 0)
        XCTAssertNotNil(isOver.wait { $0 ? () : nil })
        XCTAssertThrowsError(try call.wait(milliseconds: 0))
        XCTAssertEqual(call.progress.upload.done, 20)
        XCTAssertEqual(told.withLock(\.count), 1)
    }

    func testAReplayStartsItsBytesAnewAndKeepsTheFraction() throws {
        let client = try client(refreshes: true)
        let call = try client.send(watched(.put))
        let first = transport.next()
        first.observer.progressed(
            uploaded: 100, uploadTotal: 100, downloaded: 0, downloadTotal: 0)
        let fraction = call.progress.fraction
        XCTAssertGreaterThan(fraction, 0.3)
        first.answer(401)
        nextRefresh().succeedOrFail(token("t2"))
        let second = transport.next()
        second.observer.progressed(
            uploaded: 5, uploadTotal: 100, downloaded: 0, downloadTotal: 0)
        XCTAssertEqual(call.progress.upload.done, 5)
        XCTAssertGreaterThanOrEqual(call.progress.fraction, fraction)
        second.answer(200)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(call.progress.fraction, 1)
    }

    func testObjectsAreCountedWhileTheyAreMapped() throws {
        let client = try client(auth: "{}")
        let call = try client.send(watched())
        transport.answer(200, #"{"list": [{"id": 1}, {"id": 2}, {"id": 3}]}"#)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(call.progress.mapping, .init(done: 3, total: 3))
    }

    func testAFunctionThatHoldsItsCallIsLetGoWhenTheCallCompletes() throws {
        for outcome in ["success", "failure", "cancel"] {
            weak var held: Holder?
            weak var completed: Call?
            weak var owner: Client?
            try {
                let client = try client(auth: "{}")
                owner = client
                let holder = Holder()
                held = holder
                var spec = RequestSpec(target: .path(.get, "things"))
                spec.reception.progress = ProgressRequest(intervalMilliseconds: 10) {
                    [holder] call, _ in
                    holder.call.withLock { $0 = call }
                }
                let call = try client.send(spec)
                completed = call
                holder.call.withLock { $0 = call }
                let started = transport.next()
                switch outcome {
                case "success": started.answer(200)
                case "failure": started.answer(500)
                default: call.cancel()
                }
                _ = try? call.wait(milliseconds: 0)
            }()
            // A worker may not have returned yet.
            for _ in 0..<1_000_000 where held != nil || completed != nil { sched_yield() }
            XCTAssertNil(held, outcome)
            XCTAssertNil(completed, outcome)
            XCTAssertNotNil(owner, "the teardown holds it")
        }
    }

    func testNobodyWhoDoesNotAskIsTold() throws {
        let client = try client(auth: "{}")
        let call = try client.send(.get("things"))
        let started = transport.next()
        XCTAssertFalse(started.observer.wantsProgress)
        started.answer(200)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(call.progress.fraction, 1)
        XCTAssertEqual(told.withLock(\.count), 0)
    }
}

/// A context of a progress function that refers to its call, as in programs.
private final class Holder: Sendable {
    let call = Lock<(any CallInProgress)?>(nil)
}

/// A request without a body, or with one.
enum Watched { case get, put }

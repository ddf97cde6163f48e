import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

/// What a function of the program does when it is asked.
enum PipelineAct: CaseIterable {
    case pass, passLater, answer, answerMissing, refuse, refuseLater, sendAgain

    /// Returns random acts; about half of them do nothing.
    static func random(
        _ count: Int, using random: inout SystemRandomNumberGenerator
    ) -> [PipelineAct] {
        (0..<count).map { _ in
            let isPlain = Bool.random(using: &random)
            return isPlain ? .pass : allCases.randomElement(using: &random)!
        }
    }

    func perform(_ context: PipelineContext) -> Failure? {
        let headers = Headers([HeaderField(name: "Content-Type", value: "application/json")])
        switch self {
        case .pass: return nil
        case .refuse: return Failure(.io, "refused")
        case .sendAgain: try? context.sendAgain()
        case .answer: try? context.answer(status: 200, headers: headers, body: Array("{}".utf8))
        case .answerMissing:
            try? context.answer(status: 404, headers: headers, body: Array("{}".utf8))
        case .passLater, .refuseLater:
            XCTAssertTrue(context.hold())
            WorkerPool.shared.submit {
                _ = context.end(self == .refuseLater ? Failure(.io, "refused") : nil)
            }
        }
        return nil
    }
}

/// Random modifiers, interceptors and answers of the server, against a naive model of their order.
final class PipelineModelTests: XCTestCase {
    /// No retry of these tests waits longer: `baseMilliseconds` doubles with each attempt.
    private static let waitMillisecondsMax: Int64 = 100

    private let clock = ManualClock()

    /// What the server does with one exchange. A failure of the connection and a busy server are
    /// tried again.
    private enum Reply: CaseIterable {
        case success, missing, busy, failure

        var ending: Ending {
            switch self {
            case .success: .success
            case .missing, .busy: .failure(.http)
            case .failure: .failure(.connect)
            }
        }

        var isTemporary: Bool { self == .busy || self == .failure }
    }

    private enum Ending: Equatable {
        case success
        case failure(Failure.Reason)
    }

    /// One call: what each function does, and what the server does with each exchange.
    private struct Script {
        let modifiers: [PipelineAct]
        /// For each exchange, what each interceptor does.
        let interceptors: [[PipelineAct]]
        let replies: [Reply]
        /// The largest number of attempts that the retry policy allows. Requests that interceptors
        /// send again do not count.
        let attemptsMax: Int

        init(_ random: inout SystemRandomNumberGenerator) {
            modifiers = PipelineAct.random(Int.random(in: 0...3, using: &random), using: &random)
            let count = Int.random(in: 0...3, using: &random)
            interceptors = (0...Journey.sendsAgainMax).map { _ in
                PipelineAct.random(count, using: &random)
            }
            attemptsMax = Int.random(in: 1...4, using: &random)
            let exchangesMax = interceptors.count + attemptsMax
            replies = (0..<exchangesMax).map { _ in Reply.allCases.randomElement(using: &random)! }
        }

        /// Returns what is noted, and how the call ends.
        func expected() -> (notes: [String], ending: Ending) {
            var notes: [String] = []
            var ending: Ending?
            for (index, act) in modifiers.enumerated() where ending == nil {
                notes.append("m\(index)")
                switch act {
                case .pass, .passLater, .sendAgain: break
                case .answer: ending = .success
                case .answerMissing: ending = .failure(.http)
                case .refuse, .refuseLater: return (notes, .failure(.io))
                }
            }
            var exchanges = 0
            var retries = 0
            for round in interceptors.indices {
                while ending == nil {
                    notes.append("sent")
                    let reply = replies[exchanges]
                    exchanges += 1
                    if reply.isTemporary, retries + 1 < attemptsMax {
                        retries += 1
                    } else {
                        ending = reply.ending
                    }
                }
                var isSentAgain = false
                for (index, act) in interceptors[round].enumerated() where !isSentAgain {
                    notes.append("i\(index)")
                    switch act {
                    case .pass, .passLater: break
                    case .answer: ending = .success
                    case .answerMissing: ending = .failure(.http)
                    case .refuse, .refuseLater: ending = .failure(.io)
                    case .sendAgain: isSentAgain = round < Journey.sendsAgainMax
                    }
                }
                guard isSentAgain else { break }
                ending = nil
            }
            return (notes, ending!)
        }
    }

    private final class Run: Sendable {
        let script: Script
        let notes = Lock<[String]>([])
        /// After how many notes the call is cancelled, or its client closed; `nil` for never.
        let end: (after: Int, isClose: Bool)?
        let isOver = Monitor(false)

        init(_ script: Script, _ end: (after: Int, isClose: Bool)?) {
            self.script = script
            self.end = end
        }

        func note(_ text: String) {
            let count = notes.withLock { notes in
                notes.append(text)
                return notes.count
            }
            if count == end?.after { isOver.update { $0 = true } }
        }
    }

    private func client(_ run: Run, _ transport: FakeTransport) throws -> Client {
        let attempts = run.script.attemptsMax
        let document = """
            {"restway": 1, "environments": {"test": {"baseURL": "http://api.test"}},
             "retry": {"attempts": \(attempts), "baseMilliseconds": 10}}
            """
        let client = try Client(
            api: try TestAPI.load(document), options: ClientOptions(), transport: transport,
            clock: clock)
        for (index, act) in run.script.modifiers.enumerated() {
            _ = try client.addStage(.modify, routes: []) { context in
                run.note("m\(index)")
                return act.perform(context)
            }
        }
        for index in run.script.interceptors[0].indices {
            _ = try client.addStage(.intercept, routes: []) { context in
                run.note("i\(index)")
                return run.script.interceptors[context.sends][index].perform(context)
            }
        }
        let round = Lock(0)
        transport.answerEach(by: { _ in
            let number = round.withLock { round in
                defer { round += 1 }
                return round
            }
            run.note("sent")
            let reply = run.script.replies[number]
            return { started in
                switch reply {
                case .success: started.answer(200, "{}")
                case .missing: started.answer(404, "{}")
                case .busy: started.answer(503, "{}")
                case .failure: started.fail(.connect)
                }
            }
        })
        return client
    }

    /// Lets the clock run to the end of each wait before a retry. Longer times are time limits.
    private func endWaits(of call: Call, until isOver: () -> Bool = { false }) {
        while !call.isComplete, !isOver() {
            if let next = clock.nextMilliseconds, next <= Self.waitMillisecondsMax {
                clock.advance(milliseconds: next)
            } else {
                sched_yield()
            }
        }
    }

    func testRandomPipelinesDoWhatTheModelSays() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let run = Run(Script(&random), nil)
            let (notes, ending) = run.script.expected()
            let client = try client(run, FakeTransport())
            let call = try client.send(.get("companies/1"))
            endWaits(of: call)
            do {
                _ = try call.wait(milliseconds: 0)
                XCTAssertEqual(ending, .success, "\(run.script)")
            } catch {
                XCTAssertEqual(ending, .failure(error.reason), "\(run.script): \(error.message)")
            }
            XCTAssertEqual(run.notes.withLock { $0 }, notes, "\(run.script)")
            client.close()
        }
    }

    func testACallThatIsCancelledOrClosedAmongTheFunctionsEndsOnceAndAsksNoOther() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let script = Script(&random)
            let (notes, ending) = script.expected()
            let after = Int.random(in: 1...max(1, notes.count), using: &random)
            let isClose = Bool.random(using: &random)
            let run = Run(script, (after, isClose))
            let client = try client(run, FakeTransport())
            let completions = Lock(0)
            let call = try client.send(
                .get("companies/1"), token: 0, completion: { _, _ in
                    completions.withLock { $0 += 1 }
                }, end: {})
            endWaits(of: call, until: { run.isOver.withLock { $0 } })
            if isClose { client.close() } else { call.cancel() }
            do {
                _ = try call.wait(milliseconds: 0)
                XCTAssertEqual(ending, .success)
            } catch {
                let ends: [Ending] = [ending, .failure(isClose ? .closed : .cancelled)]
                XCTAssertTrue(ends.contains(.failure(error.reason)), "\(error.message)")
            }
            let seen = run.notes.withLock { $0 }
            XCTAssertEqual(seen, Array(notes.prefix(seen.count)), "\(script)")
            client.close()
            XCTAssertLessThanOrEqual(completions.withLock { $0 }, 1)
        }
    }
}

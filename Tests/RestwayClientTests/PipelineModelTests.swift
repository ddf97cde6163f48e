import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

/// Random modifiers, interceptors and answers of the server, against a naive model of their order.
final class PipelineModelTests: XCTestCase {
    /// What a function of the program does when it is asked.
    private enum Act: CaseIterable {
        case pass, passLater, answer, answerMissing, refuse, refuseLater, sendAgain
    }

    /// What the server does with one exchange.
    private enum Reply: CaseIterable {
        case success, missing, failure
    }

    private enum Ending: Equatable {
        case success
        case failure(Failure.Reason)
    }

    /// One call: what each function does, and what the server does with each exchange.
    private struct Script {
        let modifiers: [Act]
        /// For each exchange, what each interceptor does.
        let interceptors: [[Act]]
        let replies: [Reply]

        init(_ random: inout SystemRandomNumberGenerator) {
            func acts(_ count: Int) -> [Act] {
                (0..<count).map { _ in
                    let isPlain = Bool.random(using: &random)
                    return isPlain ? .pass : Act.allCases.randomElement(using: &random)!
                }
            }
            modifiers = acts(Int.random(in: 0...3, using: &random))
            let count = Int.random(in: 0...3, using: &random)
            interceptors = (0...CallMachine.sendsAgainMax).map { _ in acts(count) }
            replies = interceptors.map { _ in Reply.allCases.randomElement(using: &random)! }
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
            for round in interceptors.indices {
                if ending == nil {
                    notes.append("sent")
                    exchanges += 1
                    ending =
                        switch replies[exchanges - 1] {
                        case .success: .success
                        case .missing: .failure(.http)
                        case .failure: .failure(.connect)
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
                    case .sendAgain: isSentAgain = round < CallMachine.sendsAgainMax
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

    private static func perform(_ act: Act, _ turn: Turn) -> Failure? {
        let headers = Headers([HeaderField(name: "Content-Type", value: "application/json")])
        switch act {
        case .pass: return nil
        case .refuse: return Failure(.io, "refused")
        case .sendAgain: try? turn.sendAgain()
        case .answer: try? turn.answer(status: 200, headers: headers, body: Array("{}".utf8))
        case .answerMissing:
            try? turn.answer(status: 404, headers: headers, body: Array("{}".utf8))
        case .passLater, .refuseLater:
            XCTAssertTrue(turn.hold())
            WorkerPool.shared.submit {
                _ = turn.end(act == .refuseLater ? Failure(.io, "refused") : nil)
            }
        }
        return nil
    }

    private func client(_ run: Run, _ transport: FakeTransport) throws -> Client {
        let client = try Client(
            api: try TestAPI.load(), options: ClientOptions(), transport: transport,
            clock: ManualClock())
        for (index, act) in run.script.modifiers.enumerated() {
            _ = try client.addStage(.modify, routes: []) { turn in
                run.note("m\(index)")
                return Self.perform(act, turn)
            }
        }
        for index in run.script.interceptors[0].indices {
            _ = try client.addStage(.intercept, routes: []) { turn in
                run.note("i\(index)")
                return Self.perform(run.script.interceptors[turn.sends][index], turn)
            }
        }
        let round = Lock(0)
        transport.onStart { started in
            let number = round.withLock { round in
                defer { round += 1 }
                return round
            }
            run.note("sent")
            WorkerPool.shared.submit {
                switch run.script.replies[number] {
                case .success: started.answer(200, "{}")
                case .missing: started.answer(404, "{}")
                case .failure: started.fail(.connect)
                }
            }
        }
        return client
    }

    func testRandomPipelinesDoWhatTheModelSays() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let run = Run(Script(&random), nil)
            let (notes, ending) = run.script.expected()
            let client = try client(run, FakeTransport())
            let call = try client.send(.get("companies/1"))
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
            run.isOver.wait { $0 ? () : nil }
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

import RandomRounds
import RestwayThreads
import XCTest

@testable import RestwayAuth
import RestwayDocument

/// Random schedules of calls, answers, refreshes, cancels and a close. They are compared with
/// `AuthModel`, and with rules that hold for any model.
final class AuthScheduleTests: XCTestCase {
    func testTheMachineAgreesWithTheModelInManySchedules() {
        var totals = World.Counts()
        for seed in 0..<UInt64(rounds(6_000)) {
            var world = World(seed: seed)
            if let problem = world.run() {
                XCTFail("seed \(seed): \(problem)\n" + world.log.joined(separator: "\n"))
                return
            }
            totals.add(world.counts)
        }
        // The schedules are only useful if they reach every state.
        XCTAssertGreaterThan(totals.replayed, rounds(5_000))
        XCTAssertGreaterThan(totals.refreshes, rounds(5_000))
        XCTAssertGreaterThan(totals.failed, rounds(5_000))
        XCTAssertGreaterThan(totals.cancelledWaiting, rounds(500))
        XCTAssertGreaterThan(totals.obsolete, rounds(500))
        XCTAssertGreaterThan(totals.throttled, rounds(100))
        XCTAssertGreaterThan(totals.closed, rounds(1_000))
        XCTAssertGreaterThan(totals.notReplayed, rounds(1_000))
        XCTAssertGreaterThan(totals.arrivedLater, rounds(5_000))
    }
}

/// One schedule: a server that invalidates tokens, and programs that refresh well, badly or never.
private struct World {
    struct Counts {
        var replayed = 0, refreshes = 0, failed = 0, cancelledWaiting = 0, obsolete = 0
        var throttled = 0, closed = 0, notReplayed = 0, arrivedLater = 0

        mutating func add(_ other: Counts) {
            replayed += other.replayed
            refreshes += other.refreshes
            failed += other.failed
            cancelledWaiting += other.cancelledWaiting
            obsolete += other.obsolete
            throttled += other.throttled
            closed += other.closed
            notReplayed += other.notReplayed
            arrivedLater += other.arrivedLater
        }
    }

    private enum Place: Equatable {
        case waiting, sent(UInt64)
        /// The server has refused its credential, and it has not arrived again.
        case refused
        case completed
    }
    private struct Call {
        var place: Place
        var replays = 0
    }

    var counts = Counts()
    var log: [String] = []

    private var random: SeededRandom
    private var machine: AuthMachine
    private var model: AuthModel
    private let limits: AuthDefinition.Limits
    private let canRefresh: Bool
    private var now = Deadline(nanoseconds: 1)
    private var calls: [UInt64: Call] = [:]
    private var lastCall: UInt64 = 0
    /// Credentials that a refusal has proved to be invalid.
    private var knownDead: Set<UInt64> = []
    private var runningRefresh: UInt64?
    private var problem: String?

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        var limits = AuthDefinition.Limits()
        limits.replaysMax = Int(seed % 3)
        limits.refreshesMax = 1 + Int(seed % 5)
        limits.windowMilliseconds = 50
        limits.pauseMilliseconds = Int64(seed % 7) * 5
        self.limits = limits
        canRefresh = seed % 16 != 0
        machine = AuthMachine(limits, canRefresh: canRefresh)
        model = AuthModel(limits, canRefresh: canRefresh)
    }

    private mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

    mutating func run() -> String? {
        let steps = 20 + roll(60)
        for _ in 0..<steps where problem == nil {
            now = now.advanced(milliseconds: Int64(roll(8)))
            step()
        }
        if problem == nil { finish() }
        return problem
    }

    private mutating func step() {
        switch roll(20) {
        case 0..<3: arrive()
        case 3..<6: arriveAgain()
        case 6..<13: answer()
        case 13..<16: endRefresh()
        case 16: cancel()
        case 17: changeCredential()
        case 18 where roll(6) == 0: close()
        default: arrive()
        }
    }

    private mutating func arrive() {
        lastCall += 1
        calls[lastCall] = Call(place: .waiting)
        let call = lastCall
        check("arrive \(call)", machine.arrive(call, now: now), model.arrive(call, now))
    }

    private mutating func answer() {
        let sent = calls.filter { if case .sent = $0.value.place { true } else { false } }
        guard let call = sent.keys.sorted().randomElement(using: &random),
            case .sent(let credential)? = calls[call]?.place
        else { return }
        // A server never accepts a credential again that it has refused.
        let isRefused = knownDead.contains(credential) || roll(3) == 0
        guard isRefused else {
            log.append("answer \(call)")
            return complete(call)
        }
        let replays = calls[call]!.replays
        if canRefresh, replays < limits.replaysMax { knownDead.insert(credential) }
        log.append("refuse \(call), sent with \(credential)")
        let mayReplay = machine.refuse(sentWith: credential, replays: replays)
        if mayReplay != model.refuse(credential, replays) {
            problem = "the model does not agree on \(call)"
        }
        if roll(8) == 0 {
            // Its body was read and cannot be read again.
            counts.notReplayed += 1
            return complete(call)
        }
        guard mayReplay else { return complete(call) }
        calls[call]!.place = .refused
        calls[call]!.replays += 1
        // Other events may come before the call arrives again.
        if roll(2) == 0 { arriveAgain(call) } else { counts.arrivedLater += 1 }
    }

    /// Lets a call arrive whose credential was refused.
    private mutating func arriveAgain(_ known: UInt64? = nil) {
        let refused = calls.filter { $0.value.place == .refused }
        guard let call = known ?? refused.keys.sorted().randomElement(using: &random) else {
            return
        }
        calls[call]!.place = .waiting
        check("arrive again \(call)", machine.arrive(call, now: now), model.arrive(call, now))
    }

    private mutating func endRefresh() {
        guard let number = runningRefresh else { return }
        if number != model.running?.number || model.running?.credential != model.credential {
            counts.obsolete += 1
        }
        runningRefresh = nil
        switch roll(8) {
        case 0..<4:
            check("refreshed \(number)", machine.refreshed(number, now: now),
                model.refreshed(number, now))
        case 4:
            // The refresh never ended, so its time limit ends it.
            let late = AuthFailure.timedOut(milliseconds: 9)
            let actions = machine.refreshTimedOut(number, milliseconds: 9, now: now)
            let expected = model.running?.number == number && !model.isClosed
                ? [.abandon(number)] + model.failed(number, late, false, now) : []
            check("refresh \(number) timed out", actions, expected)
        default:
            let isFinal = roll(2) == 0
            let failure = AuthFailure.refused("refused on purpose", isFinal: isFinal)
            check(
                "refresh \(number) failed",
                machine.refreshFailed(number, failure, now: now),
                model.failed(number, failure, isFinal, now))
        }
    }

    private mutating func cancel() {
        let open = calls.filter { $0.value.place != .completed }
        guard let call = open.keys.sorted().randomElement(using: &random) else { return }
        log.append("cancel \(call)")
        if calls[call]?.place == .waiting { counts.cancelledWaiting += 1 }
        machine.leave(call)
        model.leave(call)
        complete(call)
    }

    private mutating func changeCredential() {
        check("credential changed", machine.credentialChanged(), model.changed())
    }

    private mutating func close() {
        guard !model.isClosed else { return }
        counts.closed += 1
        // The client completes these calls; the machine must only forget them.
        for call in calls.keys where calls[call]!.place != .completed { complete(call) }
        check("close", machine.close(), model.close())
        runningRefresh = nil
    }

    /// Finally everything ends: refreshes well or badly, calls with an answer.
    private mutating func finish() {
        for _ in 0..<1_000 where problem == nil {
            let open = calls.filter { $0.value.place != .completed }
            guard !open.isEmpty else { break }
            now = now.advanced(milliseconds: 60)
            arriveAgain()
            if runningRefresh != nil { endRefresh() } else { answer() }
        }
        for (call, state) in calls where state.place != .completed {
            problem = problem ?? "call \(call) never completed"
        }
    }

    // MARK: Rules

    private mutating func check(
        _ event: String, _ actions: [AuthMachine.Action], _ expected: [AuthMachine.Action]
    ) {
        log.append("\(event): \(actions)")
        if actions != expected { problem = "\(event): \(actions), the model says \(expected)" }
        var lastSent: UInt64 = 0
        for action in actions {
            switch action {
            case .send(let call, let credential):
                if call <= lastSent { problem = "\(call) is sent after \(lastSent)" }
                lastSent = call
                send(call, credential)
            case .fail(let call, let why):
                counts.failed += 1
                if case .tooManyRefreshes = why { counts.throttled += 1 }
                complete(call)
            case .refresh(let number):
                if runningRefresh != nil { problem = "two refreshes at once" }
                runningRefresh = number
                counts.refreshes += 1
            case .abandon:
                break
            }
        }
        let overtaken = calls.contains { $0.value.place == .waiting && $0.key < lastSent }
        if lastSent > 0, overtaken { problem = "\(lastSent) overtook a call that waits" }
        if machine.waitingCount != calls.values.count(where: { $0.place == .waiting }) {
            problem = problem ?? "\(event): a call is lost, or waits although it has ended"
        }
    }

    private mutating func send(_ call: UInt64, _ credential: UInt64) {
        if calls[call]?.place != .waiting { problem = "\(call) is sent from nowhere" }
        if knownDead.contains(credential) { problem = "\(call) is sent with a dead credential" }
        if calls[call]!.replays > 0 { counts.replayed += 1 }
        calls[call]!.place = .sent(credential)
    }

    private mutating func complete(_ call: UInt64) {
        if calls[call]!.place == .completed { problem = "\(call) completed twice" }
        calls[call]!.place = .completed
    }
}

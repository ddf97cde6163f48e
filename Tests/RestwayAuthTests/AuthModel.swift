import RestwayDocument
import RestwayThreads

@testable import RestwayAuth

/// A model of authentication that is written as plainly as possible: a list of calls that is
/// searched for every question. The machine must agree with it in every step.
struct AuthModel {
    struct Waiting { let call: UInt64 }
    struct Running { let number: UInt64, credential: UInt64 }

    let limits: AuthDefinition.Limits
    let canRefresh: Bool
    var credential: UInt64 = 1
    /// Credentials that a server refused, or that could not be replaced.
    var dead: Set<UInt64> = []
    /// The reason why the present credential cannot be replaced, and how long it holds.
    var failure: (why: AuthFailure, until: Deadline)?
    var waiting: [UInt64] = []
    var running: Running?
    /// A call began to wait while a refresh was in progress.
    var isWanted = false
    var refreshStarts: [Deadline] = []
    var refreshCount: UInt64 = 0
    var isClosed = false

    init(_ limits: AuthDefinition.Limits, canRefresh: Bool) {
        self.limits = limits
        self.canRefresh = canRefresh
    }

    private var isDead: Bool { dead.contains(credential) }

    mutating func arrive(_ call: UInt64, _ now: Deadline) -> [AuthMachine.Action] {
        if isClosed { return [.fail(call, .closed)] }
        if !isDead { return [.send(call, credential: credential)] }
        if let failure {
            if now < failure.until { return [.fail(call, failure.why)] }
            self.failure = nil
        }
        let isFirst = waiting.isEmpty
        waiting.append(call)
        if running != nil {
            isWanted = true
            return []
        }
        // Every other waiting call waits for a running refresh.
        precondition(isFirst)
        return start(now)
    }

    mutating func refuse(_ sentWith: UInt64, _ replays: Int) -> Bool {
        if replays >= limits.replaysMax { return false }
        if sentWith != credential { return true }
        if canRefresh { dead.insert(credential) }
        return canRefresh
    }

    mutating func leave(_ call: UInt64) {
        waiting.removeAll { $0 == call }
    }

    mutating func refreshed(_ number: UInt64, _ now: Deadline) -> [AuthMachine.Action] {
        guard !isClosed, let ended = running, ended.number == number else { return [] }
        running = nil
        if ended.credential != credential { return again(now) }
        credential += 1
        return letGo()
    }

    mutating func failed(
        _ number: UInt64, _ why: AuthFailure, _ isFinal: Bool, _ now: Deadline
    ) -> [AuthMachine.Action] {
        guard !isClosed, let ended = running, ended.number == number else { return [] }
        running = nil
        if ended.credential != credential { return again(now) }
        // A failure holds until the program sets a credential, or for a second.
        failure = (
            why, isFinal ? .never : now.advanced(milliseconds: limits.pauseMilliseconds)
        )
        dead.insert(credential)
        return end(why)
    }

    mutating func changed() -> [AuthMachine.Action] {
        if isClosed { return [] }
        credential += 1
        failure = nil
        return (running.map { [.abandon($0.number)] } ?? []) + letGo()
    }

    mutating func close() -> [AuthMachine.Action] {
        isClosed = true
        waiting = []
        defer { running = nil }
        return running.map { [.abandon($0.number)] } ?? []
    }

    /// A refresh starts even if all waiting calls have been cancelled meanwhile.
    private mutating func again(_ now: Deadline) -> [AuthMachine.Action] {
        isDead && failure == nil && isWanted ? start(now) : []
    }

    private mutating func start(_ now: Deadline) -> [AuthMachine.Action] {
        let recent = refreshStarts.filter {
            $0.advanced(milliseconds: limits.windowMilliseconds) > now
        }
        if recent.count >= limits.refreshesMax {
            let why = AuthFailure.tooManyRefreshes(
                max: limits.refreshesMax, windowMilliseconds: limits.windowMilliseconds)
            failure = (why, recent[0].advanced(milliseconds: limits.windowMilliseconds))
            return end(why)
        }
        refreshStarts.append(now)
        refreshCount += 1
        running = Running(number: refreshCount, credential: credential)
        isWanted = false
        return [.refresh(refreshCount)]
    }

    private mutating func letGo() -> [AuthMachine.Action] {
        let calls = waiting.sorted()
        waiting = []
        isWanted = false
        return calls.map { .send($0, credential: credential) }
    }

    private mutating func end(_ why: AuthFailure) -> [AuthMachine.Action] {
        let calls = waiting.sorted()
        waiting = []
        isWanted = false
        return calls.map { .fail($0, why) }
    }
}

import RestwayDocument
import RestwayOutcome
import RestwayThreads

/// Decides which requests may go to one origin now. It has no clock, no lock and no I/O.
///
/// A request that may not go waits. Waiting requests go in the order of their priorities; requests
/// of equal priority go in the order in which they came.
struct OriginRate {
    /// A request that wants to go.
    struct Arrival {
        let call: UInt64
        let priority: Int32
        /// The end of its time limit.
        let deadline: Deadline
    }

    enum Answer: Equatable {
        case go
        case wait
        /// No request may go before this time, which is after the request's time limit.
        case tooLate(Deadline)
    }

    /// The requests that the server has left, as its last answer says.
    private struct Quota {
        var remaining: Int64
        let limit: Int64?
        let reset: Deadline
    }

    /// The times at which the last requests began, as many as the policy allows in its period.
    private var begun = Fifo<Deadline>()
    private var underWay: Set<UInt64> = []
    private var waiting = Fifo<Arrival>()
    private var quota: Quota?

    /// Whether nothing has to be remembered about the origin.
    func isIdle(_ policy: RatePolicy?, _ now: Deadline) -> Bool {
        let period = policy?.limit?.perMilliseconds ?? 0
        return underWay.isEmpty && waiting.isEmpty && (quota?.reset ?? now) <= now
            && (begun.last?.advanced(milliseconds: period) ?? now) <= now
    }

    // MARK: Events

    mutating func arrive(_ arrival: Arrival, _ policy: RatePolicy?, _ now: Deadline) -> Answer {
        let next = nextTime(policy, now)
        if waiting.isEmpty, next <= now, hasRoom(policy) {
            begin(arrival.call, policy, now)
            return .go
        }
        // A request behind others, or without room, may still go in time.
        if next > now, next >= arrival.deadline { return .tooLate(next) }
        waiting.insert(arrival, behind: { $0.priority >= arrival.priority })
        return .wait
    }

    /// The request no longer waits, or its exchange has ended. `stated` is the rate that the answer
    /// states.
    mutating func leave(
        _ call: UInt64, stating stated: StatedRate?, _ policy: RatePolicy?, _ now: Deadline
    ) {
        if underWay.remove(call) == nil { _ = waiting.remove { $0.call == call } }
        guard let policy, policy.readsHeaders, let stated else { return }
        // The server has not counted the requests that are still under way.
        quota = Quota(
            remaining: max(0, stated.remaining - Int64(underWay.count)), limit: stated.limit,
            reset: now.advanced(
                milliseconds: min(stated.resetMilliseconds, policy.waitMaxMilliseconds)))
    }

    /// Returns the waiting requests that may go now.
    mutating func admit(_ policy: RatePolicy?, _ now: Deadline) -> [UInt64] {
        var admitted: [UInt64] = []
        while hasRoom(policy), nextTime(policy, now) <= now, let next = waiting.popFirst() {
            begin(next.call, policy, now)
            admitted.append(next.call)
        }
        return admitted
    }

    /// The time at which the next waiting request may go; `never` if no request waits, or
    /// if another request has to end first.
    func wakeTime(_ policy: RatePolicy?, _ now: Deadline) -> Deadline {
        waiting.isEmpty || !hasRoom(policy) ? .never : nextTime(policy, now)
    }

    // MARK: Rules

    private func hasRoom(_ policy: RatePolicy?) -> Bool {
        guard let max = policy?.concurrencyMax else { return true }
        return underWay.count < max
    }

    /// The earliest time at which the policy and the server let a request go.
    private func nextTime(_ policy: RatePolicy?, _ now: Deadline) -> Deadline {
        guard let policy else { return now }
        var time = now
        if let limit = policy.limit, begun.count >= limit.requests, let oldest = begun.first {
            time = max(time, oldest.advanced(milliseconds: limit.perMilliseconds))
        }
        if policy.readsHeaders, let quota, quota.remaining == 0 { time = max(time, quota.reset) }
        return time
    }

    private mutating func begin(_ call: UInt64, _ policy: RatePolicy?, _ now: Deadline) {
        underWay.insert(call)
        if let open = quota {
            quota?.remaining = max(0, open.remaining - 1)
            if open.reset <= now { quota = nil }
        }
        guard let limit = policy?.limit else {
            begun = Fifo()
            return
        }
        begun.append(now)
        // The program may have set a policy with fewer requests.
        while begun.count > limit.requests { _ = begun.popFirst() }
    }

    // MARK: Reading

    /// The state for the program.
    func reading(_ now: Deadline) -> RateReading {
        var reading = RateReading(underWay: underWay.count, waiting: waiting.count)
        if let quota, quota.reset > now {
            reading.limit = quota.limit
            reading.remaining = quota.remaining
            reading.resetMilliseconds = quota.reset.milliseconds(since: now)
        }
        return reading
    }
}

/// The rate of one origin, as the program sees it.
package struct RateReading: Equatable, Sendable {
    /// The number of requests in a period, as the server states it; `nil` if it is not known.
    package var limit: Int64?
    /// The number of requests that are left until the reset; `nil` if it is not known.
    package var remaining: Int64?
    /// The time until the server's limit is available in full again; `nil` if it is not known.
    package var resetMilliseconds: Int64?
    package var underWay: Int
    package var waiting: Int
}

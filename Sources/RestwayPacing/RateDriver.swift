package import RestwayCalls
package import RestwayDocument
package import RestwayHTTP
import RestwayOutcome
import RestwayRouting
package import RestwayThreads

/// The rates of the origins of one client. It owns the lock, the clock and the timers; `OriginRate`
/// decides.
package final class RateDriver: RateGate {
    private struct Place {
        let origin: Origin
        /// Called when a waiting call may go.
        var waiter: (@Sendable () -> Void)?
    }

    private struct State {
        var origins: [Origin: OriginRate] = [:]
        /// The calls that wait or are under way.
        var places: [UInt64: Place] = [:]
        /// The timers that admit waiting calls, with their times.
        var timers: [Origin: (at: Deadline, ticket: TimerTicket)] = [:]
        /// The policy that replaces the document's.
        var policy: RatePolicy?
        var isPolicySet = false
    }

    /// Links can lead to any number of origins. Beyond this number, origins are forgotten that have
    /// nothing to remember.
    private static let originsMax = 256

    private let state = Lock(State())
    private let documented: RatePolicy?
    private let executors: CallContext.Executors

    /// - Parameter documented: The policy of the document.
    package init(_ documented: RatePolicy?, _ executors: CallContext.Executors) {
        self.documented = documented
        self.executors = executors
    }

    /// How many origins are remembered; for tests.
    var originCount: Int { state.withLock { $0.origins.count } }

    package var concernsCalls: Bool { state.withLock { policy($0) != nil } }

    /// Sets the policy that replaces the document's; `nil` sets no limit. Waiting calls go as the
    /// new policy says.
    package func set(_ policy: RatePolicy?) {
        let origins = state.withLock { state in
            state.policy = policy
            state.isPolicySet = true
            return Array(state.origins.keys)
        }
        for origin in origins { admit(to: origin) }
    }

    /// Returns the rate of the origin of `url`; `nil` if `url` has no origin.
    package func reading(of url: String) -> RateReading? {
        guard let origin = try? Origin(url: url) else { return nil }
        let now = executors.clock.now()
        return state.withLock { state in
            state.origins[origin]?.reading(now) ?? RateReading(underWay: 0, waiting: 0)
        }
    }

    // MARK: Calls

    package func arrive(
        _ call: UInt64, at url: String, priority: Int32, deadline: Deadline,
        _ waiter: @escaping @Sendable () -> Void
    ) -> RateAnswer {
        guard let origin = try? Origin(url: url) else { return .go }
        let now = executors.clock.now()
        let arrival = OriginRate.Arrival(call: call, priority: priority, deadline: deadline)
        let answer: OriginRate.Answer = state.withLock { state in
            let policy = policy(state)
            forgetIdleOrigins(&state, policy, now)
            let answer = state.origins[origin, default: OriginRate()].arrive(arrival, policy, now)
            switch answer {
            case .go: state.places[call] = Place(origin: origin)
            case .wait: state.places[call] = Place(origin: origin, waiter: waiter)
            case .tooLate: break
            }
            return answer
        }
        switch answer {
        case .go: return .go
        case .tooLate(let time): return .tooLate(milliseconds: time.milliseconds(since: now))
        case .wait:
            schedule(origin)
            return .wait
        }
    }

    package func leave(_ call: UInt64, _ head: ResponseHead?) {
        let clock = executors.clock
        let stated = head.flatMap { StatedRate($0, wallMicroseconds: clock.wallMicroseconds()) }
        let origin = state.withLock { state -> Origin? in
            guard let place = state.places.removeValue(forKey: call) else { return nil }
            let policy = policy(state)
            state.origins[place.origin]?.leave(call, stating: stated, policy, clock.now())
            return place.origin
        }
        if let origin { admit(to: origin) }
    }

    // MARK: Waiting calls

    private func policy(_ state: State) -> RatePolicy? {
        state.isPolicySet ? state.policy : documented
    }

    /// Lets the waiting calls go that may go now, and sets the timer for the next one.
    private func admit(to origin: Origin) {
        let now = executors.clock.now()
        let waiters = state.withLock { state in
            let policy = policy(state)
            let calls = state.origins[origin]?.admit(policy, now) ?? []
            return calls.compactMap { state.places[$0]?.waiter.take() }
        }
        for waiter in waiters { executors.pool.submit(waiter) }
        schedule(origin)
    }

    private func schedule(_ origin: Origin) {
        let now = executors.clock.now()
        let time = state.withLock { state -> Deadline? in
            let next = state.origins[origin]?.wakeTime(policy(state), now) ?? .never
            // A timer that ends earlier schedules the next one.
            guard next != .never, next < state.timers[origin]?.at ?? .never else { return nil }
            return next
        }
        guard let time else { return }
        let ticket = executors.timers.schedule(at: time) { [weak self] in
            self?.state.withLock { state in
                if state.timers[origin]?.at == time { state.timers[origin] = nil }
            }
            self?.admit(to: origin)
        }
        let before = state.withLock { state -> TimerTicket? in
            defer { state.timers[origin] = (time, ticket) }
            return state.timers[origin]?.ticket
        }
        before?.cancel()
    }

    private func forgetIdleOrigins(
        _ state: inout State, _ policy: RatePolicy?, _ now: Deadline
    ) {
        guard state.origins.count >= Self.originsMax else { return }
        state.origins = state.origins.filter { !$0.value.isIdle(policy, now) }
    }
}

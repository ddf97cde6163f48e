import RestwayHTTP
import RestwayThreads

/// The exchanges of an opened transport, and whether the plugin's transport may be called.
///
/// It only decides; the lock of its `OpenedTransport` guards it.
struct OpenExchanges {
    /// The number of the session. A client whose session is over has a smaller number.
    var number: UInt64 = 0
    var session: OpenedTransport.Session?
    /// The number of threads inside the plugin's functions.
    var inside = 0
    /// The exchanges that the plugin has not given back, by their numbers.
    var exchanges: [UInt64: PluginExchange] = [:]
    var isClosing = false
    /// All observers have received their ends. The last thread to leave closes the plugin's
    /// transport.
    var mayClose = false
    var isClosed = false
    /// An exchange was given up although the plugin may still hold it.
    var hasLost = false
    /// The next time at which the watchdog runs.
    var watchAt = Deadline.never

    /// The plugin has given everything back.
    var isIdle: Bool { isClosed && exchanges.isEmpty }

    /// The exchange `id`, unless the plugin has given it back.
    func open(_ id: UInt64) -> PluginExchange? {
        exchanges[id].flatMap { $0.guarded.order.isCompleted ? nil : $0 }
    }

    /// The exchanges that the plugin has not given back.
    var all: [PluginExchange] {
        exchanges.values.filter { !$0.guarded.order.isCompleted }
    }

    /// Notes that a thread enters the plugin's functions; nil if the plugin's transport is
    /// being closed.
    mutating func enter() -> OpenedTransport.Session? {
        guard !isClosing, let session else { return nil }
        inside += 1
        return session
    }

    /// - Returns: Whether the plugin's transport is to be closed now.
    mutating func leave() -> Bool {
        inside -= 1
        return inside == 0 && mayClose
    }
}

/// Ends exchanges that the plugin does not end in time.
extension OpenedTransport {
    /// One client's use of the host.
    ///
    /// `@unchecked Sendable`: the plugin's transport may be called on any thread.
    final class Session: @unchecked Sendable {
        let surroundings: PluginTransport.Surroundings
        /// The plugin's transport.
        let transport: UnsafeMutableRawPointer

        init(_ surroundings: PluginTransport.Surroundings, _ transport: UnsafeMutableRawPointer) {
            self.surroundings = surroundings
            self.transport = transport
        }

        /// The deadline by which the plugin must give back an exchange that is over.
        var patienceEnd: Deadline {
            surroundings.clock.now().advanced(milliseconds: patienceMilliseconds)
        }
    }

    /// Makes sure that the watchdog runs at `deadline`. Most exchanges end long before, and later
    /// exchanges have later deadlines, so one timer serves all exchanges.
    func watch(_ deadline: Deadline) {
        guard deadline != .never else { return }
        let session: Session? = state.withLock { state in
            guard deadline < state.watchAt else { return nil }
            state.watchAt = deadline
            return state.session
        }
        guard let session else { return }
        _ = session.surroundings.timers.schedule(at: deadline) { self.checkDeadlines(at: deadline) }
    }

    private func checkDeadlines(at deadline: Deadline) {
        guard let session else { return }
        let now = session.surroundings.clock.now()
        let (late, next) = state.withLock { state -> ([PluginExchange], Deadline) in
            // If several timers exist, only the earliest one acts.
            guard state.watchAt == deadline else { return ([], .never) }
            state.watchAt = .never
            let exchanges = state.all
            let later = exchanges.map(\.guarded.deadline).filter { $0 > now }.min()
            return (exchanges.filter { $0.guarded.deadline <= now }, later ?? .never)
        }
        watch(next)
        for exchange in late { expire(exchange) }
    }

    private func expire(_ exchange: PluginExchange) {
        let (isCancelled, isHeld) = state.withLock { _ in
            (exchange.guarded.isCancelled, exchange.guarded.held != nil)
        }
        guard isCancelled else {
            let limit = exchange.exchange.timeouts.totalMilliseconds
            let problem =
                isHeld
                ? "did not say later how an exchange ended, as it had promised"
                : "did not complete an exchange that may take \(limit) ms"
            log("\(problem) (exchange \(exchange.id))")
            end(
                exchange, TransportError(.timedOut, "\(table.title): \(problem)"),
                asksPlugin: true)
            return
        }
        log("never completed exchange \(exchange.id), which is over")
        state.withLock { state in
            state.hasLost = true
            state.exchanges[exchange.id] = nil
        }
    }
}

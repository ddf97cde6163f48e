import RestwayHTTP
import RestwayThreads

/// Ends exchanges that the plugin does not end in time.
extension ExchangeHost {
    /// Makes sure that the watchdog runs at `deadline`. Most exchanges end long before, and later
    /// ones have later deadlines, so one timer serves all exchanges.
    func watch(_ deadline: Deadline) {
        guard deadline != .never else { return }
        let session: Session? = state.withLock { state in
            guard deadline < state.watchAt else { return nil }
            state.watchAt = deadline
            return state.session
        }
        guard let session else { return }
        _ = session.surroundings.timers.schedule(at: deadline) { self.look(at: deadline) }
    }

    private func look(at deadline: Deadline) {
        guard let session else { return }
        let now = session.surroundings.clock.now()
        let (late, next) = state.withLock { state -> ([PluginExchange], Deadline) in
            // If several timers exist, only the earliest one acts.
            guard state.watchAt == deadline else { return ([], .never) }
            state.watchAt = .never
            let exchanges = state.all
            let later = exchanges.filter { $0.deadline > now }.map(\.deadline).min()
            return (exchanges.filter { $0.deadline <= now }, later ?? .never)
        }
        watch(next)
        for exchange in late { expire(exchange) }
    }

    private func expire(_ exchange: PluginExchange) {
        let (isCancelled, isHeld) = state.withLock { _ in
            (exchange.isCancelled, exchange.held != nil)
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

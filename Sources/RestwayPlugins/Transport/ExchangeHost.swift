import CRestwayPlugin
import RestwayHTTP
import RestwaySupport
import Synchronization

/// The host's side of an opened transport: its exchanges, and the table that the plugin calls.
///
/// A host is never given back, since a plugin may call late. Once the plugin has given everything
/// back, the host serves the next client, in another session; exchanges have their numbers from the
/// whole process, so that what comes late meets nobody else's.
///
/// `@unchecked Sendable`: `pointer` is written once, before anybody has it.
final class ExchangeHost: @unchecked Sendable {
    /// How long a plugin may take for an exchange that is over, and beyond a time-out.
    static let patienceMilliseconds: Int64 = 5_000

    private static let lastID = Atomic<UInt64>(0)

    struct Session {
        let surroundings: PluginTransport.Surroundings
        /// The plugin's.
        let transport: UnsafeMutableRawPointer
    }

    private struct State {
        var number: UInt64 = 0
        var session: Session?
        var exchanges: [UInt64: PluginExchange] = [:]
        /// How many threads are inside of the plugin's functions.
        var inside = 0
        var isClosing = false
        var hasCalledClose = false
        var isClosed = false
        /// An exchange was given up: the plugin may hold it still.
        var hasLost = false
        /// When the watchdog looks next.
        var watchAt = Deadline.never
    }

    let table: PluginTransportTable
    private(set) var pointer: UnsafePointer<restway_plugin_host>!
    private let state = Lock(State())

    init(_ table: PluginTransportTable) {
        self.table = table
        var host = PluginHost.table()
        host.context = UserData.retain(self)
        HostTable.set(&host)
        let room = UnsafeMutablePointer<restway_plugin_host>.allocate(capacity: 1)
        room.initialize(to: host)
        pointer = UnsafePointer(room)
    }

    // MARK: From one client to its end

    func open(
        _ options: String, _ surroundings: PluginTransport.Surroundings
    ) throws(PluginError) -> UInt64 {
        var reason = PluginReason()
        var transport: UnsafeMutableRawPointer?
        let result = options.withCString { options in
            table.functions.open(
                table.functions.context, pointer, options, &transport, &reason.raw)
        }
        guard result == RESTWAY_PLUGIN_OK, let transport else {
            table.giveBack(self)
            let why = result == RESTWAY_PLUGIN_OK ? "it gave none" : reason.text(orFor: result)
            throw PluginError(.options, "\(table.title): does not open: \(why)")
        }
        return state.withLock { state in
            let number = state.number + 1
            state = State(
                number: number,
                session: Session(surroundings: surroundings, transport: transport))
            return number
        }
    }

    func close(_ number: UInt64) {
        let exchanges: [PluginExchange] = state.withLock { state in
            guard state.number == number, !state.isClosing else { return [] }
            state.isClosing = true
            return Array(state.exchanges.values)
        }
        let error = TransportError(.closed, "the transport is closed")
        for exchange in exchanges { end(exchange, error, asksPlugin: false) }
        callClose()
    }

    /// Closes the plugin's transport once nobody is inside of it.
    private func callClose() {
        let transport: UnsafeMutableRawPointer? = state.withLock { state in
            guard state.isClosing, state.inside == 0, !state.hasCalledClose else { return nil }
            state.hasCalledClose = true
            return state.session?.transport
        }
        guard let transport else { return }
        table.functions.close(transport)
        state.withLock { $0.isClosed = true }
        rest()
    }

    /// Serves others when the plugin has given everything back.
    private func rest() {
        let isOver = state.withLock { state in
            guard state.isClosed, state.exchanges.isEmpty, !state.hasLost, state.session != nil
            else { return false }
            state.session = nil
            return true
        }
        if isOver { table.giveBack(self) }
    }

    /// Calls the plugin, unless its transport is being closed.
    @discardableResult
    private func inside(_ body: (UnsafeMutableRawPointer) -> Void) -> Bool {
        let transport: UnsafeMutableRawPointer? = state.withLock { state in
            guard !state.isClosing, let session = state.session else { return nil }
            state.inside += 1
            return session.transport
        }
        guard let transport else { return false }
        body(transport)
        leave()
        return true
    }

    private func leave() {
        let mayClose = state.withLock { state in
            state.inside -= 1
            return state.isClosing && state.inside == 0
        }
        if mayClose { callClose() }
    }

    // MARK: What the client wants

    func start(
        _ exchange: Exchange, _ observer: any ExchangeObserver, _ number: UInt64
    ) -> ExchangeID {
        let id = Self.lastID.add(1, ordering: .relaxed).newValue
        let begun = state.withLock { state -> Begun? in
            guard state.number == number, !state.isClosing, let session = state.session else {
                return nil
            }
            let now = session.surroundings.clock.now()
            let deadline = Self.deadline(of: exchange, now)
            let started = PluginExchange(
                id: id, exchange, observer, startedAt: now, deadline: deadline)
            state.exchanges[id] = started
            state.inside += 1
            return Begun(
                transport: session.transport, deadline: deadline,
                isWatched: state.watchAt <= deadline)
        }
        guard let begun else {
            observer.completed(.failure(TransportError(.closed, "the transport is closed")))
            return ExchangeID(id)
        }
        if !begun.isWatched { watch(begun.deadline) }
        LentExchange.lend(exchange, id: id) { table.functions.start(begun.transport, $0) }
        leave()
        return ExchangeID(id)
    }

    private struct Begun {
        let transport: UnsafeMutableRawPointer
        let deadline: Deadline
        let isWatched: Bool
    }

    private static func deadline(of exchange: Exchange, _ now: Deadline) -> Deadline {
        let total = exchange.timeouts.totalMilliseconds
        return total > 0
            ? now.advanced(milliseconds: total).advanced(milliseconds: patienceMilliseconds)
            : .never
    }

    func cancel(_ id: UInt64) {
        guard let exchange = state.withLock({ $0.exchanges[id] }) else { return }
        end(exchange, TransportError(.cancelled, "the exchange was cancelled"), asksPlugin: true)
    }

    func resume(_ id: UInt64) {
        guard let exchange = state.withLock({ $0.exchanges[id] }) else { return }
        exchange.resume()
        if let forwarded = exchange.forwardedID {
            surroundings?.builtIn.resume(forwarded)
        } else {
            inside { table.functions.resume($0, id) }
        }
    }

    /// There is more of the body of a request, as the plugin was promised.
    func isReady(_ id: UInt64) {
        guard exchange(id) != nil else { return }
        inside { table.functions.body_ready?($0, id) }
    }

    /// The plugin has been told to end it, which it should do soon.
    func expectEnd(of exchange: PluginExchange) {
        guard let surroundings else { return }
        let deadline = surroundings.clock.now().advanced(milliseconds: Self.patienceMilliseconds)
        _ = exchange.cancel(until: deadline)
        watch(deadline)
    }

    /// Ends an exchange for its observer. The plugin, or the transport that it was left to, has to
    /// end it too, soon.
    private func end(_ exchange: PluginExchange, _ error: TransportError, asksPlugin: Bool) {
        guard let surroundings else {
            exchange.end(error)
            return
        }
        let deadline = surroundings.clock.now().advanced(milliseconds: Self.patienceMilliseconds)
        let (asks, forwarded) = exchange.cancel(until: deadline)
        watch(deadline)
        exchange.end(error)
        if let forwarded { surroundings.builtIn.cancel(forwarded) }
        if asks, asksPlugin { inside { table.functions.cancel($0, exchange.id) } }
    }

    // MARK: What the plugin says

    func exchange(_ id: UInt64) -> PluginExchange? {
        state.withLock { $0.exchanges[id] }
    }

    var surroundings: PluginTransport.Surroundings? {
        state.withLock { $0.session?.surroundings }
    }

    /// The plugin has given the exchange back.
    func remove(_ exchange: PluginExchange) {
        let isLast = state.withLock { state in
            state.exchanges[exchange.id] = nil
            return state.isClosed && state.exchanges.isEmpty
        }
        if isLast { rest() }
    }

    /// The plugin broke the contract: this ends the exchange.
    func fail(_ exchange: PluginExchange, _ problem: String) {
        log("\(problem) (exchange \(exchange.id))")
        end(exchange, TransportError(.plugin, "\(table.title): \(problem)"), asksPlugin: true)
    }

    func log(_ problem: String) {
        Log.shared.write(.error, .plugin, "\(table.title): \(problem)")
    }

    // MARK: The watchdog

    /// Sees to it that somebody looks at `deadline`. Most exchanges end long before, and the next
    /// ones have later deadlines: so there is one timer for all of them.
    func watch(_ deadline: Deadline) {
        guard deadline != .never else { return }
        let timers: (any Timers)? = state.withLock { state in
            guard deadline < state.watchAt else { return nil }
            state.watchAt = deadline
            return state.session?.surroundings.timers
        }
        guard let timers else { return }
        _ = timers.schedule(at: deadline) { self.look(at: deadline) }
    }

    private func look(at deadline: Deadline) {
        guard let surroundings else { return }
        let now = surroundings.clock.now()
        let exchanges: [PluginExchange] = state.withLock { state in
            // Of several timers the earliest stands for all.
            guard state.watchAt == deadline else { return [] }
            state.watchAt = .never
            return Array(state.exchanges.values)
        }
        var next = Deadline.never
        for exchange in exchanges where exchange.deadline > now {
            next = min(next, exchange.deadline)
        }
        watch(next)
        for exchange in exchanges where exchange.deadline <= now { expire(exchange) }
    }

    private func expire(_ exchange: PluginExchange) {
        guard exchange.isCancelled else {
            let limit = exchange.exchange.timeouts.totalMilliseconds
            let problem =
                exchange.held == nil
                ? "did not complete an exchange that may take \(limit) ms"
                : "did not say later how an exchange ended, as it had promised"
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

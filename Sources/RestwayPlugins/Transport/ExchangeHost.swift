import CRestwayPlugin
import RestwayHTTP
import RestwayThreads
import Synchronization

/// The host's side of an opened transport: its exchanges, and the table that the plugin calls.
///
/// A host is never freed, because a plugin may call late. Once the plugin has given every exchange
/// back, the host serves the next client in another session. The numbers of exchanges are unique in
/// the process, so a late call never reaches an exchange of another session.
///
/// One lock guards the state. `ExchangeOrder` decides without the lock which thread may call the
/// observer of an exchange.
///
/// `@unchecked Sendable`: `pointer` and `room` are written once, before other threads see them.
final class ExchangeHost: @unchecked Sendable {
    /// How long a plugin may keep an exchange that is over or has passed its time limit.
    static let patienceMilliseconds: Int64 = 5_000

    private static let lastID = Atomic<UInt64>(0)

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

    struct State {
        var number: UInt64 = 0
        var session: Session?
        /// The plugin's transport in this session.
        var transport: UnsafeMutableRawPointer?
        var clock: any Clock = SystemClock()
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
            exchanges[id].flatMap { $0.order.now.isCompleted ? nil : $0 }
        }

        /// The exchanges that the plugin has not given back.
        var all: [PluginExchange] {
            exchanges.values.filter { !$0.order.now.isCompleted }
        }

        /// Notes that a thread enters the plugin's functions; nil if the plugin's transport is
        /// being closed.
        mutating func enter() -> UnsafeMutableRawPointer? {
            guard !isClosing, let transport else { return nil }
            inside += 1
            return transport
        }

        /// - Returns: Whether the plugin's transport is to be closed now.
        mutating func leave() -> Bool {
            inside -= 1
            return inside == 0 && mayClose
        }
    }

    let table: PluginTransportTable
    private(set) var pointer: UnsafePointer<restway_plugin_host>!
    let state = Lock(State())

    init(_ table: PluginTransportTable) {
        self.table = table
        var host = PluginHost.table()
        // For good: a plugin may call late.
        host.context = UserData.retain(self)
        HostTable.set(&host)
        let place = UnsafeMutablePointer<restway_plugin_host>.allocate(capacity: 1)
        place.initialize(to: host)
        pointer = UnsafePointer(place)
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
        let session = Session(surroundings, transport)
        return state.withLock { state in
            state = State(
                number: state.number + 1, session: session, transport: transport,
                clock: surroundings.clock)
            return state.number
        }
    }

    func close(_ number: UInt64) {
        let exchanges: [PluginExchange]? = state.withLock { state in
            guard state.number == number, !state.isClosing else { return nil }
            state.isClosing = true
            return state.all
        }
        guard let exchanges else { return }
        let error = TransportError(.closed, "the transport is closed")
        for exchange in exchanges { end(exchange, error, asksPlugin: false) }
        let isAlone = state.withLock { state in
            state.mayClose = true
            return state.inside == 0
        }
        if isAlone { callClose() }
    }

    /// Closes the plugin's transport. No thread is inside it.
    private func callClose() {
        guard let session else { return }
        table.functions.close(session.transport)
        state.withLock { $0.isClosed = true }
        rest()
    }

    /// Makes the host free for other clients once the plugin has given every exchange back.
    func rest() {
        let isOver = state.withLock { state in
            guard state.isIdle, !state.hasLost, state.session != nil else { return false }
            state.session = nil
            state.transport = nil
            return true
        }
        if isOver { table.giveBack(self) }
    }

    /// Calls the plugin, unless its transport is being closed.
    private func call(_ body: (UnsafeMutableRawPointer) -> Void) {
        guard let transport = state.withLock({ $0.enter() }) else { return }
        body(transport)
        if state.withLock({ $0.leave() }) { callClose() }
    }

    // MARK: What the client wants

    /// - Parameter clock: The clock of the session.
    func start(
        _ exchange: Exchange, _ observer: any ExchangeObserver, _ number: UInt64, _ clock: any Clock
    ) -> ExchangeID {
        let id = Self.lastID.add(1, ordering: .relaxed).newValue
        guard let transport = begin(id, exchange, observer, number, clock) else {
            observer.completed(.failure(TransportError(.closed, "the transport is closed")))
            return ExchangeID(id)
        }
        LentExchange.start(exchange, id: id, table, transport)
        if state.withLock({ $0.leave() }) { callClose() }
        return ExchangeID(id)
    }

    /// A thread goes into the plugin's `start`; `nil` when the session is over.
    private func begin(
        _ id: UInt64, _ exchange: Exchange, _ observer: any ExchangeObserver, _ number: UInt64,
        _ clock: any Clock
    ) -> UnsafeMutableRawPointer? {
        let started = PluginExchange(
            id: id, exchange, observer, wantsProgress: observer.wantsProgress, at: clock.now(),
            patienceMilliseconds: Self.patienceMilliseconds)
        let deadline = started.deadline
        let (transport, isWatched) = state.withLock { state -> (UnsafeMutableRawPointer?, Bool) in
            guard state.number == number, let transport = state.enter() else { return (nil, true) }
            state.exchanges[id] = started
            return (transport, state.watchAt.nanoseconds <= deadline.nanoseconds)
        }
        if !isWatched { watch(deadline) }
        return transport
    }

    func cancel(_ id: UInt64) {
        guard let exchange = find(id) else { return }
        end(exchange, TransportError(.cancelled, "the exchange was cancelled"), asksPlugin: true)
    }

    func resume(_ id: UInt64) {
        let (isOpen, forwarded) = state.withLock { state in
            let exchange = state.open(id)
            exchange?.order.change { $0.resume() }
            return (exchange != nil, exchange?.forwardedID)
        }
        if let forwarded {
            session?.surroundings.builtIn.resume(forwarded)
        } else if isOpen {
            call { table.functions.resume($0, id) }
        }
    }

    /// Tells the plugin, as promised, that more of the body of a request is available.
    func isReady(_ id: UInt64) {
        guard find(id) != nil else { return }
        call { table.functions.body_ready?($0, id) }
    }

    // MARK: Ending

    /// Notes that the plugin has been told to end the exchange, and sets its deadline.
    func expectEnd(of exchange: PluginExchange) {
        guard let deadline = session?.patienceEnd else { return }
        _ = state.withLock { _ in exchange.cancel(until: deadline) }
        watch(deadline)
    }

    /// Ends an exchange for its observer. The plugin, or the transport that it forwarded the
    /// exchange to, must also end it soon.
    func end(_ exchange: PluginExchange, _ error: TransportError, asksPlugin: Bool) {
        guard let session else {
            endAlone(exchange, error)
            return
        }
        let deadline = session.patienceEnd
        let (asks, forwarded) = state.withLock { _ in exchange.cancel(until: deadline) }
        watch(deadline)
        endAlone(exchange, error)
        if let forwarded { session.surroundings.builtIn.cancel(forwarded) }
        if asks, asksPlugin { call { table.functions.cancel($0, exchange.id) } }
    }

    /// Ends the exchange for the observer, whatever the plugin does.
    func endAlone(_ exchange: PluginExchange, _ error: TransportError) {
        let hearing = state.withLock { _ in
            guard !exchange.order.now.isDecided else { return ExchangeOrder.Hearing.never }
            // The error is set before another thread looks for it.
            exchange.ending = error
            let hearing = exchange.order.change { $0.end() }
            if hearing != .later { exchange.ending = nil }
            return hearing
        }
        if case .now = hearing { exchange.observer.take()?.completed(.failure(error)) }
    }

    /// An exchange that the plugin has not given back.
    func find(_ id: UInt64) -> PluginExchange? {
        state.withLock { $0.open(id) }
    }

    var session: Session? {
        state.withLock { $0.session }
    }

    /// Ends the exchange because the plugin broke the contract.
    func fail(_ exchange: PluginExchange, _ problem: String) {
        log("\(problem) (exchange \(exchange.id))")
        end(exchange, TransportError(.plugin, "\(table.title): \(problem)"), asksPlugin: true)
    }

    func log(_ problem: String) {
        Log.shared.write(.error, .plugin, "\(table.title): \(problem)")
    }
}

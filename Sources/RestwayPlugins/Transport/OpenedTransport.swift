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
/// One lock guards the state. No observer and no function of the plugin is called with it:
/// `ExchangeOrder` decides which thread may call the observer of an exchange.
///
/// `@unchecked Sendable`: `pointer` and `room` are written once, before other threads see them.
final class OpenedTransport: @unchecked Sendable {
    /// How long a plugin may keep an exchange that is over or has passed its time limit.
    static let patienceMilliseconds: Int64 = 5_000

    private static let lastID = Atomic<UInt64>(0)

    let table: PluginTransportTable
    private(set) var pointer: UnsafePointer<restway_plugin_host>!
    let state = Lock(OpenExchanges())

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
            let why =
                result == RESTWAY_PLUGIN_OK
                ? "open returned no transport" : reason.text(orFor: result)
            throw PluginError(.options, "\(table.title): does not open: \(why)")
        }
        let session = Session(surroundings, transport)
        return state.withLock { state in
            state = OpenExchanges(number: state.number + 1, session: session)
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
            return true
        }
        if isOver { table.giveBack(self) }
    }

    /// Calls the plugin, unless its transport is being closed.
    private func call(_ body: (UnsafeMutableRawPointer) -> Void) {
        guard let session = state.withLock({ $0.enter() }) else { return }
        body(session.transport)
        leavePlugin()
    }

    private func leavePlugin() {
        if state.withLock({ $0.leave() }) { callClose() }
    }

    // MARK: Functions for the client

    func start(
        _ exchange: Exchange, _ observer: any ExchangeObserver, _ number: UInt64
    ) -> ExchangeID {
        let id = Self.lastID.add(1, ordering: .relaxed).newValue
        guard let now = session?.surroundings.clock.now(),
            let session = enter(PluginExchange(id: id, exchange, observer, at: now), number)
        else {
            observer.completed(.failure(TransportError(.closed, "the transport is closed")))
            return ExchangeID(id)
        }
        ExchangeTables.start(exchange, id: id, table, session.transport)
        leavePlugin()
        return ExchangeID(id)
    }

    /// Notes a new exchange and that a thread enters the plugin's functions; `nil` if the session
    /// is over.
    private func enter(_ exchange: PluginExchange, _ number: UInt64) -> Session? {
        let deadline = exchange.guarded.deadline
        let session = state.withLock { state -> Session? in
            guard state.number == number, let session = state.enter() else { return nil }
            state.exchanges[exchange.id] = exchange
            return session
        }
        if session != nil { watch(deadline) }
        return session
    }

    func cancel(_ id: UInt64) {
        guard let exchange = find(id) else { return }
        end(exchange, TransportError(.cancelled, "the exchange was cancelled"), asksPlugin: true)
    }

    func resume(_ id: UInt64) {
        let (isOpen, forwarded) = state.withLock { state in
            let exchange = state.open(id)
            exchange?.guarded.order.resume()
            return (exchange != nil, exchange?.guarded.forwardedID)
        }
        if let forwarded {
            session?.surroundings.builtIn.resume(forwarded)
        } else if isOpen {
            call { table.functions.resume($0, id) }
        }
    }

    /// Tells the plugin, as promised, that more of the body of a request is available.
    func tellReady(_ id: UInt64) {
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
            let hearing = exchange.guarded.order.end()
            if hearing == .later { exchange.guarded.ending = error }
            return hearing
        }
        if case .now = hearing { exchange.observer.take()?.completed(.failure(error)) }
    }

    /// An exchange that the plugin has not given back.
    func find(_ id: UInt64) -> PluginExchange? {
        state.withLock { $0.open(id) }
    }

    /// Whether the end of the exchange is decided.
    func isDecided(_ exchange: PluginExchange) -> Bool {
        state.withLock { _ in exchange.guarded.order.isDecided }
    }

    var session: Session? {
        state.withLock { $0.session }
    }

    /// Ends the exchange because the plugin broke the contract.
    func fail(_ exchange: PluginExchange, _ problem: String) {
        log("\(problem) (exchange \(exchange.id))")
        end(exchange, TransportError(.plugin, "\(table.title): \(problem)"), asksPlugin: true)
    }

    /// Ends an exchange in whose name the plugin breaks the contract.
    func breaks(_ id: UInt64, _ problem: String) {
        if let exchange = find(id) { fail(exchange, problem) } else { log(problem) }
    }

    func log(_ problem: String) {
        Log.shared.write(.error, .plugin, "\(table.title): \(problem)")
    }
}

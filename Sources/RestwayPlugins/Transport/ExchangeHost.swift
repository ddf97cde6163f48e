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
/// One lock guards all of it, the exchanges too: whatever a plugin says begins with finding one.
///
/// `@unchecked Sendable`: `pointer` is written once, before anybody has it.
final class ExchangeHost: @unchecked Sendable {
    /// How long a plugin may take for an exchange that is over, and beyond a time-out.
    static let patienceMilliseconds: Int64 = 5_000

    private static let lastID = Atomic<UInt64>(0)

    /// One client's use of it.
    ///
    /// `@unchecked Sendable`: the plugin's transport may be called on any thread.
    final class Session: @unchecked Sendable {
        let surroundings: PluginTransport.Surroundings
        /// The plugin's.
        let transport: UnsafeMutableRawPointer

        init(_ surroundings: PluginTransport.Surroundings, _ transport: UnsafeMutableRawPointer) {
            self.surroundings = surroundings
            self.transport = transport
        }

        /// When what is over has to have been given back.
        var patienceEnd: Deadline {
            surroundings.clock.now().advanced(milliseconds: patienceMilliseconds)
        }
    }

    struct State {
        var number: UInt64 = 0
        var session: Session?
        /// The session's.
        var clock: any Clock = SystemClock()
        var exchanges = ExchangeIndex()
        var isClosing = false
        var isClosed = false
        /// An exchange was given up: the plugin may hold it still.
        var hasLost = false
        /// When the watchdog looks next.
        var watchAt = Deadline.never
        /// One of the last heads, and how many others came since the first.
        var known = KnownHead.none
        var otherHeads = 0

        /// The plugin has given everything back.
        var isIdle: Bool { isClosed && exchanges.isEmpty }
    }

    /// Beside the count of those inside of the plugin's functions: it is being closed.
    private static let closing = Int.min

    let table: PluginTransportTable
    /// How many threads are inside of the plugin's functions. Raised under the lock, unless it is
    /// being closed.
    private let inside = Atomic<Int>(0)
    private(set) var pointer: UnsafePointer<restway_plugin_host>!
    let state = Lock(State())

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
        let session = Session(surroundings, transport)
        inside.store(0, ordering: .relaxed)
        return state.withLock { state in
            state = State(
                number: state.number + 1, session: session, clock: surroundings.clock)
            return state.number
        }
    }

    func close(_ number: UInt64) {
        let exchanges: [PluginExchange]? = state.withLock { state in
            guard state.number == number, !state.isClosing else { return nil }
            state.isClosing = true
            return state.exchanges.all
        }
        guard let exchanges else { return }
        let error = TransportError(.closed, "the transport is closed")
        for exchange in exchanges { end(exchange, error, asksPlugin: false) }
        // Whoever is inside closes it when the last one leaves.
        let others = inside.bitwiseOr(Self.closing, ordering: .acquiringAndReleasing).oldValue
        if others == 0 { callClose() }
    }

    /// Closes the plugin's transport: nobody is inside of it.
    private func callClose() {
        guard let session else { return }
        table.functions.close(session.transport)
        state.withLock { $0.isClosed = true }
        rest()
    }

    /// Serves others when the plugin has given everything back.
    func rest() {
        let isOver = state.withLock { state in
            guard state.isIdle, !state.hasLost, state.session != nil else { return false }
            state.session = nil
            state.known = .none
            return true
        }
        if isOver { table.giveBack(self) }
    }

    /// Calls the plugin, unless its transport is being closed.
    private func call(_ body: (UnsafeMutableRawPointer) -> Void) {
        let transport: UnsafeMutableRawPointer? = state.withLock { state in
            guard !state.isClosing, let session = state.session else { return nil }
            inside.add(1, ordering: .relaxed)
            return session.transport
        }
        guard let transport else { return }
        body(transport)
        leave()
    }

    private func leave() {
        let others = inside.subtract(1, ordering: .acquiringAndReleasing).newValue
        if others == Self.closing { callClose() }
    }

    // MARK: What the client wants

    func start(
        _ exchange: Exchange, _ observer: any ExchangeObserver, _ number: UInt64
    ) -> ExchangeID {
        let id = Self.lastID.add(1, ordering: .relaxed).newValue
        let started = PluginExchange(id: id, exchange, observer)
        var isWatched = true
        let transport: UnsafeMutableRawPointer? = state.withLock { state in
            guard state.number == number, !state.isClosing, let session = state.session else {
                return nil
            }
            started.begin(
                state.clock.now(), patienceMilliseconds: Self.patienceMilliseconds)
            isWatched = state.watchAt <= started.deadline
            state.exchanges.insert(started)
            inside.add(1, ordering: .relaxed)
            return session.transport
        }
        guard let transport else {
            observer.completed(.failure(TransportError(.closed, "the transport is closed")))
            return ExchangeID(id)
        }
        if !isWatched { watch(state.withLock { _ in started.deadline }) }
        LentExchange.start(exchange, id: id, table, transport)
        leave()
        return ExchangeID(id)
    }

    func cancel(_ id: UInt64) {
        guard let exchange = state.withLock({ $0.exchanges[id] }) else { return }
        end(exchange, TransportError(.cancelled, "the exchange was cancelled"), asksPlugin: true)
    }

    func resume(_ id: UInt64) {
        let (isOpen, forwarded) = state.withLock { state in
            let exchange = state.exchanges[id]
            exchange?.order.resume()
            return (exchange != nil, exchange?.forwardedID)
        }
        if let forwarded {
            session?.surroundings.builtIn.resume(forwarded)
        } else if isOpen {
            call { table.functions.resume($0, id) }
        }
    }

    /// There is more of the body of a request, as the plugin was promised.
    func isReady(_ id: UInt64) {
        guard exchange(id) != nil else { return }
        call { table.functions.body_ready?($0, id) }
    }

    /// Header lines as the plugin gives them; `nil` when that are none.
    ///
    /// Where heads differ from one to the next, only every fourth one is kept to compare with.
    func headers(
        _ lines: UnsafePointer<restway_plugin_header>?, _ count: Int, _ known: KnownHead
    ) -> Headers? {
        if known.reads(lines, count) { return known.headers }
        guard let headers = ForeignHeaders.read(lines, count) else { return nil }
        let isKept = state.withLock { state in
            state.otherHeads += 1
            return state.otherHeads % 4 == 1
        }
        if isKept, let head = KnownHead.of(headers, lines, count) {
            state.withLock { $0.known = head }
        }
        return headers
    }

    // MARK: Ending

    /// The plugin has been told to end it, which it should do soon.
    func expectEnd(of exchange: PluginExchange) {
        guard let deadline = session?.patienceEnd else { return }
        _ = state.withLock { _ in exchange.cancel(until: deadline) }
        watch(deadline)
    }

    /// Ends an exchange for its observer. The plugin, or the transport that it was left to, has to
    /// end it too, soon.
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

    /// Ends it for the observer, whatever the plugin does.
    func endAlone(_ exchange: PluginExchange, _ error: TransportError) {
        let observer = state.withLock { _ in
            exchange.order.end(error) ? exchange.observer.take() : nil
        }
        observer?.completed(.failure(error))
    }

    func exchange(_ id: UInt64) -> PluginExchange? {
        state.withLock { $0.exchanges[id] }
    }

    var session: Session? {
        state.withLock { $0.session }
    }

    /// The plugin broke the contract: this ends the exchange.
    func fail(_ exchange: PluginExchange, _ problem: String) {
        log("\(problem) (exchange \(exchange.id))")
        end(exchange, TransportError(.plugin, "\(table.title): \(problem)"), asksPlugin: true)
    }

    func log(_ problem: String) {
        Log.shared.write(.error, .plugin, "\(table.title): \(problem)")
    }
}

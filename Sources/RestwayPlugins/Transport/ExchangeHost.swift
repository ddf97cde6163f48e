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
/// One lock guards all of it. Of an exchange it guards little: who may tell its observer something
/// is settled without it (`ExchangeOrder`).
///
/// `@unchecked Sendable`: `pointer` and `room` are written once, before anybody has it.
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
        var transport: UnsafeMutableRawPointer?
        var clock: any Clock = SystemClock()
        /// How many threads are inside of the plugin's functions.
        var inside = 0
        var exchanges = ExchangeIndex()
        /// One more, which is being started: those that are answered at once are never put among
        /// the others.
        var starting: PluginExchange?
        /// A thread is inside of `start` with it, or with one that was given up meanwhile.
        var isRoomTaken = false
        var isClosing = false
        /// Everybody has heard: whoever is inside last closes the plugin's transport.
        var mayClose = false
        var isClosed = false
        /// An exchange was given up: the plugin may hold it still.
        var hasLost = false
        /// When the watchdog looks next.
        var watchAt = Deadline.never
        /// One of the last heads, and how many others came since the first.
        var known = KnownHead.none
        var otherHeads = 0

        /// The plugin has given everything back.
        var isIdle: Bool { isClosed && exchanges.isEmpty && starting == nil }

        /// The exchange `id`, unless the plugin has given it back.
        func open(_ id: UInt64) -> PluginExchange? {
            let exchange = starting?.id == id ? starting : exchanges[id]
            return exchange.flatMap { $0.order.now.isCompleted ? nil : $0 }
        }

        /// Those that the plugin has not given back.
        var all: [PluginExchange] {
            (exchanges.all + (starting.map { [$0] } ?? [])).filter { !$0.order.now.isCompleted }
        }

        mutating func remove(_ id: UInt64) {
            if starting?.id == id { starting = nil } else { exchanges.remove(id) }
        }

        /// `exchange` is being started.
        ///
        /// - Returns: Whether it is the one in the room.
        mutating func begin(_ exchange: PluginExchange) -> Bool {
            guard !isRoomTaken else {
                exchanges.insert(exchange)
                return false
            }
            isRoomTaken = true
            starting = exchange
            return true
        }

        /// `start` has returned.
        mutating func finish(_ exchange: PluginExchange, isInRoom: Bool) {
            if isInRoom { isRoomTaken = false }
            if exchange.order.now.isCompleted {
                remove(exchange.id)
            } else if starting === exchange {
                starting = nil
                exchanges.insert(exchange)
            }
        }

        /// A thread goes into the plugin's functions, unless its transport is being closed.
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
    private var room: UnsafePointer<HostRoom>!
    let state = Lock(State())

    init(_ table: PluginTransportTable) {
        self.table = table
        var host = PluginHost.table()
        let room = UnsafeMutablePointer<HostRoom>.allocate(capacity: 1)
        room.initialize(to: HostRoom(self))
        self.room = UnsafePointer(room)
        host.context = UnsafeMutableRawPointer(room)
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
            state.transport = nil
            state.known = .none
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

    /// - Parameter clock: The session's.
    func start(
        _ exchange: Exchange, _ observer: any ExchangeObserver, _ number: UInt64, _ clock: any Clock
    ) -> ExchangeID {
        let id = Self.lastID.add(1, ordering: .relaxed).newValue
        guard let starting = begin(id, exchange, observer, number, clock) else {
            refuse(observer)
            return ExchangeID(id)
        }
        withUnsafePointer(to: starting) { starting in
            if starting.pointee.isInRoom { room.pointee.enter(starting) }
            LentExchange.start(exchange, id: id, table, starting.pointee.transport)
        }
        finish(starting)
        return ExchangeID(id)
    }

    @inline(never)
    private func refuse(_ observer: any ExchangeObserver) {
        observer.completed(.failure(TransportError(.closed, "the transport is closed")))
    }

    /// A thread goes into the plugin's `start`; `nil` when the session is over.
    private func begin(
        _ id: UInt64, _ exchange: Exchange, _ observer: any ExchangeObserver, _ number: UInt64,
        _ clock: any Clock
    ) -> StartingExchange? {
        let wantsProgress = observer.wantsProgress
        let now = clock.now()
        var isWatched = true
        var isInRoom = false
        var transport: UnsafeMutableRawPointer?
        let started = state.withLock { state -> PluginExchange? in
            transport = state.number == number ? state.enter() : nil
            guard transport != nil else { return nil }
            let started = PluginExchange(
                id: id, exchange, observer, wantsProgress: wantsProgress, state.known,
                at: now, patienceMilliseconds: Self.patienceMilliseconds)
            isWatched = state.watchAt.nanoseconds <= started.deadline.nanoseconds
            isInRoom = state.begin(started)
            return started
        }
        guard let started, let transport else { return nil }
        if !isWatched { watch(state.withLock { _ in started.deadline }) }
        return StartingExchange(
            exchange: started, observer: observer, clock: clock, transport: transport,
            isInRoom: isInRoom)
    }

    /// `start` has returned.
    private func finish(_ starting: borrowing StartingExchange) {
        if starting.isInRoom { room.pointee.leave() }
        let closes = state.withLock { state in
            state.finish(starting.exchange, isInRoom: starting.isInRoom)
            return state.leave()
        }
        if closes { callClose() }
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

    /// There is more of the body of a request, as the plugin was promised.
    func isReady(_ id: UInt64) {
        guard find(id) != nil else { return }
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
        let hearing = state.withLock { _ in
            guard !exchange.order.now.isDecided else { return ExchangeOrder.Hearing.never }
            // Before anybody looks for it.
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

    /// The plugin broke the contract: this ends the exchange.
    func fail(_ exchange: PluginExchange, _ problem: String) {
        log("\(problem) (exchange \(exchange.id))")
        end(exchange, TransportError(.plugin, "\(table.title): \(problem)"), asksPlugin: true)
    }

    func log(_ problem: String) {
        Log.shared.write(.error, .plugin, "\(table.title): \(problem)")
    }
}

import CRestwayPlugin
import RestwayHTTP
import RestwayRouting
import RestwaySupport

/// What is told of an exchange: by the plugin, or by the transport that it was left to.
///
/// Each of these takes the lock once before the observer is called and once after.
extension ExchangeHost {
    typealias Event = ExchangeOrder.Event

    /// Tells the observer what the plugin says, when it is the time for that.
    ///
    /// - Parameter tell: Says what is wrong with what came, which ends the exchange, as what is
    ///   against the contract does.
    func tell(
        _ event: Event, _ id: UInt64, _ tell: (any ExchangeObserver, PluginExchange) -> String?
    ) {
        guard let exchange = enter(event, id) else { return }
        // It stays until `leave`: whoever ends the exchange waits for that.
        let problem = exchange.observer.flatMap { tell($0, exchange) }
        leave(exchange)
        if let problem { fail(exchange, problem) }
    }

    /// A head.
    ///
    /// - Parameter tell: The same, and is given one that came before.
    func tellHead(
        _ id: UInt64, _ tell: (any ExchangeObserver, PluginExchange, KnownHead) -> String?
    ) {
        var known = KnownHead.none
        guard let exchange = enter(.head, id, { known = $0.known }) else { return }
        let problem = exchange.observer.flatMap { tell($0, exchange, known) }
        leave(exchange)
        if let problem { fail(exchange, problem) }
    }

    /// The same for what the built-in transport says, which keeps to the contract.
    func tell(
        _ event: Event, _ exchange: PluginExchange, _ tell: (any ExchangeObserver) -> Void
    ) {
        guard enter(event, exchange) else { return }
        if let observer = exchange.observer { tell(observer) }
        leave(exchange)
    }

    /// A piece of the body.
    ///
    /// - Returns: What the observer says to it.
    func received(_ bytes: UnsafeRawBufferPointer, _ id: UInt64) -> BodyReply {
        guard let exchange = enter(.body, id) else { return Self.over }
        let reply = received(bytes, exchange)
        if case .stop = reply { expectEnd(of: exchange) }
        return reply
    }

    func receivedForwarded(
        _ bytes: UnsafeRawBufferPointer, _ exchange: PluginExchange
    ) -> BodyReply {
        enter(.body, exchange) ? received(bytes, exchange) : Self.over
    }

    private static let over = BodyReply.stop(TransportError(.cancelled, "the exchange is over"))

    private func received(
        _ bytes: UnsafeRawBufferPointer, _ exchange: PluginExchange
    ) -> BodyReply {
        var reply = BodyReply.proceed
        if !bytes.isEmpty, let observer = exchange.observer { reply = observer.receivedBody(bytes) }
        let error = state.withLock { _ in
            exchange.downloaded += Int64(bytes.count)
            // Whoever wants no more need not wait for the plugin.
            if case .stop(let error) = reply { _ = exchange.order.end(error) }
            return exchange.order.leave(pausing: reply.isPause)
        }
        if let error { tell(exchange, error) }
        return reply
    }

    /// Notes where a redirect leads, then tells the observer.
    func received(_ head: ResponseHead, _ observer: any ExchangeObserver, _ told: PluginExchange) {
        if (300..<400).contains(head.status), let location = head.headers[first: "Location"] {
            // What is no URL is left to the one who decides whether to go there.
            let url = (try? URLText.resolve(location, against: told.exchange.url)) ?? location
            state.withLock { _ in told.redirectURL = url }
        }
        observer.receivedHead(head)
    }

    /// The exchange, when its observer may be told; then `leave` has to follow.
    ///
    /// - Parameter look: Runs under the lock.
    private func enter(
        _ event: Event, _ id: UInt64, _ look: (State) -> Void = { _ in }
    ) -> PluginExchange? {
        var answer = ExchangeOrder.Answer.drop
        let exchange = state.withLock { state in
            let exchange = state.exchanges[id]
            if let exchange { answer = exchange.order.enter(event) }
            look(state)
            return exchange
        }
        guard let exchange else {
            refuse(event.rawValue, id)
            return nil
        }
        switch answer {
        case .tell: return exchange
        case .refuse(let problem): fail(exchange, problem)
        case .drop:
            // The answer to a piece of the body says that it is over.
            if case .body = event { expectEnd(of: exchange) }
        }
        return nil
    }

    private func enter(_ event: Event, _ exchange: PluginExchange) -> Bool {
        let answer = state.withLock { _ in exchange.order.enter(event, byForwarding: true) }
        if case .tell = answer { return true }
        return false
    }

    /// The observer has heard.
    private func leave(_ exchange: PluginExchange) {
        let error = state.withLock { _ in exchange.order.leave() }
        if let error { tell(exchange, error) }
    }

    /// It was ended while its observer heard something else.
    private func tell(_ exchange: PluginExchange, _ error: TransportError) {
        let observer = state.withLock { _ in exchange.observer.take() }
        observer?.completed(.failure(error))
    }

    /// A plugin speaks of an exchange that is not open.
    private func refuse(_ function: String, _ id: UInt64) {
        log("calls \(function) for exchange \(id), which has completed or never was")
    }

    // MARK: The end

    /// The plugin gives an exchange back.
    ///
    /// - Parameter end: `nil` when it said nothing of how.
    func completed(_ end: restway_plugin_end?, _ id: UInt64) {
        var observer: (any ExchangeObserver)?
        var mayRest = false
        var now = Deadline.past
        var answer = ExchangeOrder.Answer.drop
        let found = state.withLock { state -> PluginExchange? in
            guard let exchange = state.exchanges[id] else { return nil }
            guard !exchange.order.isForwarded || exchange.held != nil else {
                answer = .refuse("calls exchange_completed for an exchange that it has forwarded")
                return exchange
            }
            state.exchanges.remove(id)
            mayRest = state.isIdle
            guard end != nil || exchange.held != nil else {
                exchange.order.giveBack()
                answer = .refuse("calls exchange_completed without an end")
                return exchange
            }
            let isSuccess = exchange.held == nil && end?.result == RESTWAY_PLUGIN_OK
            answer = exchange.order.complete(isSuccess: isSuccess)
            if case .tell = answer { observer = exchange.observer.take() }
            now = state.clock.now()
            return exchange
        }
        guard let exchange = found else { return refuse("exchange_completed", id) }
        // From here on nobody else has it.
        if let observer { tell(observer, of: exchange, end, now) }
        if mayRest { rest() }
        if case .refuse(let problem) = answer { fail(exchange, problem) }
    }

    private func tell(
        _ observer: any ExchangeObserver, of exchange: PluginExchange, _ end: restway_plugin_end?,
        _ now: Deadline
    ) {
        if let end, end.result != RESTWAY_PLUGIN_OK {
            observer.completed(.failure(end.error(table)))
        } else if let held = exchange.held {
            observer.completed(held)
        } else if let end {
            observer.completed(.success(exchange.summary(end, now: now)))
        }
    }

    /// The transport that the exchange was left to has ended it, and the plugin agrees.
    func completed(_ exchange: PluginExchange, _ outcome: PluginExchange.Outcome) {
        var observer: (any ExchangeObserver)?
        let mayRest = state.withLock { state in
            state.exchanges.remove(exchange.id)
            let answer = exchange.order.complete(isSuccess: false)
            if case .tell = answer { observer = exchange.observer.take() }
            return state.isIdle
        }
        observer?.completed(outcome)
        if mayRest { rest() }
    }
}

extension BodyReply {
    fileprivate var isPause: Bool {
        if case .pause = self { true } else { false }
    }
}

extension restway_plugin_end {
    fileprivate func error(_ table: PluginTransportTable) -> TransportError {
        let text = self.text.map { String(cString: $0) } ?? "it gave no reason (\(result))"
        return TransportError(kind, code: code, "\(table.title): \(text)")
    }

    private var kind: TransportError.Kind {
        switch result {
        case RESTWAY_PLUGIN_OUT_OF_MEMORY: .outOfMemory
        case RESTWAY_PLUGIN_EXCHANGE_CANCELLED: .cancelled
        case RESTWAY_PLUGIN_EXCHANGE_CLOSED: .closed
        case RESTWAY_PLUGIN_EXCHANGE_TIMED_OUT: .timedOut
        case RESTWAY_PLUGIN_EXCHANGE_RESOLVE: .resolve
        case RESTWAY_PLUGIN_EXCHANGE_CONNECT: .connect
        case RESTWAY_PLUGIN_EXCHANGE_TLS: .tls
        case RESTWAY_PLUGIN_EXCHANGE_CONNECTION_LOST: .connectionLost
        case RESTWAY_PLUGIN_EXCHANGE_PROTOCOL: .protocolViolation
        case RESTWAY_PLUGIN_EXCHANGE_TOO_LARGE: .tooLarge
        case RESTWAY_PLUGIN_EXCHANGE_UNSUPPORTED: .unsupported
        default: .plugin
        }
    }
}

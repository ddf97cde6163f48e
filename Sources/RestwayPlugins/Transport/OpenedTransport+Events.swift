import CRestwayPlugin
import RestwayHTTP
import RestwayRouting
import RestwayText
import RestwayThreads

/// Passes events of an exchange to its observer. The events come from the plugin, or from the
/// built-in transport if the plugin forwarded the exchange to it.
///
/// The lock is taken once, to find the exchange.
extension OpenedTransport {
    typealias Event = ExchangeOrder.Event

    /// Passes an event of the plugin to the observer, if the order of events allows it.
    ///
    /// - Parameter tell: Passes the event on and returns what is wrong with it. A problem ends the
    ///   exchange, as a breach of the contract does.
    func tell(
        _ event: Event, _ id: UInt64, _ tell: (any ExchangeObserver, PluginExchange) -> String?
    ) {
        guard let exchange = find(id) else { return refuse(event.rawValue, id) }
        // The observer stays until `leave`: a thread that ends the exchange waits for that.
        guard enter(event, exchange), let observer = exchange.observer else { return }
        leave(exchange, tell(observer, exchange))
    }

    /// Passes an event of the built-in transport to the observer. That transport keeps the
    /// contract.
    func tell(
        _ event: Event, _ exchange: PluginExchange, _ tell: (any ExchangeObserver) -> Void
    ) {
        guard enterForwarded(event, exchange) else { return }
        if let observer = exchange.observer { tell(observer) }
        leave(exchange)
    }

    /// Takes a head from the plugin.
    ///
    /// A head whose body has no certain end fails the exchange, as it does with the built-in
    /// transport. The plugin has not broken its contract then: it passes on what a server has sent.
    func received(_ head: UnsafePointer<restway_plugin_head>?, _ id: UInt64) {
        var framing: (problem: String, exchange: PluginExchange)?
        tell(.head, id) { observer, exchange in
            tell(observer, exchange, head) { framing = ($0, exchange) }
        }
        guard let framing else { return }
        let message = "\(table.title): \(framing.problem)"
        end(framing.exchange, TransportError(.protocolViolation, message), asksPlugin: true)
    }

    /// - Parameter refuse: Called with the reason if the end of the body cannot be known. The
    ///   observer does not receive the head in this case.
    /// - Returns: A description of the problem with the head, if there is one.
    private func tell(
        _ observer: any ExchangeObserver, _ exchange: PluginExchange,
        _ pointer: UnsafePointer<restway_plugin_head>?, refuse: (String) -> Void
    ) -> String? {
        let least = MemoryLayout<restway_plugin_head>.size
        guard let pointer,
            let head = PluginTable.read(pointer, zero: restway_plugin_head(), least: least)
        else { return "calls exchange_head without a head" }
        guard (200...999).contains(head.status) else {
            return "gives a head with status \(head.status)"
        }
        guard let headers = ExchangeTables.headers(head.headers, head.header_count) else {
            return ExchangeTables.problem("a head")
        }
        if let problem = ResponseFraming.problem(in: headers) {
            refuse(problem)
            return nil
        }
        let version: HTTPVersion =
            switch head.http_version {
            case 10: .http10
            case 20: .http2
            case 30: .http3
            default: .http11
            }
        received(
            ResponseHead(
                status: Int(head.status), headers: headers, url: exchange.exchange.url,
                httpVersion: version),
            observer, exchange)
        return nil
    }

    /// Takes a piece of the body from the plugin.
    ///
    /// - Returns: The reply of the observer.
    func received(_ bytes: UnsafeRawBufferPointer, _ id: UInt64) -> BodyReply {
        guard let exchange = find(id) else {
            refuse(Event.body.rawValue, id)
            return Self.over
        }
        // The observer stays until `leave`: a thread that ends the exchange waits for that.
        guard enter(.body, exchange), let observer = exchange.observer else { return Self.over }
        let reply = received(bytes, exchange, observer)
        if case .stop = reply { expectEnd(of: exchange) }
        return reply
    }

    func receivedForwarded(
        _ bytes: UnsafeRawBufferPointer, _ exchange: PluginExchange
    ) -> BodyReply {
        guard enterForwarded(.body, exchange), let observer = exchange.observer else {
            return Self.over
        }
        return received(bytes, exchange, observer)
    }

    private static let over = BodyReply.stop(TransportError(.cancelled, "the exchange is over"))

    private func received(
        _ bytes: UnsafeRawBufferPointer, _ exchange: PluginExchange,
        _ observer: any ExchangeObserver
    ) -> BodyReply {
        let reply = bytes.isEmpty ? .proceed : observer.receivedBody(bytes)
        exchange.downloaded += Int64(bytes.count)
        answered(reply, exchange)
        return reply
    }

    /// Applies the observer's reply to a piece of the body. The caller returns the reply to the
    /// plugin.
    func answered(_ reply: BodyReply, _ exchange: PluginExchange) {
        // If the observer wants no more, the exchange ends for it when this leaves, without the
        // plugin.
        if case .stop(let error) = reply { endAlone(exchange, error) }
        leave(exchange, pausing: reply == .pause)
    }

    /// Notes the target of a redirect, then passes the head to the observer.
    func received(_ head: ResponseHead, _ observer: any ExchangeObserver, _ told: PluginExchange) {
        if (300..<400).contains(head.status), let location = head.headers[first: "Location"] {
            // If the location is not a URL, the code that decides about the redirect handles it.
            told.redirectURL =
                (try? URLText.resolve(location, against: told.exchange.url)) ?? location
        }
        observer.receivedHead(head)
    }

    /// Whether the observer may receive the event. If so, the caller must call `leave` afterwards.
    private func enter(_ event: Event, _ exchange: PluginExchange) -> Bool {
        switch exchange.order.change({ $0.enter(event) }) {
        case .tell: return true
        case .refuse(let breach): fail(exchange, breach, event.rawValue)
        case .gone: refuse(event.rawValue, exchange.id)
        case .drop:
            // The plugin learns from the reply to the piece that the exchange is over.
            if case .body = event { expectEnd(of: exchange) }
        }
        return false
    }

    private func enterForwarded(_ event: Event, _ exchange: PluginExchange) -> Bool {
        exchange.order.change { $0.enter(event, byForwarding: true) } == .tell
    }

    /// Marks the end of an observer call.
    func leave(_ exchange: PluginExchange, pausing: Bool = false) {
        guard exchange.order.change({ $0.leave(pausing: pausing) }) else { return }
        // The exchange was ended during the call.
        let error = state.withLock { _ in exchange.guarded.ending.take() }
        if let error { exchange.observer.take()?.completed(.failure(error)) }
    }

    private func leave(_ exchange: PluginExchange, _ problem: String?) {
        leave(exchange)
        if let problem { fail(exchange, problem) }
    }

    /// Reports that a plugin named an exchange that is not open.
    private func refuse(_ function: String, _ id: UInt64) {
        log("calls \(function) for exchange \(id), which has completed or never was")
    }

    private func fail(
        _ exchange: PluginExchange, _ breach: ExchangeOrder.Breach, _ function: String
    ) {
        fail(exchange, "calls \(function) \(breach.rawValue)")
    }

    // MARK: The end

    private static let completed = "exchange_completed"

    /// Takes an exchange back from the plugin.
    ///
    /// - Parameter end: `nil` if the plugin did not say how the exchange ended.
    func completed(_ end: UnsafePointer<restway_plugin_end>?, _ id: UInt64) {
        guard let exchange = find(id) else { return refuse(Self.completed, id) }
        let held = state.withLock { _ in exchange.guarded.held }
        var kind = ExchangeOrder.End.none
        if held != nil {
            kind = .held
        } else if let end {
            kind = end.pointee.result == RESTWAY_PLUGIN_OK ? .success : .failure
        }
        switch finish(exchange, kind, { outcome(of: exchange, end, held) }) {
        case .gone: refuse(Self.completed, id)
        case .refuse(let breach): fail(exchange, breach, Self.completed)
        case .tell, .drop: break
        }
    }

    /// Ends a forwarded exchange: the transport has completed it, and the plugin has let go of it.
    func completed(_ exchange: PluginExchange, _ outcome: PluginExchange.Outcome) {
        _ = finish(exchange, .held) { outcome }
    }

    /// Notes that the plugin gives an exchange back, and tells the observer the end if it is to
    /// receive one.
    private func finish(
        _ exchange: PluginExchange, _ kind: ExchangeOrder.End,
        _ outcome: () -> PluginExchange.Outcome?
    ) -> ExchangeOrder.Answer {
        let answer = exchange.order.change { $0.complete(kind) }
        let mayRest = state.withLock { state in
            if exchange.order.now.isCompleted { state.exchanges[exchange.id] = nil }
            return state.isIdle
        }
        // Only this thread has the observer now.
        if case .tell = answer, let outcome = outcome() {
            exchange.observer.take()?.completed(outcome)
        }
        if mayRest { rest() }
        return answer
    }

    /// The outcome of an exchange that the plugin gives back. A failure that the plugin gives
    /// replaces the outcome of a forwarded exchange.
    private func outcome(
        of exchange: PluginExchange, _ end: UnsafePointer<restway_plugin_end>?,
        _ held: PluginExchange.Outcome?
    ) -> PluginExchange.Outcome? {
        guard let end else { return held }
        if end.pointee.result != RESTWAY_PLUGIN_OK { return .failure(end.pointee.error(table)) }
        if let held { return held }
        let now = session?.surroundings.clock.now() ?? exchange.startedAt
        return .success(exchange.summary(end, now: now))
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

import CRestwayPlugin
import RestwayHTTP
import RestwayRouting
import RestwayText
import RestwayThreads

/// Passes events of an exchange to its observer. The events come from the plugin, or from the
/// built-in transport if the plugin forwarded the exchange to it.
extension OpenedTransport {
    typealias Event = ExchangeOrder.Event

    /// Why an event of the plugin cannot be passed on.
    enum Problem: Error {
        /// The plugin breaks the contract.
        case breach(String)
        /// The plugin passes on a response of a server, but the end of its body cannot be known.
        case framing(String)
    }

    /// Passes an event of the plugin to the observer, if the order of events allows it.
    ///
    /// - Parameter tell: Passes the event on. A problem ends the exchange.
    func tell(
        _ event: Event, _ id: UInt64,
        _ tell: (any ExchangeObserver, PluginExchange) throws(Problem) -> Void
    ) {
        guard let (exchange, observer) = enter(event, id) else { return }
        do throws(Problem) {
            try tell(observer, exchange)
            leave(exchange)
        } catch {
            leave(exchange)
            switch error {
            case .breach(let text): fail(exchange, text)
            case .framing(let text):
                let message = "\(table.title): \(text)"
                end(exchange, TransportError(.protocolViolation, message), asksPlugin: true)
            }
        }
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
    func received(_ pointer: UnsafePointer<restway_plugin_head>?, _ id: UInt64) {
        tell(.head, id) { observer, exchange throws(Problem) in
            guard let pointer, let head = PluginTable.read(pointer, zero: restway_plugin_head())
            else { throw .breach("calls exchange_head without a head") }
            guard (200...999).contains(head.status) else {
                throw .breach("gives a head with status \(head.status)")
            }
            let headers = try ExchangeTables.headers(head.headers, head.header_count, of: "a head")
            if let problem = ResponseFraming.problem(in: headers) { throw .framing(problem) }
            received(
                ResponseHead(
                    status: Int(head.status), headers: headers, url: exchange.exchange.url,
                    httpVersion: HTTPVersion(rawValue: head.http_version) ?? .http11),
                observer, exchange)
        }
    }

    /// Takes a piece of the body from the plugin.
    ///
    /// - Returns: The reply of the observer.
    func received(_ bytes: UnsafeRawBufferPointer, _ id: UInt64) -> BodyReply {
        guard let (exchange, observer) = enter(.body, id) else { return Self.over }
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
        // If the observer wants no more, the exchange ends for it when this leaves, without the
        // plugin.
        if case .stop(let error) = reply { endAlone(exchange, error) }
        leave(exchange, pausing: reply == .pause)
        return reply
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

    /// The exchange and its observer if the observer may receive an event of the plugin. The caller
    /// must call `leave` afterwards. The observer stays until then, because a thread that ends the
    /// exchange waits for `leave`.
    private func enter(
        _ event: Event, _ id: UInt64
    ) -> (PluginExchange, any ExchangeObserver)? {
        let entered = state.withLock { state in
            state.open(id).map { ($0, $0.guarded.order.enter(event)) }
        }
        switch entered {
        case (let exchange, .tell)?:
            return exchange.observer.map { (exchange, $0) }
        case (let exchange, .refuse(let breach))?:
            fail(exchange, "calls \(event.rawValue) \(breach.rawValue)")
        case (let exchange, .drop)?:
            // The plugin learns from the reply to the piece that the exchange is over.
            if case .body = event { expectEnd(of: exchange) }
        case (_, .gone)?, nil:
            refuse(event.rawValue, id)
        }
        return nil
    }

    private func enterForwarded(_ event: Event, _ exchange: PluginExchange) -> Bool {
        state.withLock { _ in exchange.guarded.order.enter(event, byForwarding: true) } == .tell
    }

    /// Marks the end of an observer call.
    func leave(_ exchange: PluginExchange, pausing: Bool = false) {
        // The exchange may have been ended during the call.
        let error: TransportError? = state.withLock { _ in
            exchange.guarded.order.leave(pausing: pausing) ? exchange.guarded.ending.take() : nil
        }
        if let error { exchange.observer.take()?.completed(.failure(error)) }
    }

    /// Reports that a plugin named an exchange that is not open.
    private func refuse(_ function: String, _ id: UInt64) {
        log("calls \(function) for exchange \(id), which has completed or never was")
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
        case .refuse(let breach): fail(exchange, "calls \(Self.completed) \(breach.rawValue)")
        case .tell, .drop: break
        }
    }

    /// Ends a forwarded exchange: the transport has completed it, and the plugin has let go of it.
    func completed(_ exchange: PluginExchange, _ outcome: PluginExchange.Outcome) {
        _ = finish(exchange, .held) { outcome }
    }

    /// Notes that the plugin gives an exchange back, and tells the observer the end if the observer
    /// is to receive an end.
    private func finish(
        _ exchange: PluginExchange, _ kind: ExchangeOrder.End,
        _ outcome: () -> PluginExchange.Outcome?
    ) -> ExchangeOrder.Answer {
        let (answer, mayRest) = state.withLock { state in
            let answer = exchange.guarded.order.complete(kind)
            if exchange.guarded.order.isCompleted { state.exchanges[exchange.id] = nil }
            return (answer, state.isIdle)
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
        TransportError.Kind.numbers.first { $0.number == result }?.kind ?? .plugin
    }
}

extension TransportError.Kind {
    /// The errors that plugins name, with their numbers.
    fileprivate static let numbers: [(kind: TransportError.Kind, number: Int32)] = [
        (.outOfMemory, RESTWAY_PLUGIN_OUT_OF_MEMORY),
        (.cancelled, RESTWAY_PLUGIN_EXCHANGE_CANCELLED),
        (.closed, RESTWAY_PLUGIN_EXCHANGE_CLOSED),
        (.timedOut, RESTWAY_PLUGIN_EXCHANGE_TIMED_OUT),
        (.resolve, RESTWAY_PLUGIN_EXCHANGE_RESOLVE),
        (.connect, RESTWAY_PLUGIN_EXCHANGE_CONNECT),
        (.tls, RESTWAY_PLUGIN_EXCHANGE_TLS),
        (.connectionLost, RESTWAY_PLUGIN_EXCHANGE_CONNECTION_LOST),
        (.protocolViolation, RESTWAY_PLUGIN_EXCHANGE_PROTOCOL),
        (.tooLarge, RESTWAY_PLUGIN_EXCHANGE_TOO_LARGE),
        (.unsupported, RESTWAY_PLUGIN_EXCHANGE_UNSUPPORTED),
        // A plugin is told this error by the same number.
        (.invalidURL, RESTWAY_PLUGIN_EXCHANGE_UNSUPPORTED),
    ]

    /// The number for plugins. Errors that have no number are RESTWAY_PLUGIN_FAILED.
    var number: Int32 {
        Self.numbers.first { $0.kind == self }?.number ?? RESTWAY_PLUGIN_FAILED
    }
}

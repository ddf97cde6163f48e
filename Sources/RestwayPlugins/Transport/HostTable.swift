import CRestwayPlugin
import RestwayHTTP
import RestwaySupport

/// The functions of `restway_plugin_host` that transports call.
enum HostTable {
    private typealias Host = UnsafePointer<restway_plugin_host>

    static func set(_ table: inout restway_plugin_host) {
        setAnswers(&table)
        setRequests(&table)
    }

    /// What the plugin tells of the response.
    private static func setAnswers(_ table: inout restway_plugin_host) {
        table.exchange_head = { host, id, head in
            HostTable.told(host, id, "exchange_head") { HostTable.received(head, $0, $1) }
        }
        table.exchange_body = { host, id, bytes, length in
            var reply = RESTWAY_PLUGIN_BODY_STOP
            HostTable.told(host, id, "exchange_body") { host, exchange in
                let piece = UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : length)
                let (answer, problem) = exchange.received(piece)
                reply = answer.number
                if answer.isStop, problem == nil { host.expectEnd(of: exchange) }
                return problem
            }
            return reply
        }
        table.exchange_trailers = { host, id, headers, count in
            HostTable.told(host, id, "exchange_trailers") { _, exchange in
                guard let fields = HostTable.fields(headers, count) else {
                    return HostTable.notHeaders("trailers")
                }
                return exchange.tell(.trailers) { observer in
                    observer.receivedTrailers(Headers(fields))
                    return nil
                }
            }
        }
        table.exchange_progress = { host, id, uploaded, uploadTotal, downloaded, downloadTotal in
            HostTable.told(host, id, "exchange_progress") { _, exchange in
                exchange.tell(.progress) { observer in
                    guard exchange.wantsProgress else { return nil }
                    observer.progressed(
                        uploaded: uploaded, uploadTotal: uploadTotal, downloaded: downloaded,
                        downloadTotal: downloadTotal)
                    return nil
                }
            }
        }
        table.exchange_completed = { host, id, end in
            HostTable.told(host, id, "exchange_completed") { HostTable.completed(end, $0, $1) }
        }
    }

    /// What the plugin wants of the request.
    private static func setRequests(_ table: inout restway_plugin_host) {
        table.exchange_read = { host, id, buffer, capacity, outLength in
            outLength?.pointee = 0
            guard let host = HostTable.host(host), let exchange = host.exchange(id) else {
                return RESTWAY_PLUGIN_READ_FAILED
            }
            let room = UnsafeMutableRawBufferPointer(
                start: buffer, count: buffer == nil ? 0 : capacity)
            return HostTable.read(host, exchange, room, outLength)
        }
        table.exchange_rewind = { host, id in
            let exchange = HostTable.host(host)?.exchange(id)
            return exchange?.body.rewind() == true ? RESTWAY_PLUGIN_OK : RESTWAY_PLUGIN_FAILED
        }
        table.exchange_forward = { host, id, watcher in
            guard let host = HostTable.host(host), let exchange = host.exchange(id),
                let watcher, let forwarded = ForwardedExchange(exchange, host, watcher)
            else { return RESTWAY_PLUGIN_FAILED }
            return forwarded.start() ? RESTWAY_PLUGIN_OK : RESTWAY_PLUGIN_FAILED
        }
    }

    private static func host(_ pointer: Host?) -> ExchangeHost? {
        guard let context = pointer?.pointee.context else { return nil }
        return UserData.object(ExchangeHost.self, context)
    }

    /// Finds the exchange. What `body` says was against the contract, and ends it.
    private static func told(
        _ pointer: Host?, _ id: UInt64, _ function: String,
        _ body: (ExchangeHost, PluginExchange) -> String?
    ) {
        guard let host = host(pointer) else { return }
        guard let exchange = host.exchange(id) else {
            host.log("calls \(function) for exchange \(id), which has completed or never was")
            return
        }
        if let problem = body(host, exchange) { host.fail(exchange, problem) }
    }

    private static func read(
        _ host: ExchangeHost, _ exchange: PluginExchange, _ room: UnsafeMutableRawBufferPointer,
        _ outLength: UnsafeMutablePointer<Int>?
    ) -> Int32 {
        guard !exchange.isDecided, room.count > 0, outLength != nil else {
            return RESTWAY_PLUGIN_READ_FAILED
        }
        switch exchange.body.read(into: room, { host.isReady(exchange.id) }) {
        case .bytes(let count):
            outLength?.pointee = count
            return RESTWAY_PLUGIN_READ_BYTES
        case .end: return RESTWAY_PLUGIN_READ_END
        case .later: return RESTWAY_PLUGIN_READ_LATER
        case .failed(let error):
            exchange.end(error)
            host.expectEnd(of: exchange)
            return RESTWAY_PLUGIN_READ_FAILED
        }
    }

    // MARK: What comes

    private static func received(
        _ pointer: UnsafePointer<restway_plugin_head>?, _ host: ExchangeHost,
        _ exchange: PluginExchange
    ) -> String? {
        let least = MemoryLayout<restway_plugin_head>.size
        guard let pointer,
            let head = PluginTable.read(pointer, zero: restway_plugin_head(), least: least)
        else { return "calls exchange_head without a head" }
        guard (200...999).contains(head.status) else {
            return "gives a head with status \(head.status)"
        }
        guard let fields = fields(head.headers, head.header_count) else {
            return notHeaders("a head")
        }
        let version: HTTPVersion =
            switch head.http_version {
            case 10: .http10
            case 20: .http2
            case 30: .http3
            default: .http11
            }
        return exchange.received(
            ResponseHead(
                status: Int(head.status), headers: Headers(fields), url: exchange.exchange.url,
                httpVersion: version))
    }

    private static func completed(
        _ pointer: UnsafePointer<restway_plugin_end>?, _ host: ExchangeHost,
        _ exchange: PluginExchange
    ) -> String? {
        let least = MemoryLayout<restway_plugin_end>.offset(of: \.name_lookup_microseconds)!
        let end = pointer.flatMap {
            PluginTable.read($0, zero: restway_plugin_end(), least: least)
        }
        let held = exchange.held
        guard !exchange.isForwarded || held != nil else {
            return "calls exchange_completed for an exchange that it has forwarded"
        }
        host.remove(exchange)
        if let held, end.map({ $0.result == RESTWAY_PLUGIN_OK }) ?? true {
            return exchange.completed(held)
        }
        guard let end else {
            exchange.giveBack()
            return "calls exchange_completed without an end"
        }
        guard end.result == RESTWAY_PLUGIN_OK else {
            return exchange.completed(.failure(end.error(host.table)))
        }
        let now = host.surroundings?.clock.now() ?? exchange.startedAt
        return exchange.completed(.success(exchange.summary(end, now: now)))
    }

    /// `nil` when that are no header lines.
    private static func fields(
        _ headers: UnsafePointer<restway_plugin_header>?, _ count: Int
    ) -> [HeaderField]? {
        guard count > 0 else { return [] }
        guard let headers, count <= 2_000 else { return nil }
        var fields: [HeaderField] = []
        fields.reserveCapacity(count)
        for header in UnsafeBufferPointer(start: headers, count: count) {
            guard let name = header.name, let value = header.value else { return nil }
            let field = HeaderField(name: String(cString: name), value: String(cString: value))
            guard Headers.isValidName(field.name), Headers.isValidValue(field.value) else {
                return nil
            }
            fields.append(field)
        }
        return fields
    }

    private static func notHeaders(_ what: String) -> String {
        "gives \(what) with a line that is no header"
    }
}

extension BodyReply {
    fileprivate var isStop: Bool {
        if case .stop = self { true } else { false }
    }

    /// RESTWAY_PLUGIN_BODY_*.
    fileprivate var number: Int32 {
        switch self {
        case .proceed: RESTWAY_PLUGIN_BODY_MORE
        case .pause: RESTWAY_PLUGIN_BODY_PAUSE
        case .stop: RESTWAY_PLUGIN_BODY_STOP
        }
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

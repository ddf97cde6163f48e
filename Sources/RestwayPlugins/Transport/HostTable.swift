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
            HostTable.with(host) { host in
                host.tellHead(id) { HostTable.received(head, host, $0, $1, $2) }
            }
        }
        table.exchange_body = { host, id, bytes, length in
            let piece = UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : length)
            var answer = RESTWAY_PLUGIN_BODY_STOP
            HostTable.with(host) { answer = $0.received(piece, id).number }
            return answer
        }
        table.exchange_trailers = { host, id, headers, count in
            HostTable.host(host)?.tell(.trailers, id) { observer, _ in
                guard let trailers = ForeignHeaders.read(headers, count) else {
                    return ForeignHeaders.problem("trailers")
                }
                observer.receivedTrailers(trailers)
                return nil
            }
        }
        table.exchange_progress = { host, id, uploaded, uploadTotal, downloaded, downloadTotal in
            HostTable.host(host)?.tell(.progress, id) { observer, exchange in
                guard exchange.wantsProgress else { return nil }
                observer.progressed(
                    uploaded: uploaded, uploadTotal: uploadTotal, downloaded: downloaded,
                    downloadTotal: downloadTotal)
                return nil
            }
        }
        table.exchange_completed = { host, id, end in
            let least = MemoryLayout<restway_plugin_end>.offset(of: \.name_lookup_microseconds)!
            let end = end.flatMap {
                PluginTable.read($0, zero: restway_plugin_end(), least: least)
            }
            HostTable.with(host) { $0.completed(end, id) }
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
            let canRewind = exchange.map { $0.body?.rewind() ?? true } ?? false
            return canRewind ? RESTWAY_PLUGIN_OK : RESTWAY_PLUGIN_FAILED
        }
        table.exchange_forward = { host, id, watcher in
            guard let host = HostTable.host(host), let exchange = host.exchange(id),
                let watcher, let forwarded = ForwardedExchange(exchange, host, watcher)
            else { return RESTWAY_PLUGIN_FAILED }
            return forwarded.start() ? RESTWAY_PLUGIN_OK : RESTWAY_PLUGIN_FAILED
        }
    }

    private static func with(_ pointer: Host?, _ body: (ExchangeHost) -> Void) {
        guard let context = pointer?.pointee.context else { return }
        UserData.lend(context) { body(unsafeDowncast($0, to: ExchangeHost.self)) }
    }

    private static func host(_ pointer: Host?) -> ExchangeHost? {
        guard let context = pointer?.pointee.context else { return nil }
        return UserData.object(ExchangeHost.self, context)
    }

    private static func read(
        _ host: ExchangeHost, _ exchange: PluginExchange, _ room: UnsafeMutableRawBufferPointer,
        _ outLength: UnsafeMutablePointer<Int>?
    ) -> Int32 {
        guard room.count > 0, outLength != nil,
            !host.state.withLock({ _ in exchange.order.isDecided })
        else { return RESTWAY_PLUGIN_READ_FAILED }
        guard let body = exchange.body else { return RESTWAY_PLUGIN_READ_END }
        switch body.read(into: room, { host.isReady(exchange.id) }) {
        case .bytes(let count):
            outLength?.pointee = count
            return RESTWAY_PLUGIN_READ_BYTES
        case .end: return RESTWAY_PLUGIN_READ_END
        case .later: return RESTWAY_PLUGIN_READ_LATER
        case .failed(let error):
            host.endAlone(exchange, error)
            host.expectEnd(of: exchange)
            return RESTWAY_PLUGIN_READ_FAILED
        }
    }

    // MARK: What comes

    private static func received(
        _ pointer: UnsafePointer<restway_plugin_head>?, _ host: ExchangeHost,
        _ observer: any ExchangeObserver, _ exchange: PluginExchange, _ known: KnownHead
    ) -> String? {
        let least = MemoryLayout<restway_plugin_head>.size
        guard let pointer,
            let head = PluginTable.read(pointer, zero: restway_plugin_head(), least: least)
        else { return "calls exchange_head without a head" }
        guard (200...999).contains(head.status) else {
            return "gives a head with status \(head.status)"
        }
        guard let headers = host.headers(head.headers, head.header_count, known) else {
            return ForeignHeaders.problem("a head")
        }
        let version: HTTPVersion =
            switch head.http_version {
            case 10: .http10
            case 20: .http2
            case 30: .http3
            default: .http11
            }
        let url = exchange.exchange.url
        host.received(
            ResponseHead(
                status: Int(head.status), headers: headers, url: url, httpVersion: version),
            observer, exchange)
        return nil
    }
}

extension BodyReply {
    /// RESTWAY_PLUGIN_BODY_*.
    fileprivate var number: Int32 {
        switch self {
        case .proceed: RESTWAY_PLUGIN_BODY_MORE
        case .pause: RESTWAY_PLUGIN_BODY_PAUSE
        case .stop: RESTWAY_PLUGIN_BODY_STOP
        }
    }
}

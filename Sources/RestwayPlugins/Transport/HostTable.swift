import CRestwayPlugin
import RestwayHTTP
import RestwayThreads

/// The functions of `restway_plugin_host` that transports call.
enum HostTable {
    private typealias Host = UnsafePointer<restway_plugin_host>

    static func set(_ table: inout restway_plugin_host) {
        setAnswers(&table)
        setRequests(&table)
    }

    /// Sets the functions that report the response.
    private static func setAnswers(_ table: inout restway_plugin_host) {
        table.exchange_head = { host, id, head in
            HostTable.host(host)?.received(head, id)
        }
        table.exchange_body = { host, id, bytes, length in
            guard let host = HostTable.host(host) else { return RESTWAY_PLUGIN_BODY_STOP }
            guard PluginTable.isMemory(bytes, length) else {
                host.breaks(id, "calls exchange_body with bytes that are NULL, or too many of them")
                return RESTWAY_PLUGIN_BODY_STOP
            }
            return host.received(UnsafeRawBufferPointer(start: bytes, count: length), id).number
        }
        table.exchange_trailers = { host, id, headers, count in
            HostTable.host(host)?.tell(.trailers, id) {
                observer, _ throws(OpenedTransport.Problem) in
                observer.receivedTrailers(
                    try ExchangeTables.headers(headers, count, of: "trailers"))
            }
        }
        table.exchange_progress = { host, id, uploaded, uploadTotal, downloaded, downloadTotal in
            HostTable.host(host)?.tell(.progress, id) { observer, exchange in
                guard exchange.wantsProgress else { return }
                observer.progressed(
                    uploaded: uploaded, uploadTotal: uploadTotal, downloaded: downloaded,
                    downloadTotal: downloadTotal)
            }
        }
        table.exchange_completed = { host, id, end in
            guard let host = HostTable.host(host) else { return }
            HostTable.complete(host, id, end)
        }
    }

    /// Takes an end, whose table may be of an older version.
    private static func complete(
        _ host: OpenedTransport, _ id: UInt64, _ end: UnsafePointer<restway_plugin_end>?
    ) {
        let least = MemoryLayout<restway_plugin_end>.offset(of: \.name_lookup_microseconds)!
        let read = end.flatMap { PluginTable.read($0, zero: restway_plugin_end(), least: least) }
        guard let read else { return host.completed(nil, id) }
        withUnsafePointer(to: read) { host.completed($0, id) }
    }

    /// Sets the functions that read the request.
    private static func setRequests(_ table: inout restway_plugin_host) {
        table.exchange_read = { host, id, buffer, capacity, outLength in
            outLength?.pointee = 0
            guard let host = HostTable.host(host), let exchange = host.find(id) else {
                return RESTWAY_PLUGIN_READ_FAILED
            }
            guard PluginTable.isMemory(buffer, capacity) else {
                host.breaks(id, "calls exchange_read with a buffer that is NULL or too large")
                return RESTWAY_PLUGIN_READ_FAILED
            }
            let room = UnsafeMutableRawBufferPointer(start: buffer, count: capacity)
            return HostTable.read(host, exchange, room, outLength)
        }
        table.exchange_rewind = { host, id in
            let exchange = HostTable.host(host)?.find(id)
            let canRewind = exchange.map { $0.body?.rewind() ?? true } ?? false
            return canRewind ? RESTWAY_PLUGIN_OK : RESTWAY_PLUGIN_FAILED
        }
        table.exchange_forward = { host, id, watcher in
            guard let host = HostTable.host(host), let exchange = host.find(id),
                let watcher, let forwarded = ForwardedExchange(exchange, host, watcher)
            else { return RESTWAY_PLUGIN_FAILED }
            return forwarded.start() ? RESTWAY_PLUGIN_OK : RESTWAY_PLUGIN_FAILED
        }
    }

    /// The host behind a table that a plugin gives. The table may be any host table of the library.
    private static func host(_ table: Host?) -> OpenedTransport? {
        guard let context = table?.pointee.context else { return nil }
        return UserData.object(OpenedTransport.self, context)
    }

    private static func read(
        _ host: OpenedTransport, _ exchange: PluginExchange, _ room: UnsafeMutableRawBufferPointer,
        _ outLength: UnsafeMutablePointer<Int>?
    ) -> Int32 {
        guard room.count > 0, outLength != nil, !host.isDecided(exchange) else {
            return RESTWAY_PLUGIN_READ_FAILED
        }
        guard let body = exchange.body else { return RESTWAY_PLUGIN_READ_END }
        switch body.read(into: room, { host.tellReady(exchange.id) }) {
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
}

extension BodyReply {
    /// RESTWAY_PLUGIN_BODY_*.
    var number: Int32 {
        switch self {
        case .proceed: RESTWAY_PLUGIN_BODY_MORE
        case .pause: RESTWAY_PLUGIN_BODY_PAUSE
        case .stop: RESTWAY_PLUGIN_BODY_STOP
        }
    }
}

import CRestwayPlugin
import RestwayHTTP
import RestwayThreads
import Synchronization

/// Observes an exchange that a plugin has forwarded to the built-in transport. The plugin receives
/// each event first, then the client.
///
/// `@unchecked Sendable`: the table is never changed, and the transport makes one call at a time.
final class ForwardedExchange: ExchangeObserver, @unchecked Sendable {
    private let exchange: PluginExchange
    private let host: OpenedTransport
    private let watcher: restway_plugin_watcher

    init?(
        _ exchange: PluginExchange, _ host: OpenedTransport,
        _ pointer: UnsafePointer<restway_plugin_watcher>
    ) {
        guard let table = PluginTable.read(pointer, zero: restway_plugin_watcher()) else {
            return nil
        }
        self.exchange = exchange
        self.host = host
        watcher = table
    }

    func start() -> Bool {
        guard let transport = host.session?.surroundings.builtIn, host.forward(exchange) else {
            return false
        }
        var forwarded = exchange.exchange
        switch forwarded.body {
        case .none: break
        case .bytes(let bytes): sent(bytes, offset: 0)
        case .source(let source):
            forwarded.body = .source(WatchedSource(source) { self.sent($0, offset: $1) })
        }
        let id = transport.start(forwarded, observer: self)
        if host.noteForwarded(exchange, as: id) { transport.cancel(id) }
        return true
    }

    private func sent(_ bytes: [UInt8], offset: Int64) {
        bytes.withUnsafeBytes {
            watcher.sent?(watcher.context, exchange.id, offset, $0.baseAddress, $0.count)
        }
    }

    // MARK: Events of the transport

    var wantsProgress: Bool { exchange.wantsProgress }

    func receivedHead(_ head: ResponseHead) {
        ExchangeTables.lend(head) { watcher.head?(watcher.context, exchange.id, $0) }
        host.tell(.head, exchange) { host.received(head, $0, exchange) }
    }

    func receivedBody(_ bytes: UnsafeRawBufferPointer) -> BodyReply {
        watcher.body?(watcher.context, exchange.id, bytes.baseAddress, bytes.count)
        return host.receivedForwarded(bytes, exchange)
    }

    func receivedTrailers(_ trailers: Headers) {
        ExchangeTables.lend(trailers) {
            watcher.trailers?(watcher.context, exchange.id, $0, $1)
        }
        host.tell(.trailers, exchange) { $0.receivedTrailers(trailers) }
    }

    func progressed(
        uploaded: Int64, uploadTotal: Int64, downloaded: Int64, downloadTotal: Int64
    ) {
        host.tell(.progress, exchange) { observer in
            observer.progressed(
                uploaded: uploaded, uploadTotal: uploadTotal, downloaded: downloaded,
                downloadTotal: downloadTotal)
        }
    }

    func completed(_ result: Result<ExchangeSummary, TransportError>) {
        // This comes before the plugin learns of the end, because it may answer at once.
        let deadline = host.hold(result, for: exchange)
        let answer = told(result)
        switch answer {
        case RESTWAY_PLUGIN_LATER:
            host.watch(deadline)
        case RESTWAY_PLUGIN_OK:
            host.completed(exchange, result)
        default:
            let problem = "its watcher failed (\(answer))"
            host.log(problem)
            let error = TransportError(.plugin, "\(host.table.title): \(problem)")
            host.completed(exchange, .failure(error))
        }
    }

    private func told(_ result: Result<ExchangeSummary, TransportError>) -> Int32 {
        guard let completed = watcher.completed else { return RESTWAY_PLUGIN_OK }
        var end = restway_plugin_end()
        end.struct_size = MemoryLayout<restway_plugin_end>.size
        switch result {
        case .success(let summary):
            end.name_lookup_microseconds = summary.timings.nameLookupMicroseconds
            end.connect_microseconds = summary.timings.connectMicroseconds
            end.tls_microseconds = summary.timings.tlsMicroseconds
            end.first_byte_microseconds = summary.timings.firstByteMicroseconds
            end.total_microseconds = summary.timings.totalMicroseconds
            end.uploaded = summary.uploadedBytes
            end.downloaded = summary.downloadedBytes
            end.reused_connection = summary.connectionWasReused ? 1 : 0
            return completed(watcher.context, exchange.id, &end)
        case .failure(let error):
            end.result = error.kind.number
            end.code = error.code
            return error.message.withCString { text in
                end.text = text
                return completed(watcher.context, exchange.id, &end)
            }
        }
    }
}

/// The host's notes about forwarded exchanges.
extension OpenedTransport {
    /// Marks the exchange as forwarded; false if it is too late.
    fileprivate func forward(_ exchange: PluginExchange) -> Bool {
        guard exchange.body?.rewind() ?? true else { return false }
        return state.withLock { _ in
            guard exchange.guarded.order.forward() else { return false }
            exchange.guarded.deadline = .never
            return true
        }
    }

    /// - Returns: Whether the exchange was cancelled since then.
    fileprivate func noteForwarded(_ exchange: PluginExchange, as id: ExchangeID) -> Bool {
        state.withLock { _ in
            exchange.guarded.forwardedID = id
            return exchange.guarded.isCancelled
        }
    }

    /// - Returns: The deadline by which the plugin must let go of the exchange.
    fileprivate func hold(
        _ result: PluginExchange.Outcome, for exchange: PluginExchange
    ) -> Deadline {
        let deadline = session?.patienceEnd ?? .never
        state.withLock { _ in
            exchange.guarded.held = result
            exchange.guarded.deadline = deadline
        }
        return deadline
    }
}

/// The body of a request, whose pieces are also passed to an observer function.
final class WatchedSource: BodySource {
    private let source: any BodySource
    private let watch: @Sendable (_ bytes: [UInt8], _ offset: Int64) -> Void
    private let offset = Atomic<Int64>(0)

    init(
        _ source: any BodySource,
        _ watch: @escaping @Sendable (_ bytes: [UInt8], _ offset: Int64) -> Void
    ) {
        self.source = source
        self.watch = watch
    }

    var length: Int64? { source.length }

    func next(_ deliver: @escaping @Sendable (BodyPiece) -> Void) {
        source.next { piece in
            if case .bytes(let bytes) = piece {
                let end = self.offset.add(Int64(bytes.count), ordering: .relaxed).newValue
                self.watch(bytes, end - Int64(bytes.count))
            }
            deliver(piece)
        }
    }
}

import CRestwayPlugin
import RestwayHTTP
import RestwaySupport

/// An exchange that a thread is starting, and what a plugin tells of it from inside of `start`
/// when all is as usual: the short way, with nothing locked, looked up or counted. Whatever is
/// not usual goes the way of all calls, by `ExchangeHost`.
///
/// Short is meant literally. A call runs through far more code than the processor keeps at hand, so
/// that each line of it has to be fetched again, which takes longer than what it does.
struct StartingExchange: ~Copyable {
    let exchange: PluginExchange
    let observer: any ExchangeObserver
    let clock: any Clock
    /// The plugin's.
    let transport: UnsafeMutableRawPointer
    /// It is the one of its host's room.
    let isInRoom: Bool

    /// A head like one that came before.
    ///
    /// - Returns: False when it goes the long way.
    @inline(never)
    func received(
        _ head: UnsafePointer<restway_plugin_head>?, _ room: UnsafePointer<HostRoom>
    ) -> Bool {
        guard let head, head.pointee.struct_size == MemoryLayout<restway_plugin_head>.size,
            (200..<300).contains(head.pointee.status), head.pointee.http_version == 11,
            exchange.known.reads(head.pointee.headers, head.pointee.header_count),
            exchange.order.enter(.head, from: .start)
        else { return false }
        observer.receivedHead(
            ResponseHead(
                status: Int(head.pointee.status), headers: exchange.known.headers,
                url: exchange.exchange.url))
        if !exchange.order.leave(.head) { room.pointee.host.leave(exchange) }
        return true
    }

    /// A piece of the body.
    ///
    /// - Returns: `nil` when it goes the long way.
    @inline(never)
    func received(
        _ bytes: UnsafeRawBufferPointer, _ room: UnsafePointer<HostRoom>
    ) -> Int32? {
        guard !bytes.isEmpty,
            exchange.order.enter(.body, from: .head) || exchange.order.enter(.body, from: .body)
        else { return nil }
        let reply = observer.receivedBody(bytes)
        exchange.downloaded += Int64(bytes.count)
        if case .proceed = reply, exchange.order.leave(.body) { return RESTWAY_PLUGIN_BODY_MORE }
        room.pointee.host.answered(reply, exchange)
        if case .stop = reply { room.pointee.host.expectEnd(of: exchange) }
        return reply.number
    }

    /// A good end.
    ///
    /// - Returns: False when it goes the long way.
    @inline(never)
    func completed(_ end: UnsafePointer<restway_plugin_end>?) -> Bool {
        guard let end, end.pointee.struct_size == MemoryLayout<restway_plugin_end>.size,
            end.pointee.result == RESTWAY_PLUGIN_OK,
            exchange.order.complete(from: .body) || exchange.order.complete(from: .head)
        else { return false }
        exchange.observer = nil
        observer.completed(.success(exchange.summary(end, now: clock.now())))
        return true
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

import RestwayRouting
import RestwayThreads

/// The exchanges with one origin: the running ones and the waiting ones.
///
/// `FairQueue` uses it, on the thread that drives the loop.
final class Lane {
    /// The host and port, for messages.
    let place: String
    let isSecure: Bool
    /// The parsed URL of the origin; nil if libcurl must parse each exchange's URL as a whole.
    let url: OriginURL?
    /// Whether the origin speaks HTTP/2. Its exchanges share connections, so more may run at once.
    var isMultiplexed = false

    var running = 0
    var waiting = Fifo<ActiveExchange>()
    /// The number of exchanges in `waiting` that have ended.
    var abandoned = 0
    var isInRing = false

    init(_ origin: Origin) {
        place = "\(origin.host):\(origin.port)"
        isSecure = origin.scheme == "https"
        // The zone of an IPv6 address is escaped differently in a URL.
        let isPlain = !origin.host.utf8.contains(UInt8(ascii: "%"))
        url = isPlain ? OriginURL("\(origin)/") : nil
    }

    var isIdle: Bool { running == 0 && waiting.isEmpty }

    /// Inserts an exchange after all exchanges of the same or a higher priority.
    func append(_ exchange: ActiveExchange) {
        if let last = waiting.last, last.priority < exchange.priority {
            waiting.insert(exchange) { $0.priority >= exchange.priority }
        } else {
            waiting.append(exchange)
        }
    }

    /// Removes and returns the first exchange that has not ended.
    func popWaiting() -> ActiveExchange? {
        while let exchange = waiting.popFirst() {
            if !exchange.hasEnded { return exchange }
            abandoned -= 1
        }
        return nil
    }
}

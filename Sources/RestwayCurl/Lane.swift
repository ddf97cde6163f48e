import RestwayRouting
import RestwaySupport

/// The exchanges with one origin: those that run and those that wait for a place.
///
/// Used by `FairQueue`, on the I/O thread alone.
final class Lane {
    /// Host and port, for messages.
    let place: String
    let isSecure: Bool
    /// nil where libcurl has to parse each exchange's URL as a whole.
    let url: OriginURL?
    /// The origin speaks HTTP/2: its exchanges share connections, so more may run at once.
    var isMultiplexed = false

    var running = 0
    var waiting = Fifo<ActiveExchange>()
    /// How many in `waiting` have ended meanwhile.
    var abandoned = 0
    var isInRing = false

    init(_ origin: Origin) {
        place = "\(origin.host):\(origin.port)"
        isSecure = origin.scheme == "https"
        // A zone has an escape of its own.
        let isPlain = !origin.host.utf8.contains(UInt8(ascii: "%"))
        url = isPlain ? OriginURL("\(origin)/") : nil
    }

    var isIdle: Bool { running == 0 && waiting.isEmpty }

    /// Behind all whose priority is not lower.
    func append(_ exchange: ActiveExchange) {
        if let last = waiting.last, last.priority < exchange.priority {
            waiting.insert(exchange) { $0.priority >= exchange.priority }
        } else {
            waiting.append(exchange)
        }
    }

    /// The first that has not ended meanwhile.
    func popWaiting() -> ActiveExchange? {
        while let exchange = waiting.popFirst() {
            if !exchange.hasEnded { return exchange }
            abandoned -= 1
        }
        return nil
    }
}

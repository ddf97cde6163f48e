import RestwayRouting
import RestwayThreads

/// The running and the waiting exchanges with one origin.
///
/// `FairQueue` uses it, on the I/O thread.
final class OriginQueue {
    let origin: Origin
    /// The host and port, for messages.
    let place: String
    let isSecure: Bool
    /// Whether the origin speaks HTTP/2. Its exchanges share connections, so more may run at once.
    var isMultiplexed = false
    /// Whether HTTP/2 is not used any more, because libcurl has mixed connections of HTTP/2 and of
    /// HTTP/1.1.
    var avoidsHTTP2 = false

    var running = 0
    var waiting = Fifo<ActiveExchange>()
    /// The number of exchanges in `waiting` that have ended.
    var abandoned = 0
    var isInRing = false

    init(_ origin: Origin) {
        self.origin = origin
        place = "\(origin.host):\(origin.port)"
        isSecure = origin.scheme == "https"
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

/// Shares a limited number of running exchanges among origins. Within an origin, priority decides,
/// then the order of arrival; origins take turns. It only decides: it starts no exchange.
struct FairQueue {
    let runningMax: Int
    let runningPerOriginMax: Int

    private(set) var running = 0
    /// The number of waiting exchanges that have not ended.
    private(set) var waiting = 0
    /// The queues that may start an exchange, the next one first.
    private var ring = Fifo<OriginQueue>()

    init(runningMax: Int, runningPerOriginMax: Int) {
        self.runningMax = runningMax
        self.runningPerOriginMax = runningPerOriginMax
    }

    mutating func append(_ exchange: ActiveExchange, to queue: OriginQueue) {
        queue.append(exchange)
        waiting += 1
        enterRing(queue)
    }

    /// The exchange that starts now; nil if the limits are reached or no exchange waits.
    mutating func next() -> ActiveExchange? {
        while running < runningMax, let queue = ring.popFirst() {
            queue.isInRing = false
            guard let exchange = queue.popWaiting() else { continue }
            queue.running += 1
            running += 1
            waiting -= 1
            enterRing(queue)
            return exchange
        }
        return nil
    }

    /// Notes that an exchange from `next` has ended.
    mutating func ended(_ queue: OriginQueue) {
        queue.running -= 1
        running -= 1
        enterRing(queue)
    }

    /// Notes that a waiting exchange has ended: its `hasEnded` is true from now on. The exchange
    /// stays in the queue of its origin, which costs nothing, until most exchanges of that queue
    /// have ended. Then all ended exchanges are removed.
    mutating func abandonedWaiting(_ queue: OriginQueue) {
        waiting -= 1
        queue.abandoned += 1
        if queue.abandoned >= 32, queue.abandoned * 2 > queue.waiting.count {
            _ = queue.waiting.remove { $0.hasEnded }
            queue.abandoned = 0
        }
    }

    private mutating func enterRing(_ queue: OriginQueue) {
        let placesMax = queue.isMultiplexed ? runningMax : runningPerOriginMax
        guard !queue.isInRing, !queue.waiting.isEmpty, queue.running < placesMax else { return }
        queue.isInRing = true
        ring.append(queue)
    }
}

/// Finds the queue of a URL's origin.
struct OriginQueues {
    /// The number of remembered spellings of origins. Beyond it, idle origins are removed together
    /// with the facts learned about them.
    private static let spellingsMax = 1_024

    /// The queues by the text before the path, as it was spelled. Parsing the URL of every exchange
    /// would cost more than this lookup.
    private var queuesBySpelling: [Substring: OriginQueue] = [:]
    private var queuesByOrigin: [Origin: OriginQueue] = [:]

    /// The queue for a URL; nil if `url` is not an absolute http or https URL.
    mutating func queue(of url: String) -> OriginQueue? {
        let spelling = Self.beforePath(url)
        if let queue = queuesBySpelling[spelling] { return queue }
        guard let origin = try? Origin(url: url) else { return nil }
        if queuesBySpelling.count >= Self.spellingsMax { forgetIdle() }
        let queue = queuesByOrigin[origin] ?? OriginQueue(origin)
        queuesByOrigin[origin] = queue
        // A copy is stored because a slice would keep the whole URL alive.
        queuesBySpelling[Substring(String(spelling))] = queue
        return queue
    }

    private mutating func forgetIdle() {
        queuesBySpelling = queuesBySpelling.filter { !$0.value.isIdle }
        queuesByOrigin = queuesByOrigin.filter { !$0.value.isIdle }
    }

    private static func beforePath(_ url: String) -> Substring {
        var slashes = 0
        let end = url.utf8.firstIndex { byte in
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { return true }
            guard byte == UInt8(ascii: "/") else { return false }
            slashes += 1
            return slashes == 3
        }
        return url[..<(end ?? url.endIndex)]
    }
}

import RestwayRouting
import RestwayThreads

/// The exchanges with one origin: the running ones and the waiting ones.
///
/// `FairQueue` uses it, on the thread that drives the loop.
final class Lane {
    /// The host and port, for messages.
    let place: String
    let isSecure: Bool
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
    let runningPerLaneMax: Int

    private(set) var running = 0
    /// The number of waiting exchanges, without those that have ended.
    private(set) var waiting = 0
    /// The lanes that may start an exchange, the next one first.
    private var ring = Fifo<Lane>()

    init(runningMax: Int, runningPerLaneMax: Int) {
        self.runningMax = runningMax
        self.runningPerLaneMax = runningPerLaneMax
    }

    mutating func append(_ exchange: ActiveExchange, to lane: Lane) {
        lane.append(exchange)
        waiting += 1
        enterRing(lane)
    }

    /// The exchange that starts now; nil if the limits are reached or no exchange waits.
    mutating func next() -> ActiveExchange? {
        while running < runningMax, let lane = ring.popFirst() {
            lane.isInRing = false
            guard let exchange = lane.popWaiting() else { continue }
            lane.running += 1
            running += 1
            waiting -= 1
            enterRing(lane)
            return exchange
        }
        return nil
    }

    /// Notes that an exchange from `next` has ended.
    mutating func ended(_ lane: Lane) {
        lane.running -= 1
        running -= 1
        enterRing(lane)
    }

    /// Notes that a waiting exchange has ended: its `hasEnded` is true from now on. It stays in the
    /// lane, which costs nothing, until most exchanges of the lane have ended; then they are
    /// removed.
    mutating func abandonedWaiting(_ lane: Lane) {
        waiting -= 1
        lane.abandoned += 1
        if lane.abandoned >= 32, lane.abandoned * 2 > lane.waiting.count {
            _ = lane.waiting.remove { $0.hasEnded }
            lane.abandoned = 0
        }
    }

    private mutating func enterRing(_ lane: Lane) {
        let lanePlaces = lane.isMultiplexed ? runningMax : runningPerLaneMax
        guard !lane.isInRing, !lane.waiting.isEmpty, lane.running < lanePlaces else { return }
        lane.isInRing = true
        ring.append(lane)
    }
}

/// Finds the lane of a URL's origin.
struct LaneDirectory {
    /// The number of remembered spellings of origins. Beyond it, idle origins are removed together
    /// with the facts learned about them.
    private static let spellingsMax = 1_024

    /// The lanes by the text before the path, as it was spelled. Parsing the URL of every exchange
    /// would cost more than this lookup.
    private var lanesBySpelling: [Substring: Lane] = [:]
    private var lanesByOrigin: [Origin: Lane] = [:]

    /// The lane for a URL; nil if `url` is not an absolute http or https URL.
    mutating func lane(of url: String) -> Lane? {
        let spelling = Self.beforePath(url)
        if let lane = lanesBySpelling[spelling] { return lane }
        guard let origin = try? Origin(url: url) else { return nil }
        if lanesBySpelling.count >= Self.spellingsMax { forgetIdle() }
        let lane = lanesByOrigin[origin] ?? Lane(origin)
        lanesByOrigin[origin] = lane
        // A copy is stored because a slice would keep the whole URL alive.
        lanesBySpelling[Substring(String(spelling))] = lane
        return lane
    }

    private mutating func forgetIdle() {
        lanesBySpelling = lanesBySpelling.filter { !$0.value.isIdle }
        lanesByOrigin = lanesByOrigin.filter { !$0.value.isIdle }
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

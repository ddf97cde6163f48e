import RestwayThreads

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

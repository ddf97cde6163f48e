import RestwaySupport

/// Shares a bounded number of places among origins: by priority within an origin, then first come,
/// first served; round robin between them. A decision only: it starts nothing.
struct FairQueue {
    let runningMax: Int
    let runningPerLaneMax: Int

    private(set) var running = 0
    /// How many wait, those that ended meanwhile not counted.
    private(set) var waiting = 0
    /// The lanes that may start something, the next one first.
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

    /// The exchange that starts now; nil when every place is taken or nobody waits.
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

    /// An exchange that `next` gave has ended.
    mutating func ended(_ lane: Lane) {
        lane.running -= 1
        running -= 1
        enterRing(lane)
    }

    /// An exchange that still waits has ended: `hasEnded` of it says so from now on. Leaving it in
    /// its place costs nothing; only when such ones are most of the lane, they are swept out.
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

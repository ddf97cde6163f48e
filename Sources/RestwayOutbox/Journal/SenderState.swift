import RestwayHTTP

/// The state of the sender in this process.
struct SenderState {
    /// An item that was taken and is in flight.
    struct Flight {
        var lane: Lane
        /// The attempts before this one.
        var attempts: Int64
        /// The `changes` of the `ItemsAhead` from which it was taken; `nil` if it was looked for in
        /// the file.
        var changes: Int64?
    }

    let lock: SenderLock
    /// Items that were taken and not yet settled or released.
    private(set) var inFlight: [Int64: Flight] = [:]
    var ahead: ItemsAhead?
    /// The number of next takes that do not read ahead.
    var restingTakes = 0

    /// Items that this sender had taken and that came back unsettled, with the attempts before
    /// that. The file of the lock has them, too, so that the next sender knows of them.
    private var returned: [Int64: Int64] = [:]
    /// The time of day of the last scan for items by this sender; `nil` before the first scan.
    private var lastScan: NotedTime?

    init(lock: SenderLock) {
        self.lock = lock
    }

    // MARK: The role of sender

    /// Ends the role of sender. Items in flight are forgotten and will be sent again.
    mutating func end() {
        release(Array(inFlight.keys))
        lastScan = nil
        noteFlights()
        lock.letGo()
    }

    /// Notes the time of a scan for items. Returns whether waits in the file may have been set by a
    /// clock that was ahead: at the first scan, and after the clock went back.
    mutating func noteScan(at now: Int64) -> Bool {
        defer { lastScan = NotedTime(now) }
        return lastScan?.age(now: now) == nil
    }

    /// Returns whether an item may have been sent before the attempt in progress.
    func mayHaveSentBefore(_ id: Int64) -> Bool { returned[id] != nil }

    // MARK: Items in flight

    mutating func depart(_ item: OutboxItem, changes: Int64? = nil) {
        inFlight[item.id] = Flight(
            lane: item.entry.lane, attempts: Int64(item.entry.progress.attempts), changes: changes)
    }

    /// Notes the items in flight and those that came back beside the database, because nothing is
    /// written to the database before most items are sent. The next sender reads them.
    func noteFlights() {
        lock.note(
            inFlight.map { .init(id: $0.key, attempts: $0.value.attempts, isUnderWay: true) }
                + returned.map { .init(id: $0, attempts: $1, isUnderWay: false) })
    }

    /// Makes items available again. They may have been sent before.
    mutating func release(_ ids: [Int64]) {
        for id in ids {
            if let flight = inFlight[id] { returned[id] = flight.attempts }
            end(id)
        }
        // Reading ahead begins again, because these items come first.
        ahead = nil
    }

    mutating func settle(_ id: Int64) {
        end(id)
        returned[id] = nil
        ahead?.delivered(id)
    }

    private mutating func end(_ id: Int64) {
        inFlight[id] = nil
        // If reading ahead has not reached the item yet, it would later read the item as a waiting
        // item.
        if let ahead, id > ahead.lastRead { self.ahead = nil }
    }

    /// Moves the items in flight of an object that the server has named to the object's new lane.
    mutating func move(_ known: OutboxIdentity) {
        if let lane = known.lane { move(from: Lane(known.local), to: lane) }
    }

    /// Moves the items in flight of one lane to another.
    mutating func move(from before: Lane, to lane: Lane) {
        for (id, flight) in inFlight where flight.lane == before { inFlight[id]?.lane = lane }
    }

    /// Returns the items of the settlements and the `changes` with which they were read ahead;
    /// `nil` unless all of them were, and are done. Marking them is enough if nothing else about
    /// items has changed since.
    func deliveries(_ settlements: [OutboxSettlement]) -> (ids: [Int64], changes: Int64)? {
        guard settlements.count >= ItemsAhead.counts.lowerBound,
            let changes = inFlight[settlements[0].id]?.changes
        else { return nil }
        var ids: [Int64] = []
        for settlement in settlements {
            guard case .remove(let id, _, _) = settlement, inFlight[id]?.changes == changes else {
                return nil
            }
            ids.append(id)
        }
        return (ids, changes)
    }
}

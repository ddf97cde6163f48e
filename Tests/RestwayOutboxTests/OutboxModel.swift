import RestwayObjects
@testable import RestwayOutbox

/// A model of an outbox, as simple as possible: a list that is searched from its beginning.
struct OutboxModel {
    struct Item {
        var id: Int64
        var lane: Lane
        var path: String
        var key: String
        var creates: LocalID?
        var companions: [LocalID] = []
        var missing: Set<LocalID> = []
        var isDead = false
        var isParked = false
        /// Whether its lane waits behind it while it is parked.
        var blocksLane = false
        var isInFlight = false
        var attempts = 0
        var next: Int64 = 0
        var asked: Int64 = 0
        /// 0: it was never sent; 1: it is sent for the first time, or was left in that state; 2: it
        /// may have arrived.
        var arrival = 0
    }

    var rules: OutboxRules
    var items: [Item] = []
    var identities: [LocalID: (Identity, Lane?)] = [:]

    // MARK: Looking

    private var passes: Bool { rules.deadLetters == .letOthersPass }

    func index(_ id: Int64) -> Int? { items.firstIndex { $0.id == id } }

    func creator(_ local: LocalID) -> Int? {
        items.firstIndex { $0.creates == local || $0.companions.contains(local) }
    }

    /// The items that may be sent when they are due: the first one of each lane, where it can go.
    private var turns: [Int] {
        var lanes: Set<Lane> = []
        let passed = passed
        return items.indices.filter { index in
            let item = items[index]
            return !passed[index] && lanes.insert(item.lane).inserted
                && !item.isDead && !item.isParked && item.missing.isEmpty
        }
    }

    /// Whether others pass each item: conflicts about attributes and, where they are skipped, dead
    /// letters and the items that wait for their objects. An item stands behind the one that makes
    /// its object.
    private var passed: [Bool] {
        var passed: [Bool] = []
        var lost: Set<LocalID> = []
        for item in items {
            let isLost = passes && (item.isDead || !lost.isDisjoint(with: item.missing))
            passed.append(isLost || item.isParked && !item.blocksLane)
            if isLost {
                lost.formUnion(item.companions)
                if let local = item.creates { lost.insert(local) }
            }
        }
        return passed
    }

    /// The items that wait for an object, behind a dead letter or behind a conflict.
    var blocked: Set<Int64> {
        let behind = behind { $0.isParked && $0.blocksLane || $0.isDead && !passes }
        let waiting = items.filter { !$0.isDead && !$0.isParked && !$0.missing.isEmpty }
        return behind.union(waiting.map { $0.id })
    }

    /// The items that wait behind a conflict.
    var behindConflicts: Set<Int64> { behind { $0.isParked && $0.blocksLane } }

    private func behind(_ isBlocking: (Item) -> Bool) -> Set<Int64> {
        var lanes: Set<Lane> = []
        var behind: Set<Int64> = []
        for item in items {
            if isBlocking(item) { lanes.insert(item.lane) }
            if item.isDead || item.isParked { continue }
            let isBehind = rules.order == .strict ? !lanes.isEmpty : lanes.contains(item.lane)
            if isBehind { behind.insert(item.id) }
        }
        return behind
    }

    var needsFlushing: Bool {
        let first = zip(items, passed).first { !$0.1 }?.0
        if rules.order == .strict, let first, first.isDead || first.isParked { return false }
        return !turns.isEmpty
    }

    var nextAttemptAt: Int64? { turns.map { items[$0].next }.filter { $0 > 0 }.min() }

    func isOccupied(_ lane: Lane) -> Bool {
        zip(items, passed).contains { item, isPassed in
            (item.lane == lane || rules.order == .strict) && !isPassed
        }
    }

    // MARK: Sending

    /// Frees the items whose time has come.
    mutating func wake(now: Int64) {
        for index in turns where items[index].next <= now {
            (items[index].next, items[index].asked) = (0, 0)
        }
    }

    private var busyLanes: Set<Lane> { Set(items.filter { $0.isInFlight }.map { $0.lane }) }

    /// Returns what the rule of the library chooses if it is given all items.
    func selected(itemsMax: Int, now: Int64) -> [Int64] {
        let candidates = zip(items, passed).filter { !$0.1 }.map { item, _ in
            OutboxSelection.Candidate(
                id: item.id, lane: item.lane,
                isReady: !item.isDead && !item.isParked && item.missing.isEmpty
                    && item.next <= now)
        }
        let selection = OutboxSelection(
            itemsMax: itemsMax, mayShareLane: rules.batchStopsAtFailure, lanesInFlight: busyLanes,
            isStrict: rules.order == .strict)
        return selection.choose(candidates).map { candidates[$0].id }
    }

    mutating func take(itemsMax: Int, now: Int64) -> [Int64] {
        wake(now: now)
        let busy = busyLanes
        var closed = busy
        var taken: [Int64] = []
        if rules.order == .strict, !busy.isEmpty { return [] }
        let passed = passed
        for index in items.indices where taken.count < itemsMax && !passed[index] {
            let item = items[index]
            let isFree =
                !item.isDead && !item.isParked && item.missing.isEmpty && item.next <= now
            if rules.order == .strict, !isFree { break }
            if isFree, !closed.contains(item.lane) {
                taken.append(item.id)
                if !rules.batchStopsAtFailure { closed.insert(item.lane) }
            } else {
                closed.insert(item.lane)
            }
            if rules.order == .strict, !rules.batchStopsAtFailure { break }
        }
        for id in taken {
            let index = index(id)!
            items[index].isInFlight = true
            items[index].arrival = items[index].arrival == 0 ? 1 : 2
        }
        return taken
    }

    mutating func hurry(forced: Bool, now: Int64) {
        for index in turns where items[index].next > 0 {
            let kept = !forced && items[index].asked > now ? items[index].asked : 0
            (items[index].next, items[index].asked) = (kept, kept)
        }
    }

    mutating func release(_ id: Int64) {
        if let index = index(id) { items[index].isInFlight = false }
    }

    mutating func restart(_ rules: OutboxRules) {
        self.rules = rules
        for index in items.indices { items[index].isInFlight = false }
    }

    mutating func settle(_ settlement: OutboxSettlement) {
        guard let index = index(settlement.id) else { return }
        items[index].isInFlight = false
        switch settlement {
        case .remove(_, let identity, let lane):
            let item = items.remove(at: index)
            if let local = item.creates { name(local, identity, lane) }
            for local in item.companions { name(local, nil, nil) }
        case .named(_, let local, let identity, let lane):
            items[index].companions.removeAll { $0 == local }
            name(local, identity, lane)
        case .postpone(_, let next, let asked, let mayHaveArrived, _, _):
            items[index].attempts += 1
            (items[index].next, items[index].asked) = (next, asked)
            if mayHaveArrived {
                items[index].arrival = 2
            } else if items[index].arrival == 1 {
                items[index].arrival = 0
            }
        case .bury:
            items[index].attempts += 1
            items[index].isDead = true
        case .conflict:
            items[index].attempts += 1
            (items[index].next, items[index].asked, items[index].arrival) = (0, 0, 0)
        case .park(_, let conflict, _, _):
            (items[index].isParked, items[index].blocksLane) = (true, conflict.blocksLane)
            (items[index].next, items[index].asked, items[index].arrival) = (0, 0, 0)
        case .refuse:
            let item = items[index]
            let made = item.companions + (item.creates.map { [$0] } ?? [])
            if items.contains(where: { !$0.missing.isDisjoint(with: made) }) {
                items[index].attempts += 1
                items[index].isDead = true
            } else {
                _ = drop(item.id)
            }
        }
    }

    private mutating func name(_ local: LocalID, _ identity: Identity?, _ lane: Lane?) {
        guard let identity else {
            for index in items.indices where items[index].missing.contains(local) {
                items[index].isDead = true
            }
            return
        }
        identities[local] = (identity, lane)
        for index in items.indices {
            if let lane, items[index].lane == Lane(local) { items[index].lane = lane }
            guard items[index].missing.remove(local) != nil else { continue }
            items[index].path = Self.replacing(local, in: items[index].path, by: identity)
        }
    }

    /// The paths here consist of segments.
    static func replacing(_ local: LocalID, in path: String, by identity: Identity) -> String {
        let text =
            switch identity {
            case .integer(let integer): String(integer)
            case .string(let string): string
            }
        return path.split(separator: "/").map { $0 == local.text ? text : String($0) }
            .joined(separator: "/")
    }

    // MARK: Dropping

    /// - Returns: The ids of the removed items.
    mutating func drop(_ id: Int64) -> Set<Int64> {
        guard let index = index(id) else { return [] }
        var gone: Set = [id]
        let item = items.remove(at: index)
        for local in item.companions + (item.creates.map { [$0] } ?? []) {
            for dependent in items.filter({ $0.missing.contains(local) }) {
                gone.formUnion(drop(dependent.id))
            }
        }
        return gone
    }
}

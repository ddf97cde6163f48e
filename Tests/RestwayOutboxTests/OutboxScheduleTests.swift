import Glibc
import RandomRounds
import RestwayObjects
import RestwayOutcome
@testable import RestwayOutbox
import RestwayThreads
import XCTest

/// Random schedules: online, offline, temporary and permanent failures, 401s, slow batches,
/// restarts, decisions of the program. After every step journal and model agree.
final class OutboxScheduleTests: JournalTestCase {
    private var random = SeededRandom(seed: 0)
    private var model = OutboxModel(rules: OutboxRules())
    private var journal: OutboxJournal!
    private var now: Int64 = 1_700_000_000_000_000
    private var isOnline = true
    private var locals: [LocalID] = []
    /// The requests that the server has applied: their keys, in order, with the bodies that were
    /// sent.
    private var applied: [String: Int64] = [:]
    private var appliedLast: [Lane: Int64] = [:]
    private var names: Int64 = 0
    /// How many lanes there are in addition to the lanes of objects, how many requests come at
    /// once, and how many are sent together at most.
    private var (lanes, arrivals, itemsMax) = (3, 1, 4)
    /// Whether some requests create objects, for which others wait.
    private var haveObjects = true

    func testRandomSchedulesAgreeWithTheModel() throws {
        let first = UInt64.random(in: 1...1_000_000)
        let seeds = Array(1...UInt64(rounds(12))) + Array(first..<first + UInt64(rounds(4)))
        print("seeds \(seeds)")
        for seed in seeds { try run(seed, steps: 150) }
    }

    /// With this, many rows are written and read with one statement.
    func testRandomSchedulesOfManyLanesAgreeWithTheModel() throws {
        let first = UInt64.random(in: 1...1_000_000)
        let seeds = Array(1...UInt64(rounds(8))) + Array(first..<first + UInt64(rounds(4)))
        print("seeds \(seeds)")
        (lanes, arrivals, itemsMax) = (90, 60, 100)
        for seed in seeds { try run(seed, steps: 40) }
    }

    /// With this, most items are only marked when they are delivered, and the following ones are
    /// read ahead.
    func testRandomSchedulesOfPlainRequestsAgreeWithTheModel() throws {
        let first = UInt64.random(in: 1...1_000_000)
        haveObjects = false
        // With the value in between, few are taken after many: items that were in flight were once
        // sent again.
        let seeds =
            Array(1...UInt64(rounds(8))) + [226_836] + Array(first..<first + UInt64(rounds(4)))
        print("seeds \(seeds)")
        for seed in seeds {
            (lanes, arrivals) = (seed % 2 == 0 ? 30 : 90, 30)
            itemsMax = seed % 3 == 0 ? 12 : 40
            try run(seed, steps: 50)
        }
    }

    private func run(_ seed: UInt64, steps: Int) throws {
        random = SeededRandom(seed: seed)
        var rules = OutboxRules()
        rules.order = chance(4) ? .strict : .lanes
        rules.deadLetters = chance(2) ? .letOthersPass : .blockTheirLane
        rules.batchStopsAtFailure = chance(3)
        model = OutboxModel(rules: rules)
        (locals, applied, appliedLast, isOnline) = ([], [:], [:], true)
        journal = try openSender { options in
            (options.rules, options.deliveredMax) = (rules, seed % 2 == 0 ? 40 : 16_384)
        }
        for step in 0..<steps {
            let name = try self.step()
            let isSame = try compare("seed \(seed), step \(step): \(name)")
            if !isSame { break }
        }
        try finish("seed \(seed)")
        journal.close()
        journal = nil
        tearDownFiles()
    }

    private func tearDownFiles() {
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    }

    private func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    private func pick<Element>(_ list: [Element]) -> Element? { list.randomElement(using: &random) }

    // MARK: Steps

    private func step() throws -> String {
        switch Int.random(in: 0..<20, using: &random) {
        case 0...6:
            let arrivals = Int.random(in: 1...arrivals, using: &random)
            return try (0..<arrivals).map { _ in try store() }.joined(separator: ", ")
        case 7...10: return try take()
        case 11...14: return try answer()
        case 15:
            now += Int64.random(in: 1...400_000_000, using: &random)
            return "wait"
        case 16:
            isOnline.toggle()
            if isOnline { try hurry(forced: false) }
            return isOnline ? "online" : "offline"
        case 17: return try decide()
        case 18: return try restart()
        default:
            try hurry(forced: chance(2))
            return "hurry"
        }
    }

    private func hurry(forced: Bool) throws {
        try journal.hurry(forced: forced, now: now)
        model.hurry(forced: forced, now: now)
    }

    private func store() throws -> String {
        var entry = entry("lane \(Int.random(in: 0..<lanes, using: &random))", path: "things")
        if haveObjects, chance(4) {
            let local = LocalID.random()
            locals.append(local)
            (entry.creates, entry.lane) = (local, Lane(local))
        }
        let known = locals.filter { $0 != entry.creates }
        for _ in 0..<(haveObjects && chance(5) ? 2 : 0) {
            let local = LocalID.random()
            locals.append(local)
            entry.companions.append(
                OutboxCompanion(local: local, entity: "Thing", storeKey: Int64(locals.count)))
        }
        var missing: Set<LocalID> = []
        var isUnknown = false
        if chance(2), let local = pick(known) {
            entry.path = "things/" + local.text
            if entry.creates == nil, chance(2) { entry.lane = Lane(local) }
            if model.creator(local) != nil {
                missing.insert(local)
            } else if model.identities[local] == nil {
                isUnknown = true
            }
        }
        let from = chance(3) ? try open() : journal!
        let id = try? from.enqueue(entry)
        XCTAssertEqual(id == nil, isUnknown)
        guard let id else { return "store the unknown" }
        var item = OutboxModel.Item(
            id: id, lane: entry.lane, path: entry.path, key: entry.idempotencyKey)
        (item.creates, item.missing) = (entry.creates, missing)
        item.companions = entry.companions.map(\.local)
        for local in locals {
            guard let (identity, lane) = model.identities[local] else { continue }
            item.path = OutboxModel.replacing(local, in: item.path, by: identity)
            if item.lane == Lane(local), let lane { item.lane = lane }
        }
        model.items.append(item)
        return "store \(id)"
    }

    private func take() throws -> String {
        let itemsMax = Int.random(in: 1...itemsMax, using: &random)
        let taken = try journal.take(itemsMax: itemsMax, now: now)
        model.wake(now: now)
        let selected = model.selected(itemsMax: itemsMax, now: now)
        XCTAssertEqual(taken.map { $0.id }, selected, "the file gives all that the rule needs")
        XCTAssertEqual(taken.map { $0.id }, model.take(itemsMax: itemsMax, now: now))
        if itemsMax % 2 == 0 { try journal.readOn(itemsMax: itemsMax) }
        if itemsMax % 3 == 0 { try journal.tidy() }
        for item in taken {
            let stored = model.items.first { $0.id == item.id }
            XCTAssertEqual(item.entry.path, stored?.path)
            XCTAssertEqual(item.entry.idempotencyKey, stored?.key)
            XCTAssertFalse(item.entry.path.hasPrefix("things/" + LocalID.prefix))
            if model.rules.deadLetters == .blockTheirLane, !model.rules.batchStopsAtFailure {
                arrive(item)
            }
        }
        return "take \(taken.map { $0.id })"
    }

    /// The server receives the items of a lane in order, each with one key.
    private func arrive(_ item: OutboxItem) {
        if let known = applied[item.entry.idempotencyKey] { XCTAssertEqual(known, item.id) }
        applied[item.entry.idempotencyKey] = item.id
        let last = appliedLast[item.entry.lane] ?? 0
        XCTAssertGreaterThanOrEqual(item.id, last)
        appliedLast[item.entry.lane] = item.id
    }

    /// Some of the items in flight are answered; the others are slow.
    private func answer() throws -> String {
        var settlements: [OutboxSettlement] = []
        for item in model.items.filter({ $0.isInFlight }) where !chance(3) {
            if chance(arrivals > 1 ? 150 : 12), item.creates == nil, item.companions.isEmpty {
                settlements += try conflict(item)
                continue
            }
            let outcome = outcome()
            let verdict = model.rules.verdict(
                outcome, attempts: item.attempts + 1, random: &random)
            switch verdict {
            case .remove: settlements += removal(item)
            case .release:
                journal.release([item.id])
                model.release(item.id)
            case .postpone(let milliseconds, let asked):
                settlements.append(
                    .postpone(
                        id: item.id, nextAttemptAt: now + milliseconds * 1_000,
                        askedUntil: asked == 0 ? 0 : now + asked * 1_000,
                        mayHaveArrived: chance(2), trouble: trouble()))
            case .awaitCredential:
                settlements.append(
                    .postpone(
                        id: item.id, nextAttemptAt: 0, askedUntil: 0, mayHaveArrived: false,
                        trouble: trouble()))
            case .bury: settlements.append(chance(2) ? bury(item.id) : refuse(item.id))
            case .compare: XCTFail("these items are about no object")
            }
        }
        let settled = try journal.settle(settlements)
        XCTAssertEqual(settled.missing, [])
        for settlement in settlements { model.settle(settlement) }
        return "answer \(settlements.map { $0.id })"
    }

    /// The comparison of an item with the server's values changes it, or finds a conflict.
    private func conflict(_ item: OutboxModel.Item) throws -> [OutboxSettlement] {
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            return [
                .conflict(
                    id: item.id, ItemConflict(tries: 1), trouble: trouble(),
                    answer: OutboxAnswer(status: 412))
            ]
        case 1, 2:
            let kind: Conflict.Kind = chance(2) ? .attributes : chance(2) ? .theyDeleted : .iDelete
            return [
                .park(
                    id: item.id, ItemConflict(kind: kind), change: change(), trouble: trouble())
            ]
        default:
            var rewriting = ItemRewriting(
                path: "rewritten", idempotencyKey: "rewritten \(item.id) \(now)")
            if chance(2) {
                rewriting.splitOff = .init(
                    change: change(), conflict: ItemConflict(kind: .attributes),
                    idempotencyKey: "split \(names)", trouble: trouble())
            }
            let parked = try journal.rewrite(item.id, rewriting)
            let index = model.index(item.id)!
            model.items[index].path = "rewritten"
            model.items[index].key = rewriting.idempotencyKey!
            XCTAssertEqual(parked != nil, rewriting.splitOff != nil)
            if let parked {
                var part = OutboxModel.Item(
                    id: parked, lane: item.lane, path: "rewritten", key: "split \(names)")
                part.isParked = true
                model.items.append(part)
            }
            return []
        }
    }

    private func change() -> OutboxChange {
        names += 1
        return OutboxChange(
            edit: names, store: 1,
            objects: [
                .init(
                    entity: "Thing", storeKey: 1,
                    cells: [.init(name: "title", before: .null, after: .string("mine"))])
            ])
    }

    private func outcome() -> OutboxOutcome {
        guard isOnline else { return chance(5) ? .untouched : .unreachable }
        // A dead letter changes how all other items are written.
        if arrivals > 1, !chance(400) { return .answer(status: 200) }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .answer(status: 503)
        case 1: return .answer(status: 429, retryAfterMilliseconds: 30_000)
        case 2: return .answer(status: 422)
        case 3: return .answer(status: 401)
        case 4: return .unreachable
        default: return .answer(status: 200)
        }
    }

    /// The answer contains the names of some of the companions.
    private func removal(_ item: OutboxModel.Item) -> [OutboxSettlement] {
        var settlements: [OutboxSettlement] = []
        for local in item.companions where !chance(4) {
            let (identity, lane) = newName()
            settlements.append(.named(id: item.id, local: local, identity: identity, lane: lane))
        }
        if item.creates == nil { return settlements + [.remove(id: item.id)] }
        if chance(arrivals > 1 ? 50 : 5) {
            return settlements + [.remove(id: item.id, identity: nil, lane: nil)]
        }
        let (identity, lane) = newName()
        return settlements
            + [.remove(id: item.id, identity: identity, lane: chance(4) ? nil : lane)]
    }

    private func newName() -> (Identity, Lane) {
        names += 1
        let identity: Identity = chance(2) ? .integer(names) : .string("n\(names)")
        return (identity, Lane(entity: "Thing", identity))
    }

    /// The program edits, retries or drops something, or deletes an object.
    private func decide() throws -> String {
        if chance(3), let local = pick(locals) { return try withdraw(local) }
        guard let item = pick(model.items.filter { !$0.isInFlight }) else { return "nothing" }
        let index = model.index(item.id)!
        if chance(4) {
            XCTAssertEqual(Set(try journal.drop(item.id).items), model.drop(item.id))
            return "drop \(item.id)"
        }
        if item.isParked { return try resolve(item) }
        guard item.isDead else {
            XCTAssertEqual(refusal { try journal.retry(item.id) }, .notDead(item.id))
            return "retry what lives"
        }
        let isLost = item.missing.contains {
            model.creator($0) == nil && model.identities[$0] == nil
        }
        if isLost || chance(3) {
            var edit = OutboxEdit(idempotencyKey: "edited \(item.id) \(now)")
            edit.path = "edited"
            try journal.edit(item.id, edit)
            (model.items[index].path, model.items[index].key) = ("edited", edit.idempotencyKey)
            model.items[index].missing = []
            return "edit \(item.id)"
        }
        try journal.retry(item.id)
        model.items[index].isDead = false
        (model.items[index].attempts, model.items[index].next, model.items[index].asked) = (0, 0, 0)
        appliedLast[item.lane] = 0
        return "retry \(item.id)"
    }

    private func resolve(_ item: OutboxModel.Item) throws -> String {
        XCTAssertEqual(refusal { try journal.retry(item.id) }, .parked(item.id))
        let index = model.index(item.id)!
        if chance(4) {
            XCTAssertTrue(try journal.finishParked(item.id, now: now))
            model.items.remove(at: index)
            return "the server has \(item.id)"
        }
        let rewriting = ItemRewriting(idempotencyKey: "resolved \(item.id) \(now)")
        try journal.unpark(item.id, rewriting)
        model.items[index].isParked = false
        model.items[index].key = rewriting.idempotencyKey!
        model.items[index].attempts = 0
        appliedLast[item.lane] = 0
        return "resolve \(item.id)"
    }

    private func withdraw(_ local: LocalID) throws -> String {
        let result = try journal.withdraw(local)
        if let (identity, _) = model.identities[local] {
            guard case .named(let known) = result else {
                XCTFail("\(result)")
                return "withdraw"
            }
            XCTAssertEqual(known.identity, identity)
        } else if let index = model.creator(local) {
            let item = model.items[index]
            if item.creates != local || item.arrival > 0 && !item.isDead {
                XCTAssertEqual(result, .mayHaveArrived)
            } else if case .dropped(let dropped) = result {
                XCTAssertEqual(Set(dropped.items), model.drop(item.id))
            } else {
                XCTFail("\(result)")
            }
        } else {
            XCTAssertEqual(result, .unknown)
        }
        return "withdraw"
    }

    private func restart() throws -> String {
        var rules = model.rules
        if chance(3) {
            rules.deadLetters =
                rules.deadLetters == .letOthersPass ? .blockTheirLane : .letOthersPass
        }
        journal.close()
        journal = try openSender { $0.rules = rules }
        model.restart(rules)
        appliedLast = [:]
        return "restart"
    }

    // MARK: Comparing

    /// What journal and model must agree about.
    private struct Shown: Equatable {
        var id: Int64
        var lane: Lane
        var state: OutboxItem.State
        var isBlocked: Bool
        var isBehindConflict: Bool
        var path: String
        var key: String
        var attempts: Int
        var next: Int64
        var asked: Int64
        var missing: Set<LocalID>
    }

    private func compare(_ step: String) throws -> Bool {
        let stored = try journal.items(after: 0, itemsMax: 1_000).map { item in
            Shown(
                id: item.id, lane: item.entry.lane, state: item.state, isBlocked: item.isBlocked,
                isBehindConflict: item.isBehindConflict, path: item.entry.path,
                key: item.entry.idempotencyKey,
                attempts: item.entry.progress.attempts, next: item.entry.progress.nextAttemptAt,
                asked: item.entry.progress.askedUntil, missing: Set(item.dependencies))
        }
        let (blocked, behind) = (model.blocked, model.behindConflicts)
        let expected = model.items.map { item in
            Shown(
                id: item.id, lane: item.lane,
                state: item.isDead ? .dead : item.isParked ? .parked
                    : item.isInFlight ? .inFlight : .waiting,
                isBlocked: !item.isInFlight && blocked.contains(item.id),
                isBehindConflict: !item.isInFlight && behind.contains(item.id),
                path: item.path, key: item.key, attempts: item.attempts, next: item.next,
                asked: item.asked, missing: item.missing)
        }
        XCTAssertEqual(stored, expected, step)
        let counts = try journal.countsInDetail()
        let dead = model.items.count { $0.isDead }
        XCTAssertEqual(counts.dead, dead, step)
        let parked = model.items.count { $0.isParked }
        XCTAssertEqual(counts.parked, parked, step)
        XCTAssertEqual(try journal.parkedItems().count, parked, step)
        XCTAssertEqual(counts.waiting, model.items.count - dead - parked, step)
        XCTAssertEqual(counts.sending, model.items.count { $0.isInFlight }, step)
        XCTAssertEqual(counts.blocked, blocked.count, step)
        XCTAssertEqual(try journal.needsFlushing(), model.needsFlushing, step)
        XCTAssertEqual(try journal.nextAttemptAt(), model.nextAttemptAt, step)
        let lane = Lane(named: "lane 0")
        XCTAssertEqual(try journal.isOccupied(lane), model.isOccupied(lane), step)
        return stored == expected
    }

    /// When the network is back, every item that is not blocked is delivered.
    private func finish(_ seed: String) throws {
        journal.release(model.items.map { $0.id })
        for item in model.items { model.release(item.id) }
        try hurry(forced: true)
        for _ in 0..<1_000 {
            let taken = try journal.take(itemsMax: itemsMax, now: now)
            XCTAssertEqual(taken.map { $0.id }, model.take(itemsMax: itemsMax, now: now), seed)
            if taken.isEmpty {
                try hurry(forced: true)
                if try journal.nextAttemptAt() == nil, try !journal.needsFlushing() { return }
                if model.rules.order == .strict { return }
                continue
            }
            let settlements = taken.flatMap { item in
                removal(model.items.first { $0.id == item.id }!)
            }
            _ = try journal.settle(settlements)
            for settlement in settlements { model.settle(settlement) }
            _ = try compare(seed + ", at the end")
        }
        XCTFail("\(seed): never done")
    }
}

import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome

/// The comparison with the model when there are no failures any more.
extension OutboxSchedule {
    /// Lets all possible requests be sent, and compares the rest with the model.
    func settle() throws {
        server.setOnline(true)
        try client.setReachability(.reachable)
        let limit = SystemClock().now().advanced(milliseconds: 60_000)
        var idleFlushes = 0
        while idleFlushes < 2 {
            guard SystemClock().now() < limit else {
                XCTFail("\(about): never done: \(try whatIsLeft())")
                return
            }
            let sent = try flush(limit)
            collect()
            let isUnderWay = model.requests.contains { $0.state == .underWay }
            idleFlushes = sent == 0 && !isUnderWay ? idleFlushes + 1 : 0
        }
        try withdraw()
        model.deliver { server.script($0).isDelivered || server.forgiven.contains($0) }
        try compare()
    }

    /// The items, and the state of their flush.
    private func whatIsLeft() throws -> String {
        let outbox = try client.requireOutbox()
        let items = try outbox.list().all.map { "\($0.id) \($0.state)" }
        let flush = outbox.flushing.state.withLock { "\($0)" }
        let waiting = model.requests.filter { $0.state == .underWay }.map(\.tag)
        return "\(items); \(flush); sender \(outbox.journal.isSender); not told of \(waiting)"
    }

    /// Flushes; returns how many items were sent.
    private func flush(_ limit: Deadline) throws -> Int {
        try client.requireOutbox().flush(
            isForced: true, told: .init { [flushed] list in flushed.update { $0.append(list) } })
        while SystemClock().now() < limit {
            wire.release(all: true)
            if let list = flushed.withLock({ $0.popLast() }) {
                waitForTheNextRefresh(list)
                return list.all.count
            }
            sched_yield()
        }
        return 1
    }

    /// After a failed refresh the next one starts a second later.
    private func waitForTheNextRefresh(_ list: StoredRequests) {
        let hasFailed = list.all.contains {
            $0.lastError?.contains("no valid credential") ?? false
        }
        if hasFailed { clock.advance(milliseconds: 1_000) }
    }

    /// Objects whose deletion sent no request.
    private func withdraw() throws {
        let left = Set(try client.requireOutbox().list().all.map(\.id))
        for request in model.requests where request.isDeletion {
            // An object inside another one is deleted when it exists.
            guard let thing = request.thing, thing > 0 else { continue }
            let creation = model.requests[model.index(thing)]
            // A client that is closed may have deleted it without reporting that.
            let isGone = creation.id > 0 && !left.contains(creation.id) && !server.hasApplied(thing)
            guard request.state == .withdrawn || (request.state == .abandoned && isGone) else {
                continue
            }
            XCTAssertFalse(server.hasApplied(thing), "\(about): \(thing) was applied")
            _ = model.drop(thing, as: .withdrawn)
        }
    }

    private func compare() throws {
        let outbox = try client.requireOutbox()
        let left = try outbox.list().all
        XCTAssertEqual(left.map(\.id), model.left, about)
        XCTAssertEqual(
            left.filter { $0.state == .dead }.map(\.id), model.dead.map(\.id),
            "\(about): \(left.map { "\($0.id): \($0.lastError ?? "")" })")
        if !model.passesDeadHeads {
            XCTAssertTrue(left.allSatisfy { $0.state == .dead || $0.state == .blocked }, about)
        }
        XCTAssertEqual(try outbox.counts().dead, model.dead.count, about)
        for request in model.requests where request.state == .delivered {
            XCTAssertTrue(server.hasApplied(request.tag), "\(about): \(request.tag) is lost")
        }
        try compareObjects()
        compareReports()
    }

    private func compareObjects() throws {
        let entity = try client.api.entity(named: "Thing")
        for (tag, key) in things {
            let object = try client.store.newest(entity, storeKey: key)
            XCTAssertNotNil(object, "\(about): thing \(tag)")
            guard let object else { continue }
            XCTAssertEqual(
                try client.requireOutbox().hasPending(object), model.isPending(tag),
                "\(about): thing \(tag)")
            let isKnown = server.hasApplied(abs(tag))
            XCTAssertEqual(object.identity != nil, isKnown, "\(about): thing \(tag)")
        }
    }

    private func compareReports() {
        let reports = reports.withLock { $0 }
        for request in model.requests where request.id > 0 && !exempt.contains(request.id) {
            let what = "\(about): reports of item \(request.id), \(request.tag) \(request.state)"
            let delivered = request.state == .delivered ? 1 : 0
            XCTAssertEqual(reports["\(request.id) delivered", default: 0], delivered, what)
            let deaths = reports["\(request.id) dead", default: 0]
            // An item that is removed by a deletion may have become a dead letter again before.
            let isTaken = request.state == .withdrawn && deaths == request.deaths + 1
            if !isTaken { XCTAssertEqual(deaths, request.deaths, what) }
        }
        for id in exempt {
            XCTAssertLessThanOrEqual(reports["\(id) delivered", default: 0], 1, about)
        }
    }

    // MARK: The program

    /// Retries, edits or drops some of the dead letters.
    func decide(all: Bool = false) throws {
        let outbox = try client.requireOutbox()
        for request in model.dead where all || !chance(3) {
            // The item was dropped together with a creation meanwhile.
            let index = model.index(request.tag)
            guard model.requests[index].state == .dead else { continue }
            if chance(3) {
                XCTAssertEqual(
                    try outbox.drop(request.id), model.drop(request.tag), "\(about): drop")
                if request.thing == request.tag { forget(request.tag) }
                continue
            }
            let isEdited = chance(2) && !request.isDeletion && inner[request.tag] == nil
            server.forgive(request.tag, withNewKey: isEdited)
            model.requests[index].state = .stored
            model.requests[index].isLate = true
            if isEdited {
                let body = #"{"name":"edited \#(request.tag)"}"#
                try outbox.edit(request.id, body: Array(body.utf8), mediaType: nil)
            } else {
                try outbox.retry(request.id)
            }
        }
    }

    // MARK: The end

    /// Nothing is left, every request was applied once and in order, every call was reported once.
    func finish() throws {
        try settle()
        for _ in 0..<20 where !model.left.isEmpty {
            try decide(all: true)
            try settle()
        }
        XCTAssertEqual(try client.requireOutbox().list().all.count, 0, about)
        XCTAssertFalse(try client.requireOutbox().needsFlushing(), about)
        let (problems, order) = server.record.withLock { ($0.problems, $0.order) }
        XCTAssertEqual(problems, [], about)
        XCTAssertEqual(Set(order).count, order.count, "\(about): applied twice")
        XCTAssertEqual(
            outcomes.withLock { $0.mapValues(\.count) }, .init(
                uniqueKeysWithValues: model.requests.map { ($0.tag, 1) }), about)
        var last: [String: Int] = [:]
        for tag in order {
            let request = model.requests[model.index(tag)]
            let lane = model.isStrict ? "" : request.lane
            // A request that waited for the object of a dead letter comes after it.
            let maker = request.thing.map { model.maker($0) }
            if model.passesDeadHeads, request.isLate || maker?.isLate ?? false { continue }
            XCTAssertGreaterThan(tag, last[lane, default: 0], "\(about): the order of \(lane)")
            last[lane] = tag
        }
        for request in model.requests {
            guard request.state == .refused || request.state == .withdrawn else { continue }
            XCTAssertFalse(server.hasApplied(request.tag), "\(about): \(request.tag)")
        }
    }
}

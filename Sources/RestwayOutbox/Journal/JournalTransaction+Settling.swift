import RestwayHTTP
import RestwayObjects

/// Settles items after their attempts, and the items that wait for the objects that they create.
extension JournalTransaction {
    /// - Parameter lanes: The lane of each item when it was taken. The item may have moved since.
    func settle(
        _ settlements: [OutboxSettlement], now: Int64, inLanes lanes: [Lane?]
    ) throws(OutboxError) -> OutboxSettled {
        var result = OutboxSettled()
        let removed = settlements.compactMap(\.removedID)
        // Items that are only deleted come first: nothing but their lanes depends on them.
        let deleted = try deleteHeads(removed)
        try agree(settlements.compactMap(\.deliveredID))
        if deleted.count == settlements.count { return result }
        let isDone = Set(deleted)
        for (settlement, lane) in zip(settlements, lanes) {
            if let id = settlement.removedID, isDone.contains(id) { continue }
            try settle(settlement, now: now, inLane: lane, &result)
        }
        return result
    }

    private func settle(
        _ settlement: OutboxSettlement, now: Int64, inLane: Lane?, _ result: inout OutboxSettled
    ) throws(OutboxError) {
        switch settlement {
        case .remove(let id):
            return try remove(id, identity: nil, lane: nil, now, inLane: inLane, &result)
        case .created(let id, let identity, let lane):
            return try remove(id, identity: identity, lane: lane, now, inLane: nil, &result)
        case .named(let id, let local, let identity, let lane):
            let companions = try CompanionRow.list(file, of: id)
            // If there is no such row, the item was dropped.
            guard let companion = companions.first(where: { $0.local == local }) else { return }
            let known = OutboxIdentity(
                number: nextIdentityNumber(), local: local, identity: identity,
                entity: companion.entity, storeKey: companion.storeKey)
            try CompanionRow.delete(file, local)
            return try name(known, lane: lane, now, &result)
        case .postpone, .bury: break
        }
        guard let item = try item(settlement.id) else {
            result.missing.append(settlement.id)
            return
        }
        switch settlement {
        case .remove, .created, .named: break
        case .postpone(_, let nextAttemptAt, let askedUntil, let mayHaveArrived, let trouble):
            try postpone(item, nextAttemptAt, askedUntil, mayHaveArrived, trouble)
        case .bury(_, let trouble, let answer):
            try bury(item, trouble, answer, attempts: 1)
        }
    }

    private func remove(
        _ id: Int64, identity: Identity?, lane: Lane?, _ now: Int64, inLane: Lane?,
        _ result: inout OutboxSettled
    ) throws(OutboxError) {
        if identity == nil, let inLane, try deleteHead(id, inLane.name) { return }
        guard let item = try brief(id) else {
            result.missing.append(id)
            return
        }
        let before = try head(beside: item)
        try delete(item)
        if let local = item.creates {
            if let identity {
                let known = OutboxIdentity(
                    number: nextIdentityNumber(), local: local, identity: identity,
                    entity: item.entity, storeKey: item.storeKey)
                try name(known, lane: lane, now, &result)
            } else {
                try giveUp(local, &result)
            }
        }
        for companion in try CompanionRow.list(file, of: id) {
            try CompanionRow.delete(file, companion.local)
            try giveUp(companion.local, &result)
        }
        try passTurn(item.lane, from: before)
    }

    private func postpone(
        _ item: OutboxItem, _ nextAttemptAt: Int64, _ askedUntil: Int64, _ mayHaveArrived: Bool,
        _ trouble: OutboxTrouble
    ) throws(OutboxError) {
        guard item.state != .dead else { return }
        try file.run(
            "UPDATE item SET attempts = attempts + 1, nextAttemptAt = ?2, askedUntil = ?3, "
                + "trouble = ?4, troubleStatus = ?5, troubleMessage = ?6, "
                + "mayHaveArrived = \(Arrival.after(mayHaveArrived)) WHERE id = ?1",
            .integer(item.id), .integer(nextAttemptAt), .integer(askedUntil),
            .text(trouble.code), .integer(Int64(trouble.httpStatus)), .text(trouble.message))
        try passTurn(item.entry.lane.name, from: nil)
    }

    private func bury(
        _ item: OutboxItem, _ trouble: OutboxTrouble, _ answer: OutboxAnswer?, attempts: Int64
    ) throws(OutboxError) {
        guard item.state != .dead else { return }
        let headers: String? = answer.map { answer in
            HeaderText.stored(
                answer.headers.filter { !HeaderText.isSecret($0, secretHeaders) })
        }
        try changing(item) { () throws(OutboxError) in
            try file.run(
                "UPDATE item SET state = 1, turn = NULL, attempts = attempts + ?2, trouble = ?3, "
                    + "troubleStatus = ?4, troubleMessage = ?5, answerStatus = ?6, "
                    + "answerHeaders = ?7, answerBody = ?8 WHERE id = ?1",
                .integer(item.id), .integer(attempts), .text(trouble.code),
                .integer(Int64(trouble.httpStatus)), .text(trouble.message),
                .integer(answer.map { Int64($0.status) }), .text(headers), .bytes(answer?.body))
            count(waiting: -1, dead: 1)
        }
    }

    // MARK: Objects made offline

    /// Handles an object that the server has named: the items that waited for it get its identity
    /// and continue in its lane.
    private func name(
        _ known: OutboxIdentity, lane: Lane?, _ now: Int64, _ result: inout OutboxSettled
    ) throws(OutboxError) {
        let local = known.local
        result.identities.append(known)
        try IdentityRow.insert(file, known, lane: lane?.name, namedAt: now)
        let old = Lane(local).name
        if let lane, lane.name != old {
            let new = lane.name
            result.lanesLeft.append(Lane(local))
            result.lanesEntered.append(lane)
            let before = [try head(old), try head(new)]
            try file.run(
                "UPDATE item SET lane = ?2 WHERE lane = ?1", .text(old), .text(new))
            for head in before { try passTurn(new, from: head) }
        }
        for id in try dependents(of: local) {
            guard let item = try item(id) else { continue }
            var text = LocalIDText(item, try DependencyRow.places(file, of: id))
            text.replace(local, by: known.identity)
            try write(id, text)
            try DependencyRow.write(file, text.locals, item: id, text.places)
            try file.run(
                "DELETE FROM dependency WHERE local = ?1 AND item = ?2", .text(local.text),
                .integer(id))
            try passTurn(item.entry.lane.name, from: nil)
        }
    }

    /// Handles an answer without an identity: the items that wait for the object can never be sent.
    private func giveUp(
        _ local: LocalID, _ result: inout OutboxSettled
    ) throws(OutboxError) {
        let trouble = OutboxTrouble(
            code: OutboxTrouble.noIdentity,
            message: "the object it is about was created, but the server did not say its identity")
        for id in try dependents(of: local) {
            guard let item = try item(id), item.state != .dead else { continue }
            try bury(item, trouble, nil, attempts: 0)
            result.buried.append(id)
        }
    }

    // MARK: Dropping

    /// Deletes items, and for each creation the items that wait for its object.
    ///
    /// - Returns: All deleted items, the given ones first.
    func drop(_ ids: [Int64]) throws(OutboxError) -> [Int64] {
        var dropped = ids
        var seen = Set(ids)
        var index = 0
        while index < dropped.count {
            let id = dropped[index]
            index += 1
            guard let item = try brief(id) else { continue }
            let before = try head(beside: item)
            try delete(item)
            try deleteDependencies(of: id)
            try passTurn(item.lane, from: before)
            var made: [LocalID] = item.creates.map { [$0] } ?? []
            for companion in try CompanionRow.list(file, of: id) {
                try CompanionRow.delete(file, companion.local)
                made.append(companion.local)
            }
            for local in made {
                dropped += try dependents(of: local).filter { seen.insert($0).inserted }
            }
        }
        try takeBack(dropped)
        return dropped
    }

    /// Deletes all items.
    ///
    /// - Returns: The number of deleted items.
    func dropAll() throws(OutboxError) -> Int {
        let count = itemCount
        try file.run("DELETE FROM item")
        try file.run("DELETE FROM dependency")
        try file.run("DELETE FROM companion")
        try takeAllBack()
        countNothing()
        return Int(count)
    }

    func withdraw(_ local: LocalID) throws(OutboxError) -> OutboxWithdrawal {
        if let (known, _) = try identity(of: local) { return .named(known) }
        guard let id = try creator(of: local), let item = try item(id) else { return .unknown }
        // The object is sent inside the object that it was written in.
        if item.entry.creates != local { return .mayHaveArrived }
        // If the server refused the creation, the server does not have the object.
        if item.entry.mayHaveArrived, item.state != .dead { return .mayHaveArrived }
        return .dropped(try drop([id]))
    }
}

extension OutboxSettlement {
    /// The id of an item that is done and has named no object.
    fileprivate var removedID: Int64? {
        if case .remove(let id) = self { id } else { nil }
    }

    /// The id of an item that the server has accepted.
    fileprivate var deliveredID: Int64? {
        switch self {
        case .remove(let id), .created(let id, _, _): id
        case .named, .postpone, .bury: nil
        }
    }
}

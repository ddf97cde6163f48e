import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwaySQLite

/// Settles items after their attempts, and the items that wait for the objects that they create.
extension JournalTransaction {
    func settle(
        _ settlements: [OutboxSettlement], now: Int64
    ) throws(OutboxError) -> OutboxSettled {
        var result = OutboxSettled()
        for settlement in settlements { try settle(settlement, now, &result) }
        return result
    }

    private func settle(
        _ settlement: OutboxSettlement, _ now: Int64, _ result: inout OutboxSettled
    ) throws(OutboxError) {
        if case .named(let id, let local, let identity, let lane) = settlement {
            let companions = try file.companions(of: id)
            // If the item has no companion with this local identity, the item was dropped.
            guard let companion = companions.first(where: { $0.local == local }) else { return }
            try file.deleteCompanion(local)
            return try name(
                local, identity, companion.entity, companion.storeKey, lane: lane, now, &result)
        }
        guard let item = try item(settlement.id) else {
            result.missing.append(settlement.id)
            return
        }
        switch settlement {
        case .named: break
        case .remove(_, let identity, let lane):
            try remove(item, identity: identity, lane: lane, now, &result)
        case .postpone(
            _, let nextAttemptAt, let askedUntil, let mayHaveArrived, let trouble, let attempts):
            try postpone(
                item, now, nextAttemptAt, askedUntil, mayHaveArrived, trouble, attempts)
        case .bury(_, let trouble, let answer, let attempts):
            try bury(item, trouble, answer, attempts: Int64(attempts))
        case .refuse(_, let trouble, let answer, let attempts):
            guard try isAwaited(item) else {
                _ = try drop([item.id])
                return result.refused.append(item.id)
            }
            try bury(item, trouble, answer, attempts: Int64(attempts))
        case .conflict(_, let conflict, let trouble, let answer, let attempts):
            try noteConflict(item, conflict, trouble, answer, attempts: Int64(attempts))
        case .park(_, let conflict, let change, let trouble):
            try park(item, conflict, change, trouble)
        }
    }

    /// Whether other items wait for an object that the item creates.
    private func isAwaited(_ item: OutboxItem) throws(OutboxError) -> Bool {
        var made = try file.companions(of: item.id).map(\.local)
        if let local = item.entry.creates { made.append(local) }
        for local in made where try !dependents(of: local).isEmpty { return true }
        return false
    }

    private func remove(
        _ item: OutboxItem, identity: Identity?, lane: Lane?, _ now: Int64,
        _ result: inout OutboxSettled
    ) throws(OutboxError) {
        try accept(item, now)
        try delete(item)
        if let local = item.entry.creates {
            if let identity {
                let origin = item.entry.origin
                try name(local, identity, origin.entity, origin.storeKey, lane: lane, now, &result)
            } else {
                try giveUp(local, &result)
            }
        }
        for companion in try file.companions(of: item.id) {
            try file.deleteCompanion(companion.local)
            try giveUp(companion.local, &result)
        }
    }

    /// Notes that the server has accepted the edit of an item.
    func accept(_ item: OutboxItem, _ now: Int64) throws(OutboxError) {
        guard let edit = item.entry.edit else { return }
        try file.run(
            "INSERT OR IGNORE INTO accepted (edit, at) VALUES (?1, ?2)", .integer(edit),
            .integer(now))
    }

    private func postpone(
        _ item: OutboxItem, _ now: Int64, _ nextAttemptAt: Int64, _ askedUntil: Int64,
        _ mayHaveArrived: Bool, _ trouble: OutboxTrouble, _ attempts: Int
    ) throws(OutboxError) {
        guard item.state == .waiting else { return }
        try file.run(
            "UPDATE item SET attempts = attempts + ?8, nextAttemptAt = ?2, askedUntil = ?3, "
                + "trouble = ?4, troubleStatus = ?5, troubleMessage = ?6, waitSince = ?7, "
                + "mayHaveArrived = \(ItemRow.MayHaveArrived.afterAttempt(mayHaveArrived)) "
                + "WHERE id = ?1",
            .integer(item.id), .integer(nextAttemptAt), .integer(askedUntil),
            .text(trouble.code), .integer(Int64(trouble.httpStatus)), .text(trouble.message),
            .integer(now), .integer(Int64(attempts)))
        try turns.pass(item.entry.lane.name)
    }

    private func bury(
        _ item: OutboxItem, _ trouble: OutboxTrouble, _ answer: OutboxAnswer?, attempts: Int64
    ) throws(OutboxError) {
        guard item.state == .waiting else { return }
        let headers = headers(of: answer)
        try turns.changing(item) { () throws(OutboxError) in
            try file.run(
                "UPDATE item SET state = 1, turn = NULL, attempts = attempts + ?2, trouble = ?3, "
                    + "mayHaveArrived = \(ItemRow.MayHaveArrived.afterAttempt(false)), "
                    + "troubleStatus = ?4, troubleMessage = ?5, answerStatus = ?6, "
                    + "answerHeaders = ?7, answerBody = ?8 WHERE id = ?1",
                .integer(item.id), .integer(attempts), .text(trouble.code),
                .integer(Int64(trouble.httpStatus)), .text(trouble.message),
                .integer(answer.map { Int64($0.status) }), .text(headers), .bytes(answer?.body))
            counters.waiting -= 1
            counters.dead += 1
        }
    }

    /// Returns the headers of an answer as the file has them.
    func headers(of answer: OutboxAnswer?) -> String? {
        answer.map { answer in
            HeaderText.stored(answer.headers.filter { !HeaderText.isSecret($0, secretHeaders) })
        }
    }

    // MARK: Objects made offline

    /// Handles an object that the server has named: the items that waited for it get its identity
    /// and continue in its lane.
    private func name(
        _ local: LocalID, _ identity: Identity, _ entity: String?, _ storeKey: Int64?,
        lane: Lane?, _ now: Int64, _ result: inout OutboxSettled
    ) throws(OutboxError) {
        counters.lastIdentity += 1
        let known = OutboxIdentity(
            number: counters.lastIdentity, local: local, identity: identity, lane: lane,
            entity: entity, storeKey: storeKey)
        result.identities.append(known)
        try file.insert(known, namedAt: now)
        if let lane { try move(from: Lane(local), to: lane) }
        for id in try dependents(of: local) {
            guard let item = try item(id) else { continue }
            var text = try text(item)
            do throws(MapperError) {
                try text.replace(local, by: identity)
            } catch {
                // A client that has the mapper can retry the dead letter.
                let trouble = OutboxTrouble(
                    code: OutboxTrouble.unwritableBody,
                    message: OutboxError.unwritableBody(error.message).message)
                try bury(item, trouble, nil, attempts: 0)
                result.buried.append(id)
                continue
            }
            let others = try file.awaited(by: id).filter { $0 != local }
            try write(id, text, waitingFor: Array(text.locals) + others)
            try turns.pass(item.entry.lane.name)
        }
    }

    /// Handles an answer without an identity: the items that wait for the object can never be sent.
    private func giveUp(_ local: LocalID, _ result: inout OutboxSettled) throws(OutboxError) {
        let trouble = OutboxTrouble(
            code: OutboxTrouble.noIdentity,
            message: "the object it is about was created, but the server did not say its identity")
        for id in try dependents(of: local) {
            guard let item = try item(id), item.state != .dead else { continue }
            // The program knows the identity, and the request holds it.
            guard !local.isOfNamedObject else {
                try file.deleteDependency(of: id, on: local)
                try turns.pass(item.entry.lane.name)
                continue
            }
            try bury(item, trouble, nil, attempts: 0)
            result.buried.append(id)
        }
    }

    // MARK: Dropping

    /// Deletes items, and for each creation the items that wait for its object.
    ///
    /// - Returns: All deleted items, beginning with the items `ids`.
    func drop(_ ids: [Int64]) throws(OutboxError) -> OutboxDropped {
        var dropped = OutboxDropped(items: ids)
        var seen = Set(ids)
        var index = 0
        while index < dropped.items.count {
            let id = dropped.items[index]
            index += 1
            guard let item = try item(id) else { continue }
            if let edit = item.entry.edit { dropped.edits.append(edit) }
            try delete(item)
            try deleteDependencies(of: id)
            var made: [LocalID] = item.entry.creates.map { [$0] } ?? []
            for companion in try file.companions(of: id) {
                try file.deleteCompanion(companion.local)
                made.append(companion.local)
            }
            for local in made {
                let others = try dependents(of: local).filter { seen.insert($0).inserted }
                dropped.items += others
            }
        }
        return dropped
    }

    /// Deletes all items.
    func dropAll() throws(OutboxError) -> OutboxDropped {
        let rows = try file.all("SELECT id, edit FROM item ORDER BY id") {
            ($0.integer(0), $0.integerIfAny(1))
        }
        for table in ["item", "dependency", "companion", "edited", "change"] {
            try file.run("DELETE FROM \(table)")
        }
        (counters.waiting, counters.dead, counters.parked) = (0, 0, 0)
        return OutboxDropped(items: rows.map(\.0), edits: rows.compactMap(\.1))
    }

    func withdraw(_ local: LocalID) throws(OutboxError) -> OutboxWithdrawal {
        if let known = try file.identity(of: local) { return .named(known) }
        guard let id = try file.creator(of: local), let item = try item(id) else { return .unknown }
        // The object is sent inside the object that it was written in.
        if item.entry.creates != local { return .mayHaveArrived }
        // If the server refused the creation, the server does not have the object.
        if item.entry.progress.mayHaveArrived, item.state != .dead { return .mayHaveArrived }
        return .dropped(try drop([id]))
    }
}

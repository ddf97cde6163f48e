import RestwayHTTP
import RestwayObjects
import RestwaySQLite

/// Changes items after their comparison with the server's values, and parks them.
extension JournalTransaction {
    // MARK: Results of attempts

    /// Handles an answer that shows a conflict: the item is due at once, and the server does not
    /// know it.
    func noteConflict(
        _ item: OutboxItem, _ conflict: ItemConflict, _ trouble: OutboxTrouble,
        _ answer: OutboxAnswer?, attempts: Int64
    ) throws(OutboxError) {
        guard item.state == .waiting else { return }
        try file.run(
            "UPDATE item SET conflict = ?2, attempts = attempts + ?3, nextAttemptAt = 0, "
                + "askedUntil = 0, mayHaveArrived = \(ItemRow.MayHaveArrived.no), trouble = ?4, "
                + "troubleStatus = ?5, troubleMessage = ?6, answerStatus = ?7, "
                + "answerHeaders = ?8, answerBody = ?9 WHERE id = ?1",
            .integer(item.id), .text(conflict.text), .integer(attempts), .text(trouble.code),
            .integer(Int64(trouble.httpStatus)), .text(trouble.message),
            .integer(answer.map { Int64($0.status) }), .text(headers(of: answer)),
            .bytes(answer?.body))
        try turns.pass(item.entry.lane.name)
    }

    /// Lets an item wait for a decision of the program.
    func park(
        _ item: OutboxItem, _ conflict: ItemConflict, _ change: OutboxChange,
        _ trouble: OutboxTrouble
    ) throws(OutboxError) {
        guard item.state == .waiting else { return }
        try turns.changing(item) { () throws(OutboxError) in
            try file.run(
                "UPDATE item SET state = 4, turn = NULL, nextAttemptAt = 0, askedUntil = 0, "
                    + "mayHaveArrived = \(ItemRow.MayHaveArrived.no), blocks = ?2, conflict = ?3, "
                    + "trouble = ?4, troubleStatus = ?5, troubleMessage = ?6 WHERE id = ?1",
                .integer(item.id), .integer(conflict.blocksLane ? 1 : nil), .text(conflict.text),
                .text(trouble.code), .integer(Int64(trouble.httpStatus)), .text(trouble.message))
            try replaceChange(of: item.id, by: change)
            counters.waiting -= 1
            counters.parked += 1
        }
    }

    // MARK: Comparing

    /// - Returns: The parked item with the part that was split off; `nil` if nothing was.
    func rewrite(_ id: Int64, _ rewriting: ItemRewriting) throws(OutboxError) -> Int64? {
        guard let item = try item(id) else { throw .noSuchItem(id) }
        guard item.state == .waiting else { throw .parked(id) }
        try write(rewriting, to: item)
        return try split(item, rewriting)
    }

    private func split(
        _ item: OutboxItem, _ rewriting: ItemRewriting
    ) throws(OutboxError) -> Int64? {
        try rewriting.splitOff.map { (part) throws(OutboxError) in
            try add(part, besides: item, rewriting)
        }
    }

    /// Writes the changed parts of a request.
    private func write(_ rewriting: ItemRewriting, to item: OutboxItem) throws(OutboxError) {
        let entry = item.entry.rewritten(rewriting)
        var text = try storable(entry, nil)
        let missing = try resolve(&text) + file.awaited(by: item.id)
        try write(item.id, text, waitingFor: missing)
        try file.run(
            "UPDATE item SET method = ?2, idempotencyKey = ?3, route = ?4, context = ?5, "
                + "conflict = ?6 WHERE id = ?1",
            .integer(item.id), .text(entry.method), .text(entry.idempotencyKey),
            .text(entry.origin.route), .bytes(entry.origin.context), .text(entry.conflict?.text))
        if let change = rewriting.change { try replaceChange(of: item.id, by: change) }
    }

    /// Stores a part of an item's change as a parked item behind all others. It has no body: the
    /// choice of the program decides what is sent.
    private func add(
        _ part: ItemRewriting.SplitOff, besides item: OutboxItem, _ rewriting: ItemRewriting
    ) throws(OutboxError) -> Int64 {
        var entry = item.entry.rewritten(rewriting)
        (entry.body, entry.creates) = (nil, nil)
        (entry.change, entry.conflict) = (part.change, part.conflict)
        entry.idempotencyKey = part.idempotencyKey
        entry.progress = OutboxEntry.Progress(trouble: part.trouble)
        let text = try storable(entry, nil)
        counters.lastItem += 1
        counters.parked += 1
        let id = counters.lastItem
        try ItemRow.insert(
            file, entry, text, lane: entry.lane.name, id: id, turn: nil,
            state: ItemRow.State.parked)
        try file.insert(part.change, item: id)
        return id
    }

    func setChange(of id: Int64, _ new: OutboxChange) throws(OutboxError) {
        guard try item(id) != nil else { throw .noSuchItem(id) }
        try replaceChange(of: id, by: new)
    }

    private func replaceChange(of id: Int64, by new: OutboxChange) throws(OutboxError) {
        try file.deleteEdit(of: id)
        try file.insert(new, item: id)
        try file.run("UPDATE item SET edit = ?2 WHERE id = ?1", .integer(id), .integer(new.edit))
    }

    func renewConditions(
        _ lane: Lane, from old: String, to new: String, besides sent: Set<Int64>
    ) throws(OutboxError) {
        let ids = try file.all(
            "SELECT id FROM item WHERE lane = ?1 AND state IN (0, 3) AND attempts = 0 "
                + "AND mayHaveArrived = \(ItemRow.MayHaveArrived.no) ORDER BY id",
            .text(lane.name)
        ) { $0.integer(0) }
        for id in ids where !sent.contains(id) {
            guard let item = try item(id), item.conflict?.isRewritten != true else { continue }
            let fields = item.entry.headers
            guard fields.contains(where: { $0.isCondition(on: old) }) else { continue }
            let renewed = fields.map { field in
                field.isCondition(on: old) ? HeaderField(name: field.name, value: new) : field
            }
            var entry = item.entry
            entry.headers = renewed
            let text = try storable(entry, nil)
            try write(id, text, waitingFor: Array(text.locals) + file.awaited(by: id))
        }
    }

    // MARK: Parked items

    /// - Returns: The parked item with the part that was split off; `nil` if nothing was.
    func unpark(_ id: Int64, _ rewriting: ItemRewriting) throws(OutboxError) -> Int64? {
        guard let item = try item(id) else { throw .noSuchItem(id) }
        guard item.state == .parked else { throw .notParked(id) }
        var rewriting = rewriting
        var conflict = rewriting.conflict ?? ItemConflict()
        conflict.kind = nil
        rewriting.conflict = conflict
        let isMine = counters.owner.maySend(item.entry.origin.owner)
        try turns.changing(item) { () throws(OutboxError) in
            try write(rewriting, to: item)
            try file.run(
                "UPDATE item SET state = ?2, blocks = NULL, attempts = 0, nextAttemptAt = 0, "
                    + "askedUntil = 0, trouble = NULL, troubleStatus = NULL, "
                    + "troubleMessage = NULL, answerStatus = NULL, answerHeaders = NULL, "
                    + "answerBody = NULL WHERE id = ?1",
                .integer(id), .integer(isMine ? ItemRow.State.waiting : ItemRow.State.ofOthers))
            counters.waiting += 1
            counters.parked -= 1
        }
        return try split(item, rewriting)
    }
}

extension OutboxEntry {
    /// Returns the request with the changes of a rewriting.
    fileprivate func rewritten(_ rewriting: ItemRewriting) -> OutboxEntry {
        var entry = self
        entry.method = rewriting.method ?? method
        entry.path = rewriting.path ?? path
        entry.headers = rewriting.headers ?? headers
        entry.body = rewriting.body ?? body
        entry.idempotencyKey = rewriting.idempotencyKey ?? idempotencyKey
        entry.origin.route = rewriting.route ?? origin.route
        entry.origin.context = rewriting.context ?? origin.context
        entry.conflict = rewriting.conflict ?? conflict
        return entry
    }
}

extension HeaderField {
    /// Whether the field demands exactly this version of the object.
    func isCondition(on version: String) -> Bool { isNamed("if-match") && value == version }
}

import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayRouting
import RestwaySQLite
import RestwayText

/// Stores requests, and changes stored requests.
extension JournalTransaction {
    /// - Parameter places: Where local identities stand in the request; `nil` if they have to be
    ///   looked for.
    /// - Returns: The id of the new item.
    func enqueue(_ entry: OutboxEntry, _ places: [LocalIDPlace]?) throws(OutboxError) -> Int64 {
        var text = try storable(entry, places)
        var entry = entry
        if let local = entry.creates, try isKnown(local) {
            // A second POST of an object without an identity would create another object. Any other
            // request is about the object of the first one.
            if entry.method == "POST", !local.isOfNamedObject { throw .alreadyCreated(local) }
            entry.creates = nil
        }
        var missing = try resolve(&text)
        for local in entry.origin.awaits where try file.creator(of: local) != nil {
            missing.append(local)
        }
        let lane = try placed(entry.lane)
        let isMine = counters.owner.maySend(entry.origin.owner)
        let head = isMine ? try turns.head(lane) : nil
        let isHead = isMine && head == nil
        counters.lastItem += 1
        counters.waiting += 1
        let id = counters.lastItem
        let turn = isHead && missing.isEmpty ? entry.progress.nextAttemptAt : nil
        try ItemRow.insert(
            file, entry, text, lane: lane, id: id, turn: turn,
            state: isMine ? ItemRow.State.waiting : ItemRow.State.ofOthers)
        try file.insertDependencies(missing, item: id, text.places)
        for companion in entry.companions { try file.insert(companion, item: id) }
        if let change = entry.change { try file.insert(change, item: id) }
        return id
    }

    /// Whether a stored request creates the object, or has created it.
    private func isKnown(_ local: LocalID) throws(OutboxError) -> Bool {
        if try file.creator(of: local) != nil { return true }
        return try file.identity(of: local) != nil
    }

    /// Returns the parts of a request that may be stored.
    func storable(
        _ entry: OutboxEntry, _ places: [LocalIDPlace]?
    ) throws(OutboxError) -> LocalIDText {
        let path = entry.path
        if URLText.isAbsolute(path), URLText.redacted(path) != path { throw .credentialInPath }
        // Most requests are known to hold no local identity, and need no mapper.
        let mapper =
            places?.isEmpty == true
            ? nil : mappers.mapper(route: entry.origin.route, headers: entry.headers)
        return LocalIDText(
            path: path, headers: try HeaderText.text(entry.headers, without: secretHeaders),
            body: entry.body, mapper: mapper, places: places)
    }

    /// Replaces local identities whose server identities are known.
    ///
    /// - Returns: The local identities that are not known yet.
    func resolve(_ text: inout LocalIDText) throws(OutboxError) -> [LocalID] {
        var missing: [LocalID] = []
        for local in text.locals {
            if let known = try file.identity(of: local) {
                do throws(MapperError) {
                    try text.replace(local, by: known.identity)
                } catch {
                    throw .unwritableBody(error.message)
                }
            } else if try file.creator(of: local) != nil {
                missing.append(local)
            } else {
                throw .unknownLocalID(local)
            }
        }
        return missing
    }

    /// Returns the lane to store in. The lane of an object changes when the server names the
    /// object.
    private func placed(_ lane: Lane) throws(OutboxError) -> String {
        guard let local = lane.local else { return lane.name }
        return (try file.identity(of: local)?.lane ?? lane).name
    }

    // MARK: Dead letters

    func edit(_ id: Int64, _ edit: OutboxEdit) throws(OutboxError) {
        var entry = try deadLetter(id).entry
        entry.path = edit.path ?? entry.path
        entry.headers = edit.headers ?? entry.headers
        entry.body = edit.body ?? entry.body
        var text = try storable(entry, nil)
        let missing = try resolve(&text) + file.awaited(by: id)
        try write(id, text, waitingFor: missing)
        try file.run(
            "UPDATE item SET idempotencyKey = ?2 WHERE id = ?1", .integer(id),
            .text(edit.idempotencyKey))
    }

    func retry(_ id: Int64) throws(OutboxError) {
        let item = try deadLetter(id)
        var text = try text(item)
        let missing = try resolve(&text) + file.awaited(by: id)
        let isMine = counters.owner.maySend(item.entry.origin.owner)
        try turns.changing(item) { () throws(OutboxError) in
            try write(id, text, waitingFor: missing)
            try file.run(
                "UPDATE item SET state = ?2, attempts = 0, nextAttemptAt = 0, askedUntil = 0, "
                    + "answerStatus = NULL, answerHeaders = NULL, answerBody = NULL WHERE id = ?1",
                .integer(id), .integer(isMine ? ItemRow.State.waiting : ItemRow.State.ofOthers))
            counters.waiting += 1
            counters.dead -= 1
        }
    }

    private func deadLetter(_ id: Int64) throws(OutboxError) -> OutboxItem {
        guard let item = try item(id) else { throw .noSuchItem(id) }
        guard item.state != .parked else { throw .parked(id) }
        guard item.state == .dead else { throw .notDead(id) }
        return item
    }
}

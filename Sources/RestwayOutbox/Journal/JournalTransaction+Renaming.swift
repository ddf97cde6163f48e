import RestwayObjects
import RestwaySQLite

/// Another identity for an object, as it stands in the items of the journal.
struct ItemRenaming {
    /// The lane of the object before.
    let former: Lane
    /// The lane of the object from now on.
    let lane: Lane
    /// The idempotency key of the item whose answer has the new identity. It may be sent again, so
    /// it stays as the server has seen it.
    let answeredKey: String?
    /// Returns the path and the body of an item with the new identity; `nil` if they do not hold
    /// the old one. A body that its mapper cannot read stays as it is.
    let rewritten: @Sendable (OutboxEntry) -> (path: String, body: [UInt8]?)?
}

extension JournalTransaction {
    /// Moves all items of a lane to another lane, each to its place by age.
    func move(from old: Lane, to lane: Lane) throws(OutboxError) {
        guard lane != old else { return }
        let before = [try turns.head(old.name), try turns.head(lane.name)]
        try file.run(
            "UPDATE item SET lane = ?2 WHERE lane = ?1", .text(old.name), .text(lane.name))
        for head in before { try turns.pass(lane.name, from: head) }
    }

    /// Lets all items that hold the old identity of an object hold its new one.
    func rename(_ renaming: ItemRenaming) throws(OutboxError) {
        try move(from: renaming.former, to: renaming.lane)
        let ids = try file.all("SELECT id FROM item ORDER BY id") { $0.integer(0) }
        for id in ids {
            guard let item = try item(id), item.entry.idempotencyKey != renaming.answeredKey,
                let rewritten = renaming.rewritten(item.entry)
            else { continue }
            var entry = item.entry
            (entry.path, entry.body) = rewritten
            // The local identities in the item may stand at other places now.
            let text = LocalIDText(
                path: entry.path, headers: HeaderText.stored(entry.headers), body: entry.body,
                mapper: mappers.mapper(route: entry.origin.route, headers: entry.headers),
                places: nil)
            try write(id, text, waitingFor: Array(text.locals) + file.awaited(by: id))
        }
    }
}

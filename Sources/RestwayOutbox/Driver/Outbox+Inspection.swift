import RestwayDocument
package import RestwayObjects
package import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayStore

/// Functions with which the program reads and changes the outbox.
extension Outbox {
    /// Returns all stored requests, oldest first.
    package func list() throws(Failure) -> StoredRequests {
        try refuseWhenClosed()
        var reports: [StoredRequest] = []
        try journal.forEachItem { reports.append(around.report($0)) }
        return notices.requests(reports)
    }

    package func find(_ id: Int64) throws(Failure) -> StoredRequest {
        try refuseWhenClosed()
        return around.report(try journal.existingItem(id))
    }

    package func counts() throws(Failure) -> OutboxCounts {
        try refuseWhenClosed()
        var counts = try journal.checked(journal.countsInDetail())
        counts.waiting = max(0, counts.waiting - counts.blocked - counts.sending)
        return counts
    }

    /// Whether a stored request is about the object.
    package func hasPending(_ object: Snapshot) throws(Failure) -> Bool {
        try refuseWhenClosed()
        let newest = try around.store.newest(of: object) ?? object
        let lane = newest.identity.map { Lane(of: newest.entity, $0) }
        if let lane, try journal.checked(journal.holds(lane)) { return true }
        for id in identityTable.adoptedItems(newest.storeKey)
        where try journal.checked(journal.item(id)) != nil {
            return true
        }
        return try journal.checked(
            journal.holds(
                entity: object.entity.family.name, storeKey: object.storeKey,
                where: identityTable.isOurs))
    }

    package func retry(_ id: Int64) throws(Failure) {
        try refuseWhenClosed()
        let item = try journal.existingItem(id)
        let marked = try marks.objects(of: item)
        try journal.checked(journal.retry(id))
        try tellAccepted(marked, item)
        flushing.flush(.ordinary)
    }

    /// Changes the body of a stored request.
    ///
    /// - Parameters:
    ///   - body: The new body; `nil` removes the body.
    ///   - mediaType: The new media type; `nil` keeps the present media type.
    package func edit(_ id: Int64, body: [UInt8]?, mediaType: String?) throws(Failure) {
        try refuseWhenClosed()
        let item = try journal.existingItem(id)
        let marked = try marks.objects(of: item)
        var edit = OutboxEdit(body: .some(body), idempotencyKey: IdempotencyKey.random.text)
        if let mediaType {
            var headers = item.entry.headers
            headers.set("Content-Type", mediaType)
            edit.headers = headers
        }
        try journal.checked(journal.edit(id, edit))
        try journal.checked(journal.retry(id))
        try tellAccepted(marked, item)
        flushing.flush(.ordinary)
    }

    /// Shows the edit of an item that is no longer a dead letter, and tells observers that its
    /// objects are no longer marked.
    private func tellAccepted(
        _ marked: RejectionMarks.Marked, _ item: OutboxItem
    ) throws(Failure) {
        let steps = identityTable.edit(of: item).map { [EditStep.resume($0)] } ?? []
        marks.tellAccepted(marked, besides: try changes.follow(steps))
    }

    /// Removes an item and the items that depend on it, and undoes the changes that these made in
    /// the store.
    ///
    /// - Returns: The number of removed items.
    package func drop(_ id: Int64) throws(Failure) -> Int {
        try refuseWhenClosed()
        let item = try journal.existingItem(id)
        let marked = item.state == .dead ? try marks.objects(of: item) : [:]
        let dropped = try notices.removing(flushing.stored) { () throws(Failure) in
            try journal.checked(journal.drop(id))
        }
        let told = Result { () throws(Failure) in try changes.takeBack(dropped.edits) }
        flushing.tellRemoved { dropped.items.contains($0) }
        lanesChanged()
        marks.tellAccepted(marked, besides: try told.get())
        return dropped.items.count
    }

    /// Removes all items.
    ///
    /// - Returns: The number of removed items.
    package func dropAll() throws(Failure) -> Int {
        try refuseWhenClosed()
        let marked = try marks.allRejected()
        let dropped = try notices.removing(flushing.stored) { () throws(Failure) in
            try journal.checked(journal.dropAll())
        }
        let told = Result { () throws(Failure) in try changes.takeBack(dropped.edits) }
        flushing.tellRemoved { !flushing.isOnItsWay($0) }
        marks.tellAccepted(marked, besides: try told.get())
        return dropped.items.count
    }

    /// Whether the outbox has requests that a flush could deliver.
    package func needsFlushing() throws(Failure) -> Bool {
        try refuseWhenClosed()
        return try journal.checked(journal.needsFlushing())
    }
}

import RestwayCalls
import RestwayCurl
import RestwayDocument
package import RestwayObjects
import RestwayOutbox
package import RestwayOutcome
import RestwayRouting

/// Functions with which the program reads and changes the outbox.
extension Outbox {
    /// The largest number of items that can be on their way at once.
    private static let sendingMax = OutboxDefinition.concurrentMax * BatchDefinition.limitMax

    /// Returns all stored requests, oldest first.
    package func list() throws(Failure) -> StoredRequests {
        try refuseWhenClosed()
        return StoredRequests(try reports(), redaction: redaction)
    }

    package func find(_ id: Int64) throws(Failure) -> StoredRequest {
        try refuseWhenClosed()
        return report(try item(id))
    }

    package func counts() throws(Failure) -> StoredRequestCounts {
        try refuseWhenClosed()
        let found = try run { () throws(OutboxError) in try journal.countsWithBlocked() }
        let sending = try run { () throws(OutboxError) in
            try journal.items(after: 0, itemsMax: Self.sendingMax, state: .inFlight)
        }.count
        var counts = StoredRequestCounts()
        counts.waiting = max(0, found.waiting - found.blocked - sending)
        counts.sending = sending
        counts.blocked = found.blocked
        counts.dead = found.dead
        return counts
    }

    /// Whether a stored request is about the object.
    package func hasPending(_ object: Snapshot) throws(Failure) -> Bool {
        try refuseWhenClosed()
        let newest = try client?.store.newest(of: object) ?? object
        let lane = newest.identity.map { Lane(of: newest.entity, $0) }
        let life = life
        return try run { () throws(OutboxError) in
            if let lane, try journal.holds(lane) { return true }
            return try journal.holds(
                entity: object.entity.name, storeKey: object.storeKey
            ) { OutboxContext($0).life == life }
        }
    }

    package func retry(_ id: Int64) throws(Failure) {
        try refuseWhenClosed()
        let marked = try objects(of: item(id))
        try run { () throws(OutboxError) in try journal.retry(id) }
        tellAccepted(marked)
        flush(.ordinary)
    }

    /// Changes the body of a stored request.
    ///
    /// - Parameters:
    ///   - body: The new body; `nil` removes the body.
    ///   - mediaType: The new media type; `nil` keeps the present one.
    package func edit(_ id: Int64, body: [UInt8]?, mediaType: String?) throws(Failure) {
        try refuseWhenClosed()
        let marked = try objects(of: item(id))
        var edit = OutboxEdit(idempotencyKey: IdempotencyKey.random.text)
        edit.body = .some(body)
        if let mediaType {
            var headers = try item(id).entry.headers
            headers.set("Content-Type", mediaType)
            edit.headers = headers
        }
        try run { () throws(OutboxError) in
            try journal.edit(id, edit)
            try journal.retry(id)
        }
        tellAccepted(marked)
        flush(.ordinary)
    }

    /// Removes an item and the items that depend on it, and undoes the changes that these made in
    /// the store.
    ///
    /// - Returns: The number of removed items.
    package func drop(_ id: Int64) throws(Failure) -> Int {
        try refuseWhenClosed()
        let item = try item(id)
        let marked = item.state == .dead ? try objects(of: item) : []
        let count = try run { () throws(OutboxError) in try journal.drop(id) }.count
        lanesChanged()
        tellAccepted(marked, besides: try takeBack())
        return count
    }

    /// Removes all items.
    ///
    /// - Returns: The number of removed items.
    package func dropAll() throws(Failure) -> Int {
        try refuseWhenClosed()
        let marked = try allRejected()
        let count = try run { () throws(OutboxError) in try journal.dropAll() }
        tellAccepted(marked, besides: try takeBack())
        return count
    }

    // MARK: Reports

    func report(_ item: OutboxItem, _ state: StoredRequest.State) -> StoredRequest {
        // Most items have no answer, and so no URL of an answer.
        guard item.answer != nil else { return StoredRequest(item, state: state, url: "") }
        let base = client?.environment.baseURL
        let url = (try? base?.url(path: item.entry.path)) ?? item.entry.path
        return StoredRequest(item, state: state, url: url)
    }

    private func reports() throws(Failure) -> [StoredRequest] {
        var reports: [StoredRequest] = []
        try forEachItem { reports.append(report($0)) }
        return reports
    }

    private func report(_ item: OutboxItem) -> StoredRequest {
        switch item.state {
        case .dead: report(item, .dead)
        case .inFlight: report(item, .sending)
        case .waiting: report(item, item.isBlocked ? .blocked : .waiting)
        }
    }
}

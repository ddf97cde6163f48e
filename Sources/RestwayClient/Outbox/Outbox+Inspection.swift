package import RestwayObjects
import RestwayOutbox
import RestwayRouting

/// What the host sees of the outbox, and does to it.
extension Outbox {
    /// More calls than these never are under way.
    private static let sendingMax = OutboxDefinition.concurrentMax * BatchDefinition.limitMax

    /// All that is stored, oldest first.
    package func list() throws(Failure) -> StoredRequests {
        try refuseWhenClosed()
        return StoredRequests(try reports(), redaction: redaction)
    }

    package func find(_ id: Int64) throws(Failure) -> StoredRequest {
        try refuseWhenClosed()
        let item = try item(id)
        var blocked: Set<Lane> = []
        try forEachItem { other in
            if other.id < id { _ = state(of: other, &blocked) }
            return other.id < id
        }
        return report(item, state(of: item, &blocked))
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
        if let lane, try isHeld(lane) { return true }
        var isPending = false
        try forEachItem { item in
            isPending =
                item.entry.entity == object.entity.name
                && storeKey(item.entry) == object.storeKey
            return !isPending
        }
        return isPending
    }

    package func retry(_ id: Int64) throws(Failure) {
        try refuseWhenClosed()
        try run { () throws(OutboxError) in try journal.retry(id) }
        flush(.ordinary)
    }

    /// - Parameters:
    ///   - body: `nil` takes it away.
    ///   - mediaType: `nil` keeps what it has.
    package func edit(_ id: Int64, body: [UInt8]?, mediaType: String?) throws(Failure) {
        try refuseWhenClosed()
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
        flush(.ordinary)
    }

    /// - Returns: How many items are gone.
    package func drop(_ id: Int64) throws(Failure) -> Int {
        try refuseWhenClosed()
        let count = try run { () throws(OutboxError) in try journal.drop(id) }.count
        lanesChanged()
        return count
    }

    /// - Returns: How many there were.
    package func dropAll() throws(Failure) -> Int {
        try refuseWhenClosed()
        return try run { () throws(OutboxError) in try journal.dropAll() }
    }

    // MARK: Reports

    func report(_ item: OutboxItem, _ state: StoredRequest.State) -> StoredRequest {
        let base = client?.environment.baseURL
        let url = (try? base?.url(path: item.entry.path)) ?? item.entry.path
        return StoredRequest(item, state: state, url: url)
    }

    private func reports() throws(Failure) -> [StoredRequest] {
        var reports: [StoredRequest] = []
        var blocked: Set<Lane> = []
        try forEachItem { item in
            reports.append(report(item, state(of: item, &blocked)))
            return true
        }
        return reports
    }

    /// - Parameter blocked: The lanes with a dead letter before this item.
    private func state(
        of item: OutboxItem, _ blocked: inout Set<Lane>
    ) -> StoredRequest.State {
        let lane = definition.isStrict ? Lane(named: "") : item.entry.lane
        switch item.state {
        case .dead:
            if !definition.passesDeadHeads { blocked.insert(lane) }
            return .dead
        case .inFlight: return .sending
        case .waiting:
            return blocked.contains(lane) || !item.dependencies.isEmpty ? .blocked : .waiting
        }
    }
}

package import RestwayObjects

/// A query with a condition that the outbox answers.
package struct HostQuery: Sendable {
    package var query: Query
    /// Selects only rejected objects, or only the others; `nil` selects all.
    package var isRejected: Bool?

    package init(_ query: Query) {
        self.query = query
    }
}

/// Rejected objects: those whose change the server has refused.
extension ObservedStore {
    /// Whether a dead letter of the outbox is about the object.
    package func isRejected(_ object: Snapshot) throws(Failure) -> Bool {
        guard try holds(object), let outbox = try outboxToAsk() else { return false }
        return try outbox.isRejected(object)
    }

    package func objects(_ query: HostQuery) throws(Failure) -> [Snapshot] {
        try objects(resolved(query))
    }

    package func count(_ query: HostQuery) throws(Failure) -> Int {
        try count(resolved(query))
    }

    private func resolved(_ host: HostQuery) throws(Failure) -> Query {
        var query = host.query
        guard let isRejected = host.isRejected else { return query }
        let keys = try outboxToAsk()?.rejectedKeys(of: query.entity) ?? []
        query.selection = isRejected ? .only(keys) : .without(keys)
        return query
    }
}

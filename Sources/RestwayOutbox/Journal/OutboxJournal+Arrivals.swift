import RestwaySQLite
import RestwayThreads

/// The items that the server may have received.
extension OutboxJournal {
    /// Whether an item was taken by this sender and has no result yet.
    func isInFlight(_ id: Int64) -> Bool { sending.withLock { $0.inFlight[id] != nil } }

    /// Notes that the items in flight may have arrived, because the client is closed before their
    /// answers come. It does not wait for the disk: `finishWrites` does.
    func noteArrivals() {
        let flights = sending.withLock { sending in
            sending.inFlight.map { (id: $0.key, attempts: $0.value.attempts) }
        }
        guard !flights.isEmpty else { return }
        writes.submit(.other, { (transaction) throws(OutboxError) in
            try transaction.beginChange()
            try transaction.noteArrivals(flights)
        }, { _ in })
    }

    /// Deletes an item, and the items that wait for its object, unless the server may have it.
    ///
    /// - Returns: The deleted items; empty if the item stays or is no longer stored.
    func dropUnsent(_ id: Int64) throws(OutboxError) -> OutboxDropped {
        // Another process may be sending it at this moment.
        guard try becomeSender() else { return OutboxDropped() }
        return try sending.withLock { (sending) throws(OutboxError) in
            // An item is taken under the same lock.
            guard sending.inFlight[id] == nil, !sending.mayHaveSentBefore(id) else {
                return OutboxDropped()
            }
            sending.ahead = nil
            return try change { (transaction) throws(OutboxError) in
                guard let item = try transaction.item(id), item.state != .parked,
                    item.entry.progress.attempts == 0, !item.entry.progress.mayHaveArrived
                else { return OutboxDropped() }
                return try transaction.drop([id])
            }
        }
    }
}

extension JournalTransaction {
    /// Notes that the server may know items that were on their way, and counts that attempt. An
    /// item that has other attempts by now has got its result.
    func noteArrivals(_ flights: [(id: Int64, attempts: Int64)]) throws(OutboxError) {
        for flight in flights where try wasReady(flight.id) {
            try file.run(
                "UPDATE item SET attempts = attempts + 1, "
                    + "mayHaveArrived = \(ItemRow.MayHaveArrived.yes) "
                    + "WHERE id = ?1 AND attempts = ?2 AND state = 0",
                .integer(flight.id), .integer(flight.attempts))
        }
    }
}

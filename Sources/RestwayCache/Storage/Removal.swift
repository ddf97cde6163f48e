/// Which entries are removed: those that match every property that is not `nil`.
struct Removal: Sendable, Equatable {
    var id: Int64?
    /// A normalised URL.
    var url: String?
    var route: String?
    /// See `OwnerText`.
    var owner: String?
    /// Entries whose answers arrived at this time or before, in microseconds since 1970.
    var before: Int64?

    static let everything = Removal()

    func matches(_ label: EntryLabel, id: Int64, time: Int64) -> Bool {
        if let url, url != label.url { return false }
        if let route, route != label.route { return false }
        if let before, time > before { return false }
        if let ownID = self.id, ownID != id { return false }
        guard let owner else { return true }
        return owner == OwnerText.undiscriminated
            ? OwnerText.discriminator(of: label.owner) == nil
            : owner.utf8.elementsEqual(label.owner.utf8)
    }

    func matches(_ answer: KeptAnswer) -> Bool {
        matches(answer.label, id: answer.id, time: answer.head.responseTime)
    }
}

/// The removals of the last time, so that an answer whose request left before one of them is not
/// kept after it, and so that a removal need not look at all entries at once.
struct RemovalLog {
    private struct Entry {
        let number: Int64
        let removal: Removal
        /// The exchange whose answer made the removal.
        let cause: ObjectIdentifier?
        /// Whether another process wrote the removal to the file.
        let isForeign: Bool
    }

    private static let countMax = 1_024

    /// The number of the last removal.
    private(set) var last: Int64 = 0
    /// All removals up to this one are in the file, too.
    private(set) var written: Int64 = 0
    /// The last removal that is no longer here.
    private var forgotten: Int64 = 0
    private var entries: [Entry] = []

    mutating func add(
        _ removal: Removal, cause: ObjectIdentifier?, isForeign: Bool
    ) -> Int64 {
        last += 1
        entries.append(
            Entry(number: last, removal: removal, cause: cause, isForeign: isForeign))
        if isForeign, written == last - 1 { written = last }
        return last
    }

    mutating func noteWritten(_ number: Int64) {
        guard number > written else { return }
        written = number
        for entry in entries where entry.number == written + 1 && entry.isForeign { written += 1 }
    }

    /// Returns whether a row that was read when `written` was `number` is in fact gone.
    func removesRow(_ answer: KeptAnswer, since number: Int64) -> Bool {
        guard number < last else { return false }
        return entries.contains {
            $0.number > number && !$0.isForeign && $0.removal.matches(answer)
        }
    }

    /// Returns whether an answer to a request that left after the removal `number` is gone since
    /// then.
    func removes(
        _ label: EntryLabel, id: Int64, time: Int64, since number: Int64,
        except cause: ObjectIdentifier? = nil
    ) -> Bool {
        guard number < last else { return false }
        if number < forgotten { return true }
        return entries.reversed().prefix { $0.number > number }.contains {
            (cause == nil || $0.cause != cause) && $0.removal.matches(label, id: id, time: time)
        }
    }

    var isFull: Bool { entries.count >= Self.countMax }

    /// Forgets the older half, after it has been applied to everything in memory. Removals that the
    /// file does not take become one that covers them all.
    mutating func shorten() {
        let half = entries[entries.count / 2].number
        if half <= written {
            entries.removeAll { $0.number <= half }
            forgotten = half
        } else {
            entries = [
                Entry(number: last, removal: .everything, cause: nil, isForeign: false)
            ]
            forgotten = written
        }
    }
}

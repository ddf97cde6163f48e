/// An edit that a store knows.
package struct EditRecord: Equatable, Sendable {
    /// Its place among all edits of the store; see `Cover.Layer`.
    package let place: Int64
    /// Whether the server has refused the edit.
    package var isSuspended: Bool
    /// Whether the edit waits for a decision of the program.
    package var isParked: Bool

    package init(place: Int64, isSuspended: Bool = false, isParked: Bool = false) {
        self.place = place
        self.isSuspended = isSuspended
        self.isParked = isParked
    }
}

/// A pending edit of an outbox, as the store lists it.
package struct ListedEdit: Equatable, Sendable {
    package let id: EditID
    /// Whether the server has refused the edit.
    package let isSuspended: Bool
    /// Whether the edit waits for a decision of the program.
    package let isParked: Bool

    package init(_ id: EditID, _ record: EditRecord) {
        self.id = id
        isSuspended = record.isSuspended
        isParked = record.isParked
    }
}

/// The pending edits inside a store, for a commit.
///
/// A store keeps an edit until a step ends it, also if all objects of the edit have been deleted:
/// an edit that the store does not know is laid again.
package protocol EditTarget {
    /// Whether any object has edits.
    var coversObjects: Bool { get }
    /// Whether the object with this store key has edits.
    func isCovered(_ key: Int64) -> Bool

    mutating func cover(of object: Snapshot) throws(StoreError) -> Cover
    /// Sets the cover of an object, in place of an earlier one. An empty cover ends.
    mutating func setCover(_ cover: Cover, of object: Snapshot) throws(StoreError)

    mutating func record(of edit: EditID) throws(StoreError) -> EditRecord?
    /// Sets the record of an edit; `nil` ends the edit, whose layers have ended before.
    mutating func setRecord(_ record: EditRecord?, of edit: EditID) throws(StoreError)
    /// Returns the place for an edit over all others, or directly under another edit.
    mutating func place(under other: EditID?) throws(StoreError) -> Int64
    /// Returns the objects that an edit is about.
    mutating func objects(of edit: EditID) throws(StoreError) -> [Snapshot]
    /// Returns the objects of an entity, or all objects, that have edits.
    mutating func coveredObjects(_ entity: Entity?) throws(StoreError) -> [Snapshot]
}

/// The places of edits, which leave room for edits that are laid between them.
package enum EditPlaces {
    private static let distance: Int64 = 1 << 32

    /// Returns the place over all edits.
    package static func over(_ last: Int64?) -> Int64 { (last ?? 0) + distance }

    /// Returns a place between two edits.
    package static func between(_ lower: Int64?, _ upper: Int64) -> Int64 {
        guard let lower else { return upper - distance }
        return lower + (upper - lower) / 2
    }
}

extension EditTarget {
    /// Returns the object with the values of the server.
    mutating func confirmed(_ object: Snapshot?) throws(StoreError) -> Snapshot? {
        guard let object, isCovered(object.storeKey) else { return object }
        return try cover(of: object).confirmed(object)
    }
}

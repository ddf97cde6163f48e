package import RestwayObjects

/// The server's identity of an object that was made offline.
package struct OutboxIdentity: Equatable, Sendable {
    /// A number that grows with each identity of a file. A reader continues after the last one it
    /// has seen.
    package let number: Int64
    package let local: LocalID
    package let identity: Identity
    /// The entity of the item that created the object.
    package let entity: String?
    package let storeKey: Int64?

    package init(
        number: Int64, local: LocalID, identity: Identity, entity: String?, storeKey: Int64?
    ) {
        self.number = number
        self.local = local
        self.identity = identity
        self.entity = entity
        self.storeKey = storeKey
    }
}

/// An object that a request creates beside its own object, because it was written inside that
/// object.
package struct OutboxCompanion: Equatable, Sendable {
    package let local: LocalID
    package let entity: String
    package let storeKey: Int64

    package init(local: LocalID, entity: String, storeKey: Int64) {
        self.local = local
        self.entity = entity
        self.storeKey = storeKey
    }
}

package import RestwayObjects

/// What the server calls an object that was made offline.
package struct OutboxIdentity: Equatable, Sendable {
    /// Grows with each of a file: to go on behind it.
    package let number: Int64
    package let local: LocalID
    package let identity: Identity
    /// Of the item that created it.
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

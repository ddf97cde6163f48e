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

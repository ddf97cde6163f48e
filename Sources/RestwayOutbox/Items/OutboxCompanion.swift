/// An object that a request makes beside the one that it is about: it was written inside of that.
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

package import RestwayObjects

/// An object that was written whole, as far as its answer has to be matched with it.
package struct SentObject: Sendable {
    /// One link that was written.
    package struct Link: Sendable {
        /// Of the object at its end, when that was written.
        package let identity: Identity?
        /// The object at its end, if it was written whole here: its index in the list of all.
        package let object: Int?

        package init(identity: Identity?, object: Int?) {
            self.identity = identity
            self.object = object
        }
    }

    package let entity: Entity
    /// 0 when no store knew it.
    package let storeKey: Int64
    package let identity: Identity?
    /// Of a draft, its number in the capture.
    package let member: Int?
    /// The cells that a descriptor or the host left out.
    package internal(set) var withheld: Set<Int> = []
    /// The relationships that were written, and what they led to, in the order of the payload.
    package internal(set) var links: [(relationship: Int, links: [Link])] = []

    package init(
        entity: Entity, storeKey: Int64, identity: Identity?, member: Int? = nil,
        links: [(relationship: Int, links: [Link])] = []
    ) {
        self.entity = entity
        self.storeKey = storeKey
        self.identity = identity
        self.member = member
        self.links = links
    }
}

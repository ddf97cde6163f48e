package import RestwayObjects

/// An object that was written whole, with the facts that match it with its answer.
package struct SentObject: Sendable {
    /// One link that was written.
    package struct Link: Sendable {
        /// The identity of the linked object at the time of writing.
        package let identity: Identity?
        /// The index of the linked object among all sent objects, if it was written whole at this
        /// place.
        package let object: Int?

        package init(identity: Identity?, object: Int?) {
            self.identity = identity
            self.object = object
        }
    }

    package let entity: Entity
    /// The store key; 0 if no store knew the object.
    package let storeKey: Int64
    package let identity: Identity?
    /// The number of a draft in the capture; nil for other objects.
    package let member: Int?
    /// The cells that a descriptor or the host left out.
    package internal(set) var withheld: Set<Int> = []
    /// The written relationships and their links, in the order of the payload.
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

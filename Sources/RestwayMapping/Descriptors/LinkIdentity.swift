/// The parts of the identity of linked objects that stand in attributes of the object with the
/// link.
package struct LinkIdentity: Sendable, Equatable {
    package struct Part: Sendable, Equatable {
        /// The attribute of the linked objects.
        package let attribute: Int
        /// The name of the attribute of the object with the link.
        package let name: String
        /// The index of the attribute with this name.
        package var own: Int

        package init(attribute: Int, name: String, own: Int = 0) {
            self.attribute = attribute
            self.name = name
            self.own = own
        }
    }

    package var parts: [Part]
    /// The attribute of the linked objects that a single value in the JSON stands for; nil if the
    /// JSON has linked objects whole.
    package let scalar: Int?
    /// Whether the parts are the whole identity, so that the attributes alone make the link.
    package let isWhole: Bool
    /// Whether the JSON has a place for the link.
    package let isRead: Bool

    package init(parts: [Part], scalar: Int?, isWhole: Bool, isRead: Bool) {
        self.parts = parts
        self.scalar = scalar
        self.isWhole = isWhole
        self.isRead = isRead
    }

    /// Returns the same parts with the indices of the attributes of an entity.
    package func placed(_ indices: [String: Int]) -> LinkIdentity {
        var placed = self
        for place in parts.indices { placed.parts[place].own = indices[parts[place].name] ?? 0 }
        return placed
    }
}

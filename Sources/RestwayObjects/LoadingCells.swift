/// The cells of an entity that a link cannot give a value: an object that has none of them has
/// nothing but its identity.
package struct LoadingCells: Sendable {
    /// The cells of the whole family: all attributes and relationships but the parts of the
    /// identity, the attributes that come from elsewhere, and the constants, which are the same for
    /// every object. It is empty if objects have no identity.
    package let cells: [Int]
    /// Whether the entity itself has any of the cells. It has none of them if it has no identity,
    /// or nothing but the identity.
    package let areOwned: Bool

    /// - Parameter identity: The attributes that identify objects; `nil` if no attribute does.
    init(
        _ attributes: [Attribute], valueCount: Int, identity: [Int]?, of shape: EntityShape
    ) {
        guard let identity else {
            (cells, areOwned) = ([], false)
            return
        }
        let cells = (0..<valueCount).filter { cell in
            guard cell < attributes.count else { return true }
            return !identity.contains(cell) && attributes[cell].origin == nil
                && attributes[cell].rules.constant == nil
        }
        self.cells = cells
        areOwned = cells.contains(where: shape.owns)
    }
}

extension Entity {
    /// Whether a link loads the object that it names, because the entity has nothing but its
    /// identity, which the link says.
    package var isLoadedByLinks: Bool { !loadingCells.areOwned }
}

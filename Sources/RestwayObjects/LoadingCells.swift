/// The cells of an entity that tell whether an object is *loaded*: an object is loaded if one of
/// them is present. An object with an identity that has none of them is *known by its identity
/// alone*: as a rule, only links of other objects have named it.
package struct LoadingCells: Sendable {
    /// The cells of the whole family: all attributes and relationships but the parts of the
    /// identity, the attributes that come from elsewhere, and the constants, which are the same for
    /// every object. It is empty if objects have no identity.
    package let cells: [Int]
    /// Whether an object of the entity needs one of the cells. It does not if the entity has no
    /// identity, or nothing but the identity.
    package let isNeeded: Bool

    /// - Parameter identity: The attributes that identify objects; `nil` if no attribute does.
    init(
        _ attributes: [Attribute], valueCount: Int, identity: [Int]?, of shape: EntityShape
    ) {
        guard let identity else {
            (cells, isNeeded) = ([], false)
            return
        }
        let cells = (0..<valueCount).filter { cell in
            guard cell < attributes.count else { return true }
            return !identity.contains(cell) && attributes[cell].origin == nil
                && attributes[cell].rules.constant == nil
        }
        self.cells = cells
        isNeeded = cells.contains(where: shape.owns)
    }
}

extension Snapshot {
    /// Whether the object is more than its identity: it has another value or a link, or its entity
    /// has nothing else. An object without identity is loaded.
    package var isLoaded: Bool {
        let loading = entity.loadingCells
        guard loading.isNeeded else { return true }
        // Nearly every loaded object has the first of them.
        if !cell(at: loading.cells[0]).isAbsent || identityCell.kind == .null { return true }
        return loading.cells.contains { !cell(at: $0).isAbsent }
    }
}

import RestwayDocument
package import RestwayObjects
package import RestwayOutcome

/// Choices that a program makes by the names of attributes and relationships.
extension Conflict {
    /// Chooses a side for an attribute or a relationship that is in conflict; without a name for
    /// everything that has no choice of its own.
    package func choose(_ choice: Choice, named name: String?) throws(Failure) {
        guard let name else { return choose(choice) }
        choose(choice, cell: try cell(named: name))
    }

    /// Chooses a value for an attribute or a relationship that is in conflict.
    ///
    /// - Parameter set: Sets the attribute or relationship of a cell in a draft, which checks the
    ///   value.
    package func choose(
        valueNamed name: String, _ set: (Draft, Int) throws(Failure) -> Void
    ) throws(Failure) {
        let cell = try cell(named: name)
        let draft = Draft(copying: mine)
        try set(draft, cell)
        choose(.value(draft.snapshot().value(at: cell)), cell: cell)
    }

    private func cell(named name: String) throws(Failure) -> Int {
        let cell =
            if let relationship = entity.ownRelationshipIndex(named: name) {
                entity.attributes.count + relationship
            } else {
                try entity.ownAttribute(named: name)
            }
        guard !cells.contains(cell) else { return cell }
        let reason =
            kind == .attributes
            ? "\(entity.name).\(name) is not in conflict"
            : "the conflict is about the \(entity.name) as a whole, and not about its \(name)"
        throw Failure(.invalidArgument, reason, field: name)
    }
}

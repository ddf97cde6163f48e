import RestwayDocument
import RestwayObjects
import RestwayOutcome

extension Object {
    /// The objects that a relationship leads to.
    public enum Relationship: Sendable, Hashable {
        /// No answer has said where the relationship leads.
        case unknown
        /// A relationship to one object; `nil` if it leads to no object.
        case one(Object?)
        /// A relationship to many objects, in their order.
        case many([Object])
    }

    /// A relationship and the objects that it leads to, as the store has them now.
    ///
    /// - Throws: A `RestwayError`: `unknownAttribute` if the entity has no relationship called
    ///   `name`, or `store`.
    public func relationship(_ name: String) throws(RestwayError) -> Relationship {
        let index = try RestwayError.explaining { () throws(Failure) in
            try snapshot.entity.relationship(named: name)
        }
        let cell = snapshot.cell(at: snapshot.entity.attributes.count + index)
        guard !cell.isAbsent else { return .unknown }
        let objects = cell.kind == .null ? [] : try related(name)
        return snapshot.entity.relationships[index].isMany ? .many(objects) : .one(objects.first)
    }
}

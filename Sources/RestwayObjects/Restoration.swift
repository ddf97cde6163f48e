/// A step that undoes a change: it gives an object its value from before the change, if the object
/// still has the value that the change gave it.
///
/// A store decides that under its own lock: a value that somebody else has changed meanwhile stays.
package struct Restoration: Sendable {
    package enum Target: Sendable {
        /// The object itself, which did not exist before. It is deleted unless a server has
        /// answered for it.
        case object
        /// One attribute or relationship, by the index of its cell.
        case cell(Int, from: Value, to: Value)
    }

    package let entity: Entity
    package let storeKey: Int64
    package let target: Target
    /// Whether the step is skipped once a server has answered for the object.
    package let needsUnsent: Bool

    package init(_ entity: Entity, storeKey: Int64, _ target: Target, needsUnsent: Bool = false) {
        self.entity = entity
        self.storeKey = storeKey
        self.target = target
        self.needsUnsent = needsUnsent
    }

    /// Returns the row that replaces `object`; `nil` if the object has another value by now. An
    /// identity stays: the server's name for an object is kept.
    func applied(to object: Snapshot) -> Snapshot? {
        guard case .cell(let index, let given, let earlier) = target, index < object.cellCount,
            index != object.entity.identityIndex, object.value(at: index).isSame(as: given),
            !given.isSame(as: earlier)
        else { return nil }
        var values = (0..<object.cellCount).map { object.value(at: $0) }
        values[index] = earlier
        return Snapshot.make(object.entity, values)
    }
}

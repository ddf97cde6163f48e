import Glibc

/// The entities that describe the same objects: the base, which extends no entity, and the entities
/// that extend it or each other. Each is a *shape* of these objects. An entity that nothing extends
/// is a family of its own.
///
/// The entities of a family have one layout: each has the cells of all of them, so that the
/// snapshots of one object agree on the places of values, whichever shapes have brought it. A
/// further cell holds the shapes that have brought the object.
///
/// `@unchecked Sendable`: nothing changes after `init`, not even the C strings.
package final class EntityFamily: @unchecked Sendable {
    package struct Member: Sendable {
        package let name: String
        /// The index of the entity in its model.
        package let index: Int
        /// The number of the entity that it extends; `nil` for the base of the family.
        package let base: Int?
        /// The member and the entities that it extends.
        package let shapes: ShapeSet
        /// The number of entities that it extends, one above the other.
        package let depth: Int
    }

    /// The most entities of a family: a set of them is one integer that is not negative.
    package static let membersMax = 63

    /// The members by their numbers, each after the entity that it extends. The base is the first.
    package let members: [Member]

    /// The names of the members for C. They lie in one block.
    private let nameCStrings: [UnsafePointer<CChar>]

    /// - Parameter members: The members, each after the entity that it extends.
    package init(_ members: [(name: String, index: Int, base: Int?)]) {
        precondition(!members.isEmpty && members.count <= Self.membersMax)
        var known: [Member] = []
        for (number, member) in members.enumerated() {
            let base = member.base.map { known[$0] }
            known.append(
                Member(
                    name: member.name, index: member.index, base: member.base,
                    shapes: ShapeSet(bits: (base?.shapes.bits ?? 0) | 1 << Int64(number)),
                    depth: base.map { $0.depth + 1 } ?? 0))
        }
        self.members = known
        nameCStrings = Entity.cStrings(known.map(\.name))
    }

    deinit {
        nameCStrings[0].deallocate()
    }

    /// Returns the name of a member, valid while the family lives.
    package func nameCString(of number: Int) -> UnsafePointer<CChar> { nameCStrings[number] }

    /// The name of the base.
    package var name: String { members[0].name }

    /// Whether the family has one entity only.
    package var isAlone: Bool { members.count == 1 }

    /// Returns the number of the entity with this index in the model.
    package func number(ofIndex index: Int) -> Int? { members.firstIndex { $0.index == index } }

    /// Returns the members of a set and the entities that they extend.
    package func closed(_ shapes: ShapeSet) -> ShapeSet {
        var all = shapes.bits
        for (number, member) in members.enumerated() where shapes.contains(number) {
            all |= member.shapes.bits
        }
        return ShapeSet(bits: all)
    }

    /// Returns the number of the member that an object has as its entity if `shapes` have brought
    /// it: of the members that extend the most entities one above the other, the first.
    package func mostSpecific(_ shapes: ShapeSet) -> Int {
        var found = 0
        for (number, member) in members.enumerated()
        where shapes.contains(number) && member.depth > members[found].depth {
            found = number
        }
        return found
    }
}

/// A set of the entities of one family, by their numbers.
package struct ShapeSet: Equatable, Sendable {
    package let bits: Int64

    package init(bits: Int64) {
        self.bits = bits
    }

    package func contains(_ number: Int) -> Bool { bits >> Int64(number) & 1 != 0 }

    package func union(_ other: ShapeSet) -> ShapeSet { ShapeSet(bits: bits | other.bits) }

    package func isSuperset(of other: ShapeSet) -> Bool { other.bits & ~bits == 0 }
}

/// The place of an entity in its family.
package struct EntityShape: Sendable {
    package let family: EntityFamily
    /// The number of the entity in the family.
    package let number: Int
    /// The entity and the entities that it extends.
    package let shapes: ShapeSet
    /// The index of the cell that holds the shapes of an object; nil for an entity that is alone.
    let cell: Int?
    /// The index of the cell that holds an identity of several parts; nil if the identity is one
    /// attribute, or if objects have no identity.
    let identityCell: Int?
    /// The number of cells of an object.
    let cellCount: Int
    /// Whether the entity has each cell itself, or by an entity that it extends.
    private let ownCells: [Bool]

    /// - Parameter ownCells: A value for each attribute and relationship; empty if the entity has
    ///   all of them.
    init(
        _ family: EntityFamily, _ number: Int, valueCount: Int, ownCells: [Bool],
        hasIdentityCell: Bool
    ) {
        precondition(ownCells.isEmpty || ownCells.count == valueCount)
        self.family = family
        self.number = number
        self.ownCells = ownCells
        shapes = family.members[number].shapes
        cell = family.isAlone ? nil : valueCount
        let otherCount = family.isAlone ? valueCount : valueCount + 1
        identityCell = hasIdentityCell ? otherCount : nil
        cellCount = hasIdentityCell ? otherCount + 1 : otherCount
    }

    func owns(_ cell: Int) -> Bool { ownCells.isEmpty || ownCells[cell] }
}

extension Entity {
    package var family: EntityFamily { shape.family }

    /// Whether the entity extends no other entity.
    package var isBase: Bool { shape.number == 0 }

    /// The number of entities that it extends, one above the other.
    package var depth: Int { family.members[shape.number].depth }

    /// The name of the entity that this entity extends; `nil` for a base.
    package var baseName: String? {
        family.members[shape.number].base.map { family.members[$0].name }
    }

    /// The number of attributes and relationships, each of which has a cell.
    package var valueCount: Int { attributes.count + relationships.count }

    /// The cells of the relationships, which follow the cells of the attributes.
    package var relationshipCells: Range<Int> { attributes.count..<valueCount }

    /// Whether the entity itself, and not only another shape of its family, has the attribute or
    /// relationship of this cell.
    package func owns(cell: Int) -> Bool { shape.owns(cell) }

    /// The indices of the attributes that the entity declares or inherits.
    package var ownAttributes: [Int] { attributes.indices.filter(owns(cell:)) }

    /// The indices of the relationships that the entity declares or inherits.
    package var ownRelationships: [Int] {
        relationships.indices.filter { owns(cell: attributes.count + $0) }
    }

    /// Whether both describe the same objects.
    @inline(__always)
    package func isOfFamily(of other: Entity) -> Bool {
        self === other || family === other.family
    }

    /// Whether the entity is `other`, or extends it.
    package func isA(_ other: Entity) -> Bool {
        self === other || family === other.family && shape.shapes.contains(other.shape.number)
    }

    /// Whether the entity is called `name`, or extends an entity of this name.
    package func isA(named name: String) -> Bool {
        family.members.firstIndex { $0.name == name }.map(shape.shapes.contains) ?? false
    }

    /// Returns whether `relationship` leads to objects of the family of `other`.
    package func leads(_ relationship: Relationship, toFamilyOf other: Entity) -> Bool {
        guard model === other.model else { return false }
        return relationship.targets.contains { target in
            target == other.index
                || !other.family.isAlone && other.family.number(ofIndex: target) != nil
        }
    }
}

extension Entity {
    /// Returns the most specific entity that has brought all objects, as its number in the family
    /// of the first object; `nil` if there are no objects. Objects of other families are ignored.
    package static func common(
        to objects: ArraySlice<Snapshot>
    ) -> (family: EntityFamily, number: Int)? {
        guard let first = objects.first else { return nil }
        let family = first.entity.family
        if family.isAlone { return (family, 0) }
        var common = first.shapes.bits
        for object in objects where object.entity.family === family {
            common &= object.shapes.bits
        }
        return (family, family.mostSpecific(ShapeSet(bits: common)))
    }
}

extension [Entity] {
    /// Returns the place of the entity as which an object counts at the other end of a relationship
    /// to these entities. It is the most specific entity that has brought the object, and the first
    /// one in the document if several are equally specific; `nil` if no entity of the list has
    /// brought the object.
    package func place(ofObjectIn family: EntityFamily, _ shapes: ShapeSet) -> Int? {
        if count == 1 { return 0 }
        let fitting = indices.filter { place in
            let entity = self[place]
            return entity.family === family && shapes.contains(entity.shape.number)
        }
        // The numbers of a family go from its base to the entities that extend the most others.
        return fitting.max { first, second in
            let (own, other) = (self[first], self[second])
            return own.depth == other.depth
                ? own.shape.number > other.shape.number : own.depth < other.depth
        }
    }
}

extension Snapshot {
    /// The shapes that have brought the object, and the entities that they extend.
    package var shapes: ShapeSet {
        guard let cell = entity.shape.cell else { return entity.shape.shapes }
        return ShapeSet(bits: cells[cell].integer)
    }

    /// Whether `entity`, or an entity that extends it, has brought the object.
    package func isA(_ entity: Entity) -> Bool {
        if isOf(entity) { return true }
        return entity.family === self.entity.family && shapes.contains(entity.shape.number)
    }

    /// Whether an entity with this name, or an entity that extends it, has brought the object.
    package func isA(named name: String) -> Bool {
        let members = entity.family.members
        return members.firstIndex { $0.name == name }.map(shapes.contains) ?? false
    }

    /// The same for a name from C, without making a `String` if it is the name of the object's
    /// entity.
    package func isA(cString name: UnsafePointer<CChar>) -> Bool {
        strcmp(entity.nameCString, name) == 0
            || String(validatingCString: name).map(isA(named:)) ?? false
    }

    /// Returns the entity that an object has that both shapes have brought.
    func entity(with other: Snapshot) -> Entity {
        let (own, its) = (entity, other.entity)
        guard own !== its else { return own }
        let all = shapes.union(other.shapes)
        return own.family.mostSpecific(all) == own.shape.number ? own : its
    }
}

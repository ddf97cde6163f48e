import RestwayObjects
import RestwaySQLite

/// The entities of one family in a file: the objects of all of them are in one table, whose column
/// `_shapes` says which of them have brought an object.
///
/// The file gives each shape a number of its own (`restway_shapes`), which stays when the document
/// adds, removes or reorders shapes.
struct StoredShapes: Sendable {
    /// The most shapes that a file knows of one family.
    static let shapesMax = EntityFamily.membersMax

    /// The entities of the family by their numbers.
    let entities: [Entity]
    /// The index of the cell that holds the shapes.
    let cell: Int
    /// The quoted name of the column.
    let columnName: String
    /// The numbers in the file by the numbers in the family.
    private let numbers: [Int]
    /// The shapes of the file that the document no longer has.
    let resting: ShapeSet

    /// - Parameter stored: The numbers of all shapes that the file knows, by their names.
    /// - Returns: `nil` if the file does not know one of the entities.
    init?(_ entities: [Entity], cell: Int, columnName: String, stored: [String: Int]) {
        let numbers = entities.compactMap { stored[$0.name] }
        guard numbers.count == entities.count else { return nil }
        self.entities = entities
        self.cell = cell
        self.columnName = columnName
        self.numbers = numbers
        let used = Set(numbers)
        resting = ShapeSet(
            bits: stored.values.filter { !used.contains($0) }.reduce(0) { $0 | 1 << Int64($1) })
    }

    /// Returns the shapes of an object from the value of its column. The base has brought every
    /// object.
    func shapes(_ stored: Cell) -> ShapeSet {
        let family = entities[0].family
        guard stored.kind == .int64 else { return family.members[0].shapes }
        let stored = ShapeSet(bits: stored.integer)
        var bits = family.members[0].shapes.bits
        for (number, place) in numbers.enumerated() where stored.contains(place) {
            bits |= family.members[number].shapes.bits
        }
        return ShapeSet(bits: bits)
    }

    /// Returns the value of the column for the shapes of an object.
    func stored(_ shapes: Cell) -> Cell {
        let shapes = ShapeSet(bits: shapes.integer)
        var bits: Int64 = 0
        for (number, place) in numbers.enumerated() where shapes.contains(number) {
            bits |= 1 << Int64(place)
        }
        return .int64(bits)
    }

    /// Returns the entity of an object that `shapes` have brought.
    func entity(_ shapes: ShapeSet) -> Entity {
        entities[entities[0].family.mostSpecific(shapes)]
    }

    /// Returns the condition, in SQL, that `entity` or an entity that extends it has brought an
    /// object.
    func condition(_ entity: Entity) -> String {
        var bits: Int64 = 0
        for (number, member) in entity.family.members.enumerated()
        where member.shapes.contains(entity.shape.number) {
            bits |= 1 << Int64(numbers[number])
        }
        return "(\(columnName) & \(bits)) <> 0"
    }
}

extension StoredShapes {
    /// Returns the condition, in SQL, that an object has an entity for which `isWanted` is true.
    func condition(ofEntity isWanted: (Entity) -> Bool) -> String {
        let family = entities[0].family
        // An object has the first entity of this order that has brought it.
        let ordered = entities.indices.dropFirst().sorted { first, second in
            let (own, other) = (family.members[first].depth, family.members[second].depth)
            return own == other ? first < second : own > other
        }
        let cases = ordered.map { number in
            "WHEN \(columnName) >> \(numbers[number]) & 1 "
                + "THEN \(isWanted(entities[number]) ? 1 : 0)"
        }
        let base = isWanted(entities[0]) ? "1" : "0"
        return cases.isEmpty ? base : "CASE \(cases.joined(separator: " ")) ELSE \(base) END"
    }
}

extension TableLayout {
    /// Returns the condition, in SQL, for the objects of `entity`; `nil` if the table holds no
    /// other objects.
    func condition(_ entity: Entity) -> String? {
        entity.isBase ? nil : shapes?.condition(entity)
    }
}

/// One family of the entities of a document.
struct StoredFamily {
    let base: Entity
    /// The base and its shapes by their numbers.
    let entities: [Entity]

    /// Returns the families of `entities` in the order of their bases.
    static func all(_ entities: [Entity]) -> [StoredFamily] {
        var members: [ObjectIdentifier: [Entity]] = [:]
        for entity in entities where !entity.family.isAlone {
            members[ObjectIdentifier(entity.family), default: []].append(entity)
        }
        return entities.filter(\.isBase).map { base in
            let all = members[ObjectIdentifier(base.family)] ?? [base]
            return StoredFamily(
                base: base, entities: all.sorted { $0.shape.number < $1.shape.number })
        }
    }
}

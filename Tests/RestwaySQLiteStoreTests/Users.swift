import RestwayObjects

/// A family of entities: a user, two entities that extend it, and one that extends one of these.
struct Users {
    enum Shape: Int, CaseIterable {
        case user, member, bot, admin
    }

    /// The cells of all of them, and the entities that have each cell by themselves.
    static let attributes: [(name: String, type: AttributeType, owner: Shape)] = [
        ("id", .int, .user), ("login", .string, .user), ("email", .string, .member),
        ("plan", .any, .member), ("token", .string, .bot), ("rights", .json, .admin),
    ]
    static let relationships: [(name: String, target: Shape, isMany: Bool, owner: Shape)] = [
        ("friends", .user, true, .user), ("boss", .member, false, .bot),
    ]

    let all: [Entity]

    subscript(shape: Shape) -> Entity { all.first { $0.name == Self.name(shape) }! }

    /// - Parameters:
    ///   - shapes: The entities that the document has.
    ///   - model: The model, which a later document does not share.
    init(_ shapes: [Shape] = Shape.allCases, model: EntityModel = EntityModel()) {
        let attributes = Self.attributes.filter { shapes.contains($0.owner) }
        let relationships = Self.relationships.filter { shapes.contains($0.owner) }
        let family = EntityFamily(
            shapes.enumerated().map { place, shape in
                (Self.name(shape), place, shape.base.flatMap { shapes.firstIndex(of: $0) })
            })
        all = shapes.enumerated().map { place, shape in
            let owners = attributes.map(\.owner) + relationships.map(\.owner)
            return Entity(
                name: Self.name(shape), index: place,
                attributes: attributes.map { Attribute(name: $0.name, type: $0.type) },
                relationships: relationships.map {
                    Relationship(
                        name: $0.name, targetName: Self.name($0.target),
                        targetIndex: shapes.firstIndex(of: $0.target) ?? 0, isMany: $0.isMany)
                },
                identityIndex: 0, model: model, family: (family, place),
                ownCells: owners.map { shape.extended.contains($0) })
        }
    }

    static func name(_ shape: Shape) -> String {
        switch shape {
        case .user: "User"
        case .member: "Member"
        case .bot: "Bot"
        case .admin: "Admin"
        }
    }

    /// Returns a row with the values of some attributes and relationships.
    func row(
        _ shape: Shape, _ values: [String: Value], isLoaded: Bool = true
    ) -> Snapshot {
        let entity = self[shape]
        return Snapshot.make(
            entity,
            entity.attributes.map { values[$0.name] ?? .absent }
                + entity.relationships.map { values[$0.name] ?? .absent }, isLoaded: isLoaded)
    }
}

extension Users.Shape {
    var base: Users.Shape? {
        switch self {
        case .user: nil
        case .member, .bot: .user
        case .admin: .member
        }
    }

    /// The entity and all entities that it extends.
    var extended: Set<Users.Shape> { Set([self]).union(base?.extended ?? []) }
}

extension Snapshot {
    /// The values that are present, without the cell of shapes.
    var present: [String: Value] {
        var values: [String: Value] = [:]
        let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
        for (index, name) in names.enumerated() where value(at: index) != .absent {
            values[name] = value(at: index)
        }
        return values
    }
}

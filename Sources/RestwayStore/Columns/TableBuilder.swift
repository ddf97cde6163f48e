package import RestwayDocument
package import RestwayObjects
package import RestwayOutcome

/// Collects objects of one entity as a table: a column for each attribute and, to a stated depth,
/// for each relationship. A relationship to one is a column of structs, a relationship to many a
/// column of lists of structs.
package final class TableBuilder {
    /// The most columns of a table. Each level of relationships multiplies them.
    private static let columnsMax = 10_000
    /// How many objects are read column by column: as many as fit into the caches of a processor.
    private static let rowsAtOnce = 256

    fileprivate let entity: Entity
    /// The indices of the attributes and of the relationships that the entity itself has, and not
    /// only another shape of its family.
    private let attributes: [Int]
    private let relationships: [Int]
    private let columns: [AttributeColumn]
    private let links: [LinkBuilder]
    private var count = 0
    private var mask = NullMask()

    /// - Parameter depth: How many relationships the table follows, one behind the other.
    package convenience init(
        _ entity: Entity, depth: Int, of api: API
    ) throws(Failure) {
        var columnCount = 0
        try self.init(entity, depth: depth, of: api, &columnCount)
    }

    private init(
        _ entity: Entity, depth: Int, of api: API, _ columnCount: inout Int
    ) throws(Failure) {
        attributes = entity.ownAttributes
        relationships = depth > 0 ? entity.ownRelationships : []
        columnCount += attributes.count + entity.ownRelationships.count
        guard columnCount <= Self.columnsMax else {
            throw Failure(
                .tooLarge, "a table of this depth has more than \(Self.columnsMax) columns",
                field: "depth")
        }
        self.entity = entity
        columns = attributes.map { AttributeColumn(entity.attributes[$0]) }
        var links: [LinkBuilder] = []
        for relationship in relationships.map({ entity.relationships[$0] }) {
            let members = try api.entities(at: relationship.targets).map {
                (target) throws(Failure) in
                try TableBuilder(target, depth: depth - 1, of: api, &columnCount)
            }
            links.append(LinkBuilder(relationship, members))
        }
        self.links = links
    }

    deinit { mask.free() }

    /// Whether rows are more than the attributes of objects.
    package var followsLinks: Bool { !links.isEmpty }

    /// - Parameter store: The store of the objects; it may be `nil` if no relationship is followed.
    package func append(
        _ objects: ArraySlice<Snapshot>, in store: ObservedStore?
    ) throws(Failure) {
        for start in stride(from: objects.startIndex, to: objects.endIndex, by: Self.rowsAtOnce) {
            let rows = objects[start..<min(start + Self.rowsAtOnce, objects.endIndex)]
            for object in rows where !object.entity.isOfFamily(of: entity) {
                throw Failure(
                    .invalidArgument,
                    "a table has objects of one entity, not of \(entity.name) and "
                        + object.entity.name, field: "list")
            }
            for (place, column) in columns.enumerated() {
                column.append(rows, attribute: attributes[place])
            }
            for _ in rows { mask.appendValue() }
            count += rows.count
            guard let store else { continue }
            for (place, link) in links.enumerated() {
                for object in rows {
                    try link.append(object, relationship: relationships[place], in: store)
                }
            }
        }
    }

    /// Appends a row of attributes. The table must not follow relationships.
    package func append(_ cells: UnsafePointer<Cell>) {
        for (place, column) in columns.enumerated() { column.append(cells[attributes[place]]) }
        mask.appendValue()
        count += 1
    }

    fileprivate func appendNull() {
        for column in columns { column.appendNull() }
        for link in links { link.appendNull() }
        mask.appendNull(after: count)
        count += 1
    }

    /// Returns the table as a column of structs. The builder is empty afterwards.
    package func finish(name: String = "") -> Column {
        let children = columns.map { $0.finish() } + links.map { $0.finish() }
        let nullCount = mask.nullCount
        return Column(
            name: name, format: "+s", count: count, nullCount: nullCount, buffers: [mask.take()],
            children: children)
    }

    fileprivate var rowCount: Int { count }

}

/// Collects the objects of a relationship as structs. If the relationship leads to a union, the
/// struct has a struct for each member, of which one has a value.
private final class MemberBuilder {
    private let members: [TableBuilder]
    private let entities: [Entity]
    private var mask = NullMask()
    private(set) var rowCount = 0

    init(_ members: [TableBuilder]) {
        self.members = members
        entities = members.map(\.entity)
    }

    deinit { mask.free() }

    func append(_ objects: ArraySlice<Snapshot>, in store: ObservedStore) throws(Failure) {
        if members.count == 1 {
            try members[0].append(objects, in: store)
            rowCount = members[0].rowCount
            return
        }
        for object in objects {
            let chosen = entities.place(ofObjectIn: object.entity.family, object.shapes)
            for (place, member) in members.enumerated() {
                if place == chosen {
                    try member.append([object], in: store)
                } else {
                    member.appendNull()
                }
            }
            mask.appendValue()
            rowCount += 1
        }
    }

    func appendNull() {
        for member in members { member.appendNull() }
        mask.appendNull(after: rowCount)
        rowCount += 1
    }

    func finish(name: String) -> Column {
        if members.count == 1 { return members[0].finish(name: name) }
        let children = members.map { $0.finish(name: $0.entity.name) }
        let nullCount = mask.nullCount
        return Column(
            name: name, format: "+s", count: rowCount, nullCount: nullCount,
            buffers: [mask.take()], children: children)
    }
}

/// Collects the objects at the other end of one relationship.
private final class LinkBuilder {
    private let relationship: Relationship
    private let target: MemberBuilder
    /// For a relationship to many: where the list of each object ends.
    private var ends = ValueEnds()
    private var mask = NullMask()
    private var count = 0

    init(_ relationship: Relationship, _ members: [TableBuilder]) {
        self.relationship = relationship
        target = MemberBuilder(members)
    }

    deinit {
        ends.free()
        mask.free()
    }

    func append(
        _ object: Snapshot, relationship index: Int, in store: ObservedStore
    ) throws(Failure) {
        let cell = object.relationshipCell(at: index)
        guard cell.isList || cell.kind == .object else { return appendNull() }
        let related = try store.related(object, relationship: index)
        guard relationship.isMany else {
            if related.isEmpty { return target.appendNull() }
            return try target.append(related.prefix(1), in: store)
        }
        try target.append(related[...], in: store)
        mask.appendValue()
        count += 1
        ends.append(target.rowCount)
    }

    func appendNull() {
        guard relationship.isMany else { return target.appendNull() }
        mask.appendNull(after: count)
        count += 1
        ends.append(target.rowCount)
    }

    func finish() -> Column {
        guard relationship.isMany else { return target.finish(name: relationship.name) }
        let (nullCount, bitmap) = (mask.nullCount, mask.take())
        let (offsets, areLarge) = ends.take()
        return Column(
            name: relationship.name, format: areLarge ? "+L" : "+l", count: count,
            nullCount: nullCount, buffers: [bitmap, offsets],
            children: [target.finish(name: "item")])
    }
}

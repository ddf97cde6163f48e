import RestwayObjects
import RestwaySQLite
import XCTest

/// Documents that change and change back: the last stored values apply.
final class SchemaReturnTests: SQLiteTestCase {
    private let model = EntityModel()

    private func entity(
        _ type: AttributeType?, identity: AttributeType = .int, isMany: Bool? = nil
    ) -> Entity {
        var attributes = [Attribute(name: "id", type: identity)]
        if let type { attributes.append(Attribute(name: "x", type: type)) }
        let relationships = isMany.map {
            [Relationship(name: "next", targetName: "Item", targetIndex: 0, isMany: $0)]
        }
        return Entity(
            name: "Item", index: 0, attributes: attributes, relationships: relationships ?? [],
            identityIndex: 0, model: model)
    }

    private func store(_ rows: [[Value]], of entity: Entity) throws {
        let store = try file.open([entity])
        _ = try store.commit(ChangeSet(rows: rows.map { Snapshot.make(entity, $0) }))
    }

    private func values(as entity: Entity) throws -> [[Value]] {
        try file.open([entity]).objects(Query(entity)).map(\.values)
    }

    func testWhatTheDocumentLostComesBackAsItWas() throws {
        let values: [Value] = [
            .bool(true), .json("{}"), .null, .date(7), .string("{}"), .int64(1), .absent,
        ]
        try store(values.enumerated().map { [.int64(Int64($0)), $1] }, of: entity(.any))
        // Rows that are written meanwhile keep the values that they do not know.
        let without = entity(nil, isMany: true)
        try store((0..<4).map { [.int64($0), .links([])] }, of: without)
        XCTAssertEqual(try self.values(as: without)[0], [.int64(0), .links([])])
        XCTAssertEqual(try self.values(as: entity(.any)).map { $0[1] }, values)
        XCTAssertEqual(try self.values(as: without)[3], [.int64(3), .links([])])
        XCTAssertEqual(try self.values(as: without)[4], [.int64(4), .absent])
    }

    func testValuesKeepTheirMeaningWhenTheTypeChanges() throws {
        let cases: [(AttributeType, AttributeType, [(Value, Value)])] = [
            (.any, .string, [
                (.json("{}"), .absent), (.bool(true), .absent), (.date(7), .absent),
                (.int64(4), .string("4")), (.string("a"), .string("a")),
            ]),
            (.any, .int, [
                (.bool(true), .absent), (.date(7), .absent), (.string("12"), .int64(12)),
                (.json("12"), .absent),
            ]),
            (.any, .bool, [(.bool(false), .bool(false)), (.int64(1), .bool(true))]),
            (.any, .date, [(.date(7), .date(7)), (.int64(7), .absent)]),
            (.any, .json, [(.json("[1]"), .json("[1]")), (.string("[1]"), .absent)]),
            (.any, .double, [(.double(0.5), .double(0.5)), (.bool(true), .absent)]),
            (.any, .bytes, [(.bytes([1]), .bytes([1])), (.string("a"), .absent)]),
            (.bool, .any, [(.bool(true), .bool(true))]),
            (.date, .any, [(.date(7), .date(7))]),
            (.json, .any, [(.json("[]"), .json("[]"))]),
            (.double, .any, [(.double(2), .double(2))]),
            (.double, .int, [(.double(2), .int64(2)), (.double(2.5), .absent)]),
            (.double, .int, [(.double(1e300), .absent)]),
            (.string, .int, [(.string("007"), .absent), (.string("-7"), .int64(-7))]),
        ]
        for (old, new, pairs) in cases {
            file.remove()
            XCTAssertEqual(mkdir(file.directory, 0o700), 0)
            let rows = (pairs.map(\.0) + [.null, .absent]).enumerated()
            try store(rows.map { [.int64(Int64($0)), $1] }, of: entity(old))
            XCTAssertEqual(
                try values(as: entity(new)).map { $0[1] }, pairs.map(\.1) + [.null, .absent],
                "\(old) to \(new)")
        }
    }

    func testARelationshipThatChangesItsNumberTwiceLeadsWhereItLedLast() throws {
        let (many, one) = (entity(nil, isMany: true), entity(nil, isMany: false))
        let lists: [Value] = [
            .links([2, 3]), .links([2, 3]), .links([2, 3]), .links([]), .absent, .null,
        ]
        try store(lists.enumerated().map { [.int64(Int64($0)), $1] }, of: many)
        XCTAssertEqual(
            try values(as: one).map { $0[1] },
            [.link(2), .link(2), .link(2), .null, .absent, .null])
        try store([[.int64(1), .link(4)], [.int64(2), .null], [.int64(4), .link(1)]], of: one)
        XCTAssertEqual(
            try values(as: many).map { $0[1] },
            [.links([2, 3]), .links([4]), .links([]), .links([]), .links([1]), .links([])])
        // Without the relationship in between the result is the same.
        _ = try values(as: entity(nil))
        XCTAssertEqual(
            try values(as: one).map { $0[1] },
            [.link(2), .link(4), .null, .null, .link(1), .null])
    }

    func testAnIdentityThatChangedItsTypeBeforeIsNotLostLater() throws {
        let (int, string) = (entity(nil), entity(nil, identity: .string))
        try store([[.int64(1)]], of: int)
        XCTAssertEqual(try values(as: string), [[.string("1")]])
        XCTAssertEqual(try values(as: int), [[.int64(1)]])
        try store([[.string("a")]], of: string)
        XCTAssertEqual(
            refusal([int])?.message.contains("a value that does not fit this type"), true)
        XCTAssertEqual(try values(as: string), [[.string("1")], [.string("a")]])
    }
}

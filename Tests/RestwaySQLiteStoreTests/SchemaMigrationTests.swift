import RestwayObjects
import RestwaySQLite
import XCTest

/// A document that changes between two openings of one file.
final class SchemaMigrationTests: SQLiteTestCase {
    private let model = EntityModel()

    private func entity(
        _ attributes: [(String, AttributeType)], _ relationships: [(String, isMany: Bool)] = [],
        identity: Int? = 0, name: String = "Item", index: Int = 0
    ) -> Entity {
        Entity(
            name: name, index: index,
            attributes: attributes.map { Attribute(name: $0.0, type: $0.1) },
            relationships: relationships.map {
                Relationship(name: $0.0, targetName: name, targetIndex: index, isMany: $0.isMany)
            }, identityIndex: identity, model: model)
    }

    /// Stores rows under one document and reads all of them under another.
    private func reading(
        _ rows: [[Value]], of old: Entity, as new: Entity
    ) throws -> [[Value]] {
        do {
            let store = try file.open([old])
            _ = try store.commit(ChangeSet(rows: rows.map { Snapshot.make(old, $0) }))
        }
        return try file.open([new]).objects(Query(new)).map(\.values)
    }

    func testANewTableIsMadeWithAllItsColumns() throws {
        // SQLite reads the whole schema again for each column that is added to a table.
        func changes(_ attributes: Int) throws -> Int64? {
            let file = StoreFile()
            defer { file.remove() }
            _ = try file.open([
                entity((0..<attributes).map { ("a\($0)", .int) }, [("one", isMany: false)])
            ])
            return try Connection(file.path).integer("PRAGMA schema_version")
        }
        XCTAssertEqual(try changes(30), try changes(3))
    }

    func testANewAttributeIsAbsentAndTheOthersStay() throws {
        let found = try reading(
            [[.int64(1), .null, .bool(true)], [.int64(2), .string("a"), .json("[]")]],
            of: entity([("id", .int), ("name", .string), ("any", .any)]),
            as: entity([("new", .string), ("any", .any), ("id", .int), ("name", .string)],
                identity: 2))
        XCTAssertEqual(
            found,
            [
                [.absent, .bool(true), .int64(1), .null],
                [.absent, .json("[]"), .int64(2), .string("a")],
            ])
    }

    func testAnEntityThatSQLiteHasTooFewColumnsForIsNamedWhenTheFileIsOpened() throws {
        // Three columns of each table are the store's own.
        func wide(_ count: Int) -> Entity {
            entity((0..<count).map { ("a\($0)", AttributeType.int) }, [("many", isMany: true)])
        }
        XCTAssertEqual(
            refusal([wide(1_998)]),
            .incompatible(
                path: file.path,
                reason: "entity \"Item\": its table would have 2001 columns, and SQLite "
                    + "allows 2000"))
        _ = try file.open([wide(1)])
        let before = file.bytes
        let wider = entity((0..<1_997).map { ("b\($0)", AttributeType.int) })
        let refusal = refusal([wider])
        XCTAssertEqual(
            refusal?.message.contains("2001 columns"), true, "the columns of the file count")
        XCTAssertTrue(file.bytes == before)
    }

    func testAnAttributeThatIsGoneIsKeptAndComesBack() throws {
        let full = entity([("id", .int), ("name", .string)])
        let found = try reading(
            [[.int64(1), .string("a")]], of: full, as: entity([("id", .int)]))
        XCTAssertEqual(found, [[.int64(1)]])
        let store = try file.open([full])
        XCTAssertEqual(try store.object(full, .integer(1))?.values, [.int64(1), .string("a")])
        try commit(store, Snapshot.make(full, [.int64(1), .null]))
        let again = entity([("id", .int), ("name", .string)])
        XCTAssertEqual(
            try file.open([again]).object(again, .integer(1))?.values, [.int64(1), .null])
    }

    func testATypeThatChangesKeepsWhatMeansTheSame() throws {
        let old = entity([
            ("id", .int), ("a", .string), ("b", .int), ("c", .any), ("d", .int), ("e", .date),
        ])
        let new = entity([
            ("id", .int), ("a", .int), ("b", .string), ("c", .double), ("d", .bool), ("e", .string),
        ])
        let found = try reading(
            [
                [.int64(1), .string("12"), .int64(5), .int64(3), .int64(1), .date(1)],
                [.int64(2), .string("x"), .null, .string("x"), .int64(7), .null],
            ], of: old, as: new)
        XCTAssertEqual(
            found,
            [
                [.int64(1), .int64(12), .string("5"), .double(3), .bool(true), .absent],
                [.int64(2), .absent, .null, .absent, .absent, .null],
            ])
        XCTAssertEqual(try file.integer("SELECT sum(d_was_int) FROM Item"), 8)
        let store = try file.open([new])
        try commit(store, Snapshot.make(new, [.int64(2), .int64(4)]))
        XCTAssertEqual(try store.object(new, .integer(2))?.value(at: 1), .int64(4))
    }

    func testAnIdentityThatChangesItsTypeFindsItsObjects() throws {
        let new = entity([("id", .string)])
        let found = try reading([[.int64(1)], [.int64(2)]], of: entity([("id", .int)]), as: new)
        XCTAssertEqual(found, [[.string("1")], [.string("2")]])
        let store = try file.open([new])
        let commit = try store.commit(ChangeSet(rows: [Snapshot.make(new, [.string("2")])]))
        XCTAssertEqual(commit.objects[0].storeKey, 2)
    }

    func testAnIdentityThatWouldBeLostOrSharedIsRefused() throws {
        do {
            let old = entity([("id", .any), ("name", .string)])
            let store = try file.open([old])
            try commit(
                store, Snapshot.make(old, [.int64(1), .string("a")]),
                Snapshot.make(old, [.string("1"), .string("a")]))
        }
        let cases: [(Entity, String)] = [
            (entity([("id", .string), ("name", .string)]), "the same"),
            (entity([("id", .date), ("name", .string)]), "a value that does not fit this type"),
            (entity([("id", .any), ("name", .string)], identity: 1), "the same"),
        ]
        for (entity, reason) in cases {
            let refusal = refusal([entity])
            XCTAssertEqual(refusal?.message.contains(reason), true, "\(refusal as Any)")
            XCTAssertEqual(refusal?.message.contains(file.path), true)
        }
        // Nothing was changed on the way.
        let same = entity([("id", .any), ("name", .string)])
        XCTAssertEqual(try file.open([same]).count(same), 2)
    }

    func testAnotherIdentityIsIndexed() throws {
        let new = entity([("id", .int), ("code", .string)], identity: 1)
        let found = try reading(
            [[.int64(1), .string("a")], [.int64(2), .string("b")]],
            of: entity([("id", .int), ("code", .string)]), as: new)
        XCTAssertEqual(found.count, 2)
        let store = try file.open([new])
        XCTAssertEqual(try store.object(new, .string("b"))?.storeKey, 2)
        XCTAssertNil(try store.object(new, .integer(2)))
    }

    func testRelationshipsComeAndGoAndChangeTheirNumber() throws {
        let one = entity([("id", .int)], [("next", isMany: false)])
        let many = entity([("id", .int)], [("next", isMany: true)])
        let rows: [[Value]] = [[.int64(1), .link(-2)], [.int64(2), .null], [.int64(3)]]
        XCTAssertEqual(
            try reading(rows, of: one, as: many),
            [[.int64(1), .links([2])], [.int64(2), .links([])], [.int64(3), .absent]])
        do {
            let store = try file.open([many])
            try commit(store, Snapshot.make(many, [.int64(3), .links([2, 1])]))
        }
        let again = try file.open([one]).objects(Query(one)).map(\.values)
        XCTAssertEqual(
            again, [[.int64(1), .link(2)], [.int64(2), .null], [.int64(3), .link(2)]])
        let none = entity([("id", .int)])
        XCTAssertEqual(try file.open([none]).count(none), 3)
    }

    func testNamesThatSQLiteWouldTakeForOneAreToldApart() throws {
        let names = ["id", "ID", "_key", "rowid", "a\"b", "select", "_kinds", "x\0y"]
        let entities = [
            entity(names.map { ($0, .any) }, name: "Item", index: 0),
            entity([("id", .any)], name: "item", index: 1),
            entity([("id", .any)], name: "sqlite_x", index: 2),
            entity([("id", .any)], name: "restway_store", index: 3),
            entity([("id", .any)], [("b", isMany: true)], name: "a", index: 4),
            entity([("id", .any)], name: "a__b", index: 5),
        ]
        let values: [Value] = names.indices.map { .int64(Int64($0)) }
        do {
            let store = try file.open(entities)
            _ = try store.commit(ChangeSet(rows: entities.map { Snapshot.make($0, values) }))
        }
        let store = try file.open(entities)
        XCTAssertEqual(try store.object(entities[0], .integer(0))?.values, values)
        for entity in entities { XCTAssertEqual(try store.count(entity), 1, entity.name) }
        XCTAssertEqual(try store.count(nil), 6)
    }

    func testEntitiesComeAndGo() throws {
        let (first, second) = (entity([("id", .int)]), entity([("id", .int)], name: "B", index: 1))
        do {
            let store = try file.open([first, second])
            try commit(store, Snapshot.make(first, [.int64(1)]), Snapshot.make(second, [.int64(1)]))
        }
        do {
            let store = try file.open([first])
            XCTAssertEqual(try store.count(nil), 1)
        }
        let store = try file.open([first, second])
        XCTAssertEqual(try store.count(nil), 2)
        var changes = ChangeSet()
        changes.deletions = [.everything]
        _ = try file.open([first]).commit(changes)
        XCTAssertEqual(try store.count(nil), 0, "clearing leaves nothing of old documents")
    }

    func testOpeningAgainWritesNothing() throws {
        let item = entity([("id", .int)], [("next", isMany: true)])
        _ = try file.open([item])
        let watcher = try Connection(file.path)
        let before = try watcher.integer("PRAGMA data_version")
        _ = try file.open([item])
        XCTAssertEqual(try watcher.integer("PRAGMA data_version"), before)
    }
}

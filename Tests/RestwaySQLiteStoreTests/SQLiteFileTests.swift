import RestwayObjects
import RestwaySQLite
import XCTest

/// The content of the file, and the values that are read from it again.
final class SQLiteFileTests: SQLiteTestCase {
    private static let values: [Value] = [
        .absent, .null, .bool(true), .bool(false), .int64(0), .int64(1), .int64(.min),
        .int64(.max), .double(0.5), .double(-0.0), .double(3), .double(.nan),
        .double(-.infinity), .date(-1), .date(1_700_000_000_000_000), .string(""), .string("007"),
        .string("1.0"), .string("é\u{0}x"), .bytes([]), .bytes([0, 255]), .bytes(Array("12".utf8)),
        .json("[1]"), .json("12"), .json(#""a""#),
    ]

    /// This also covers attributes and identities whose values do not fit the attribute's type.
    func testValuesOfEveryKindComeBackInColumnsOfEveryType() throws {
        var rows: [[Value]] = []
        for value in Self.values {
            for index in 0..<all.attributes.count {
                var row = [Value](repeating: .absent, count: all.attributes.count)
                row[index] = value
                rows.append(row)
            }
        }
        rows.append([.int64(7)] + Self.values.prefix(AttributeType.allCases.count))
        var keys: [Int64] = []
        do {
            let store = try file.open([all])
            let made = rows.map { Snapshot.make(all, $0) }
            keys = try store.commit(ChangeSet(rows: made)).objects.map(\.storeKey)
        }
        let store = try file.open([all])
        for (key, values) in zip(keys, rows) {
            let found = try store.newest(all, storeKey: key)
            // NaN does not equal itself.
            XCTAssertEqual("\(found?.values ?? [])", "\(values)")
        }
        XCTAssertEqual(try store.count(all), Set(keys).count)
    }

    func testPeopleReadTypedColumnsAndTablesOfLinks() throws {
        let model = EntityModel()
        let person = Entity(
            name: "Person", index: 0,
            attributes: [
                Attribute(name: "id", type: .int), Attribute(name: "full name", type: .string),
                Attribute(name: "born", type: .date),
            ],
            relationships: [
                Relationship(name: "boss", targetName: "Person", targetIndex: 0),
                Relationship(name: "staff", targetName: "Person", targetIndex: 0, isMany: true),
            ], identityIndex: 0, model: model)
        let store = try file.open([person])
        try commit(
            store,
            Snapshot.make(person, [.int64(1), .string("A"), .date(5), .link(-2), .links([-3, -2])]),
            Snapshot.make(person, [.int64(2)]), Snapshot.make(person, [.int64(3)]))
        XCTAssertEqual(
            try file.integer(
                """
                SELECT count(*) FROM Person a JOIN Person b ON a.boss = b._key
                WHERE a.id = 1 AND b.id = 2 AND a."full name" = 'A' AND a.born = 5
                    AND a._kinds IS NULL
                """), 1)
        XCTAssertEqual(
            try file.integer(
                """
                SELECT group_concat(id, '') FROM (
                    SELECT id FROM Person__staff JOIN Person ON target = _key
                    WHERE owner = 1 ORDER BY position)
                """), 32)
        XCTAssertEqual(
            try file.integer(
                "SELECT type = 'INTEGER' FROM pragma_table_info('Person') WHERE name = 'id'"), 1)
    }

    func testWhatSomebodyWritesByHandCounts() throws {
        let store = try file.open([all])
        try commit(store, Snapshot.make(all, [.int64(1), .bool(true), .absent, .int64(3)]))
        XCTAssertNotNil(try store.object(all, .integer(1)))
        try file.shell(
            """
            UPDATE "All" SET "any" = 'text', "bool" = 1, "int" = NULL;
            INSERT INTO "All" (id, "string", "json") VALUES ('new', 'hello', '[]')
            """)
        let edited = try store.object(all, .integer(1))
        XCTAssertEqual(
            edited?.values.prefix(4), [.int64(1), .string("text"), .bool(true), .absent])
        let inserted = try store.object(all, .string("new"))
        XCTAssertEqual(inserted?.value(named: "string"), .string("hello"))
        XCTAssertEqual(inserted?.value(named: "json"), .json("[]"))
        XCTAssertEqual(inserted?.value(named: "date"), .absent)
        // The key is already used.
        let next = try store.commit(ChangeSet(rows: [Snapshot.make(all, [.int64(2)])]))
        XCTAssertEqual(next.objects[0].storeKey, 3)
    }

    func testKeysAreNotUsedAgain() throws {
        do {
            let store = try file.open([all])
            try commit(store, Snapshot.make(all, [.int64(1)]), Snapshot.make(all, [.int64(2)]))
            var changes = ChangeSet()
            changes.deletions = [.everything]
            XCTAssertEqual(try store.commit(changes).deletedCount, 2)
        }
        let commit = try file.open([all]).commit(
            ChangeSet(rows: [Snapshot.make(all, [.int64(1)])]))
        XCTAssertEqual(commit.objects[0].storeKey, 3)
    }

    func testNewFilesStartAtDifferentKeys() throws {
        let other = StoreFile()
        defer { other.remove() }
        let keys = try [file, other].map { file in
            try file.open([all]) { $0.keyBefore = nil }
                .commit(ChangeSet(rows: [Snapshot.make(all, [])])).objects[0].storeKey
        }
        XCTAssertNotEqual(keys[0], keys[1])
        XCTAssertTrue(keys.allSatisfy { $0 > 1 << 30 && $0 < 1 << 48 })
    }

    func testAFileKeepsItsIdentity() throws {
        let identity = try file.open([all]).identity
        XCTAssertEqual(try file.open([all]).identity, identity)
        let other = StoreFile()
        defer { other.remove() }
        XCTAssertNotEqual(try other.open([all]).identity, identity)
    }

    func testAFileOfAnEarlierVersionGetsAnIdentityWhenItIsOpened() throws {
        do {
            let store = try file.open([all])
            try commit(store, Snapshot.make(all, [.int64(1)]))
        }
        try file.shell("DELETE FROM restway_store WHERE name = 'identity'")
        let store = try file.open([all])
        XCTAssertEqual(try store.count(all), 1)
        XCTAssertEqual(
            try file.integer("SELECT value FROM restway_store WHERE name = 'identity'"),
            store.identity)
        XCTAssertEqual(try file.open([all]).identity, store.identity)
    }

    func testUnsentAndRedirectionsAreKept() throws {
        var sent: Int64 = 0
        var other: Int64 = 0
        do {
            let store = try file.open([all])
            let rows = [Snapshot.make(all, []), Snapshot.make(all, [])]
            let commit = try store.commit(ChangeSet(rows: rows, origin: .host))
            sent = commit.objects[0].storeKey
            other = try store.commit(
                ChangeSet(rows: [Snapshot.make(all, [.int64(9), .int64(1)])])
            ).objects[0].storeKey
            var answer = ChangeSet(rows: [Snapshot.make(all, [.int64(9)])])
            answer.answers = [.init(storeKey: sent, entity: all, row: 0)]
            _ = try store.commit(answer)
        }
        let store = try file.open([all])
        XCTAssertFalse(try store.isUnsent(all, storeKey: sent))
        XCTAssertTrue(try store.isUnsent(all, storeKey: sent + 1))
        let redirected = try store.newest(all, storeKey: other)
        XCTAssertEqual(redirected?.storeKey, sent)
        XCTAssertEqual(redirected?.values.prefix(2), [.int64(9), .int64(1)])
        XCTAssertEqual(try store.count(all), 2)
    }

    func testTheCacheIsBounded() throws {
        let store = try file.open([all]) { $0.cachedObjectsMax = 10 }
        let rows = (0..<100).map { Snapshot.make(all, [.int64($0)]) }
        _ = try store.commit(ChangeSet(rows: rows))
        for id in 0..<100 {
            XCTAssertEqual(try store.object(all, .integer(Int64(id)))?.values[0], .int64(Int64(id)))
        }
        let statistics = try store.statistics()
        XCTAssertEqual(statistics.objectCount, 100)
        XCTAssertEqual(statistics.cachedObjectCount, 10)
        XCTAssertGreaterThan(statistics.cachedByteCount, 0)
        XCTAssertGreaterThan(statistics.fileByteCount, 4096)
    }

    func testTheLogDoesNotGrowWithoutEnd() throws {
        let store = try file.open([all])
        for round in 0..<40 {
            let text = String(repeating: "\(round % 10)", count: 400_000)
            try commit(store, Snapshot.make(all, [.int64(1), .string(text)]))
        }
        // 40 times 100 pages were written; the log starts again after about a thousand.
        XCTAssertLessThan(try store.statistics().fileByteCount, 9 << 20)
    }
}

import RestwayObjects
import RestwaySQLite
import XCTest

/// Rows that replace others: each is read correctly, whatever was stored before.
final class SQLiteUpdateTests: SQLiteTestCase {
    private static let values: [Value] = [
        .null, .bool(true), .bool(false), .int64(0), .int64(1), .double(0.5), .double(0),
        .double(-0.0), .double(3), .double(.nan), .date(1), .string(""), .string("007"),
        .bytes([]), .bytes([0, 255]), .bytes(Array("12345678".utf8)), .json("12"), .json(#""a""#),
    ]

    /// A value of each kind replaces a value of each kind, in columns of each type.
    func testEveryValueTakesThePlaceOfEveryOther() throws {
        let columns = 1..<all.attributes.count
        var before: [Snapshot] = []
        var after: [Snapshot] = []
        var wanted: [String] = []
        for old in Self.values {
            for new in Self.values {
                for column in columns {
                    let id = Value.int64(Int64(before.count))
                    before.append(row(id, old, at: column))
                    after.append(row(id, new, at: column))
                    wanted.append("\(row(id, new, at: column).values)")
                }
            }
        }
        do {
            let store = try file.open([all])
            _ = try store.commit(ChangeSet(rows: before))
            _ = try store.commit(ChangeSet(rows: after))
        }
        let store = try file.open([all])
        for (id, values) in wanted.enumerated() {
            let found = try store.object(all, .integer(Int64(id)))
            // NaN does not equal itself.
            XCTAssertEqual("\(found?.values ?? [])", values)
        }
    }

    private func row(_ id: Value, _ value: Value, at column: Int) -> Snapshot {
        var values = [Value](repeating: .absent, count: all.attributes.count)
        values[0] = id
        values[column] = value
        // A neighbouring row has a letter of its own.
        values[column == 1 ? 2 : 1] = .null
        return Snapshot.make(all, values)
    }

    /// Before a large commit, the store asks the file for its largest integer identity: there is no
    /// integer, or the integers are negative, or they go up to the largest one.
    func testLargeCommitsFindTheIdentitiesThatTheFileHas() throws {
        let numbers = (0..<20).map { Int64($0) - 30 }
        let commits: [[Value]] = [
            numbers.map { .string("\($0)") }, numbers.map(Value.int64),
            [.int64(.min), .int64(.max)] + numbers.map(Value.int64),
            [.int64(.min), .int64(.max), .int64(0)] + numbers.map { .string("\($0)") }
                + numbers.map(Value.int64),
        ]
        var known = 0
        for (identities, count) in zip(commits, [20, 40, 42, 43]) {
            let store = try file.open([all])
            let rows = identities.map { row($0, .int64(1), at: 1) }
            XCTAssertEqual(try store.commit(ChangeSet(rows: rows)).insertedCount, count - known)
            XCTAssertEqual(try store.count(Query(all)), count)
            known = count
        }
    }

    func testUpdatesOfEveryCombinationOfColumns() throws {
        let numbers = Entity(
            name: "Numbers", index: 0,
            attributes: (0...7).map { Attribute(name: "n\($0)", type: .int) }, identityIndex: 0)
        let combinations = Int64(1)..<128
        func row(_ id: Int64, _ value: (Int64) -> Int64) -> Snapshot {
            Snapshot.make(numbers, [.int64(id)] + (0..<7).map { .int64(value($0)) })
        }
        do {
            let store = try file.open([numbers])
            _ = try store.commit(ChangeSet(rows: combinations.map { row($0) { $0 } }))
            let changed = combinations.map { id in row(id) { id >> $0 & 1 == 1 ? id : $0 } }
            XCTAssertEqual(try store.commit(ChangeSet(rows: changed)).updatedCount, 127)
        }
        let store = try file.open([numbers])
        for id in combinations {
            XCTAssertEqual(
                try store.object(numbers, .integer(id))?.values,
                row(id) { id >> $0 & 1 == 1 ? id : $0 }.values)
        }
    }

    func testAnEntityOfManyColumns() throws {
        let wide = Entity(
            name: "Wide", index: 0,
            attributes: (0...70).map { Attribute(name: "n\($0)", type: .int) }, identityIndex: 0)
        let rows = [0, 1].map { last in
            Snapshot.make(wide, (0...70).map { .int64($0 == 70 ? last : $0) })
        }
        let wanted = rows[1].values
        do {
            let store = try file.open([wide])
            try commit(store, rows[0])
            try commit(store, rows[1])
        }
        XCTAssertEqual(try file.open([wide]).object(wide, .integer(0))?.values, wanted)
    }

    func testAListAloneChanges() throws {
        let node = Entity(
            name: "Node", index: 0, attributes: [Attribute(name: "id", type: .int)],
            relationships: [
                Relationship(name: "next", targetName: "Node", targetIndex: 0),
                Relationship(name: "all", targetName: "Node", targetIndex: 0, isMany: true),
            ], identityIndex: 0, model: EntityModel())
        let steps: [(link: Value, list: Value)] = [
            (.link(7), .links([1, 2])), (.link(7), .links([2])), (.link(8), .links([2])),
            (.link(8), .links([])), (.null, .links([])), (.null, .links([3])), (.link(1), .null),
        ]
        for (link, list) in steps {
            let row = Snapshot.make(node, [.int64(1), link, list])
            do {
                try commit(try file.open([node]), row)
            }
            let isEmpty = list == .null
            XCTAssertEqual(
                try file.open([node]).object(node, .integer(1))?.values,
                [.int64(1), link, isEmpty ? .links([]) : list])
        }
    }

    func testWhatSomebodyWroteBesideStays() throws {
        let store = try file.open([all])
        try commit(store, row(.int64(1), .string("a"), at: 5))
        try file.shell(
            #"ALTER TABLE "All" ADD COLUMN note TEXT; UPDATE "All" SET note = 'mine'"#)
        try commit(store, row(.int64(1), .string("b"), at: 5))
        XCTAssertEqual(
            try file.integer(#"SELECT count(*) FROM "All" WHERE note = 'mine'"#), 1)
        XCTAssertEqual(
            try store.object(all, .integer(1))?.values, row(.int64(1), .string("b"), at: 5).values)
    }
}

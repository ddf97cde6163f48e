import RestwayObjects
import RestwaySQLiteStore
import RestwayThreads
import XCTest

/// Random answers of several shapes, deletions and queries, on a memory store, a SQLite store that
/// is opened again now and then, and a naive model: all three agree.
final class ShapeModelTests: SQLiteTestCase {
    /// An object of the naive model.
    private struct Known: Equatable {
        var values: [String: Value] = [:]
        var shapes: Set<Users.Shape> = []
        var isLoaded = false

        /// Of the shapes with the longest chain of bases, the first in the document.
        var entity: String {
            let deepest = shapes.map(\.extended.count).max() ?? 1
            let first = Users.Shape.allCases.first {
                shapes.contains($0) && $0.extended.count == deepest
            }
            return Users.name(first ?? .user)
        }

        init() {}

        init(_ object: Snapshot, _ users: Users) {
            values = object.present
            shapes = Set(Users.Shape.allCases.filter { object.isA(users[$0]) })
            isLoaded = object.isLoaded
        }
    }

    private func row(_ shape: Users.Shape, _ random: inout SeededRandom) -> [String: Value] {
        var row: [String: Value] = ["id": .int64(Int64.random(in: 1...12, using: &random))]
        for attribute in Users.attributes.dropFirst()
        where shape.extended.contains(attribute.owner) && Bool.random(using: &random) {
            let number = Int64.random(in: 0...3, using: &random)
            row[attribute.name] =
                number == 0
                ? .null : attribute.type == .json ? .json("[\(number)]") : .string("\(number)")
        }
        for relationship in Users.relationships
        where shape.extended.contains(relationship.owner) && Bool.random(using: &random) {
            let key = Int64.random(in: 1...12, using: &random)
            row[relationship.name] = relationship.isMany ? .links([key]) : .link(key)
        }
        return row
    }

    private func check(
        _ model: [Int64: Known], _ store: any ObjectStore, _ users: Users, _ round: String
    ) throws {
        for shape in Users.Shape.allCases {
            let expected = model.filter { $0.value.shapes.contains(shape) }
            let found = try store.objects(Query(users[shape], .all))
            let known = Dictionary(
                uniqueKeysWithValues: found.map { object in
                    (object.identity, Known(object, users))
                })
            XCTAssertEqual(
                known,
                Dictionary(
                    uniqueKeysWithValues: expected.map { (Identity?.some(.integer($0)), $1) }),
                "\(round), \(shape)")
            for object in found {
                guard case .integer(let id)? = object.identity else { continue }
                XCTAssertEqual(object.entity.name, model[id]?.entity, round)
            }
            XCTAssertEqual(try store.count(Query(users[shape], .all)), expected.count, round)
            let loaded = expected.filter(\.value.isLoaded)
            XCTAssertEqual(try store.count(users[shape]), loaded.count, round)
            XCTAssertEqual(
                Set(try store.objects(Query(users[shape])).map(\.identity)),
                Set(loaded.keys.map { Identity.integer($0) }), round)
            var query = Query(users[shape], .all)
            query.conditions = [.compares(attribute: 1, .equal, .string("2"))]
            XCTAssertEqual(
                try store.count(query),
                expected.count { $0.value.values["login"] == .string("2") }, round)
        }
    }

    func testStoresAndModelAgree() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var random = SeededRandom(seed: seed)
        let users = Users()
        let memory = MemoryStore(keyBefore: 0)
        var sqlite = try file.open(users.all)
        var model: [Int64: Known] = [:]
        for round in 0..<150 {
            let name = "seed \(seed), round \(round)"
            let count = Int.random(in: 0...(round % 10 == 0 ? 30 : 4), using: &random)
            var rows: [(shape: Users.Shape, values: [String: Value], isLoaded: Bool)] = []
            for _ in 0..<count {
                let shape = Users.Shape.allCases.randomElement(using: &random)!
                rows.append((shape, row(shape, &random), Bool.random(using: &random)))
            }
            var deletions: [ChangeSet.Deletion] = []
            for row in rows {
                guard case .int64(let id)? = row.values["id"] else { continue }
                model[id, default: Known()].values.merge(row.values) { $1 }
                model[id]?.shapes.formUnion(row.shape.extended)
                if row.isLoaded { model[id]?.isLoaded = true }
            }
            let shape = Users.Shape.allCases.randomElement(using: &random)!
            let id = Int64.random(in: 1...12, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                deletions = [.identity(users[shape], .integer(id))]
                model[id] = nil
            case 1 where round % 3 == 0:
                deletions = [.all(users[shape])]
                model = model.filter { !$0.value.shapes.contains(shape) }
            default: break
            }
            var commits: [Commit] = []
            for store in [memory, sqlite] as [any ObjectStore] {
                var changes = ChangeSet(
                    rows: rows.map { users.row($0.shape, $0.values, isLoaded: $0.isLoaded) })
                changes.deletions = deletions
                commits.append(try store.commit(changes, recordingChanges: round % 2 == 0))
            }
            XCTAssertEqual(commits[0].insertedCount, commits[1].insertedCount, name)
            XCTAssertEqual(commits[0].updatedCount, commits[1].updatedCount, name)
            XCTAssertEqual(commits[0].deletedCount, commits[1].deletedCount, name)
            XCTAssertEqual(
                commits[0].changes.map(\.storeKey), commits[1].changes.map(\.storeKey), name)
            for (left, right) in zip(commits[0].objects, commits[1].objects) {
                XCTAssertTrue(left.isEqual(to: right), name)
            }
            if round % 20 == 19 { sqlite = try file.open(users.all) }
            try check(model, memory, users, name)
            try check(model, sqlite, users, name)
        }
    }
}

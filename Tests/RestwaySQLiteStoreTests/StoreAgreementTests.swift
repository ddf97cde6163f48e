import RandomRounds
import RestwayObjects
import RestwaySQLiteStore
import RestwayThreads
import XCTest

/// Random change sets and queries on a memory store and a SQLite store: both give the same results.
final class StoreAgreementTests: SQLiteTestCase {
    private let model = EntityModel()
    private lazy var person = Entity(
        name: "Person", index: 0,
        attributes: [
            Attribute(name: "id"), Attribute(name: "any"), Attribute(name: "flag", type: .bool),
            Attribute(name: "count", type: .int), Attribute(name: "size", type: .double),
            Attribute(name: "name", type: .string), Attribute(name: "born", type: .date),
            Attribute(name: "data", type: .bytes), Attribute(name: "json", type: .json),
        ],
        relationships: [
            Relationship(name: "boss", targetName: "Person", targetIndex: 0, policy: .replace),
            Relationship(
                name: "friends", targetName: "Person", targetIndex: 0, isMany: true,
                policy: .merge),
            Relationship(
                name: "staff", targetName: "Person", targetIndex: 0, isMany: true,
                policy: .replace),
        ], identityIndex: 0, model: model)

    private func value(_ type: AttributeType, _ random: inout SeededRandom) -> Value {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .absent
        case 1: return .null
        default: break
        }
        let number = Int64.random(in: -3...3, using: &random)
        switch type {
        case .bool: return .bool(number > 0)
        case .int: return .int64(number == 3 ? .max : number)
        case .double: return .double([-0.0, .nan, 9.3e18, 1.5][Int(number) & 3] * Double(number))
        case .string: return .string(["", "a", "B", "1", "é", "a\u{0}"][abs(Int(number)) % 6])
        case .date: return .date(number)
        case .bytes: return .bytes([UInt8](repeating: 97, count: abs(Int(number))))
        case .json: return .json("[\(number)]")
        case .any:
            let types = AttributeType.allCases.filter { $0 != .any }
            return value(types.randomElement(using: &random)!, &random)
        }
    }

    private func changes(_ random: inout SeededRandom) -> ChangeSet {
        // In a large commit, several rows are written together.
        let isLarge = Int.random(in: 0..<6, using: &random) == 0
        let count = Int.random(in: isLarge ? 16...60 : 0...6, using: &random)
        let identities = isLarge ? 100 : 8
        let rows = (0..<count).map { row -> Snapshot in
            var values = person.attributes.map { value($0.type, &random) }
            values[0] =
                switch Int.random(in: 0..<6, using: &random) {
                case 0: .absent
                case 1: .string("\(Int.random(in: 0..<identities / 2, using: &random))")
                case 2: value(.any, &random)
                default: .int64(Int64(Int.random(in: 0..<identities, using: &random)))
                }
            func link() -> Int64 {
                Bool.random(using: &random)
                    ? Cell.reference(toRow: Int.random(in: 0..<count, using: &random))
                    : Int64.random(in: 1...20, using: &random)
            }
            let links = (0..<Int.random(in: 0...4, using: &random)).map { _ in link() }
            let boss: [Value] = [.absent, .null, .link(link())]
            let lists: [Value] = [.absent, .null, .links(links)]
            values.append(boss.randomElement(using: &random)!)
            values.append(lists.randomElement(using: &random)!)
            values.append(lists.randomElement(using: &random)!)
            return Snapshot.make(person, values, isLoaded: Bool.random(using: &random))
        }
        var changes = ChangeSet(rows: rows, origin: .server)
        let key = Int64.random(in: 1...20, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: changes.deletions = [.object(person, storeKey: key)]
        case 1: changes.deletions = [.identity(person, .integer(key % 8))]
        case 2: changes.origin = .host
        case 3:
            // Several answers may be about one row, and an answer may be about a missing object.
            changes.answers = (0..<Int64.random(in: 1...3, using: &random)).map { place in
                .init(
                    storeKey: key + place, entity: person,
                    row: rows.indices.randomElement(using: &random))
            }
        case 4 where key == 1: changes.deletions = [.all(person)]
        case 4 where key == 2: changes.deletions = [.everything]
        case 5: changes.onlyCompletes = true
        default: break
        }
        return changes
    }

    private func copy(_ changes: ChangeSet) -> ChangeSet {
        var copy = changes
        copy.rows = changes.rows.map {
            Snapshot.make(person, $0.values, isLoaded: $0.isLoaded)
        }
        return copy
    }

    private func query(_ random: inout SeededRandom) -> Query {
        var query = Query(person, Query.Loading.allCases.randomElement(using: &random)!)
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let attribute = Int.random(in: 0..<person.attributes.count, using: &random)
            query.conditions.append(
                .compares(
                    attribute: attribute,
                    Query.Comparison.allCases.randomElement(using: &random)!,
                    value(Bool.random(using: &random) ? .any : person.attributes[attribute].type,
                        &random)))
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            query.order.append(
                .init(
                    attribute: Int.random(in: 0..<person.attributes.count, using: &random),
                    isDescending: Bool.random(using: &random)))
        }
        if Bool.random(using: &random) { query.limit = Int.random(in: 0...5, using: &random) }
        query.offset = Int.random(in: 0...2, using: &random)
        return query
    }

    /// As text, because NaN does not equal itself.
    private func text(_ objects: [Snapshot]) -> [String] {
        objects.map { "\($0.storeKey): \($0.isLoaded) \($0.values)" }
    }

    private func text(_ commit: Commit) -> String {
        let changes = commit.changes.map {
            "\($0.storeKey) \($0.kind) \(text([$0.before, $0.after].compactMap(\.self)))"
        }
        return "\(text(commit.objects)) \(commit.insertedCount) \(commit.updatedCount) "
            + "\(commit.deletedCount) \(changes)"
    }

    private func check(_ seed: UInt64, cachedObjectsMax: Int) throws {
        var random = SeededRandom(seed: seed)
        let file = StoreFile()
        defer { file.remove() }
        let memory = MemoryStore(keyBefore: 0)
        func open() throws -> SQLiteStore {
            try file.open([person]) { $0.cachedObjectsMax = cachedObjectsMax }
        }
        var sqlite = try open()
        for step in 0..<40 {
            let changes = changes(&random)
            let expected = try memory.commit(copy(changes), recordingChanges: true)
            let found = try sqlite.commit(copy(changes), recordingChanges: true)
            let place = "seed \(seed), step \(step), cache of \(cachedObjectsMax)"
            XCTAssertEqual(text(found), text(expected), place)
            if Int.random(in: 0..<10, using: &random) == 0 { sqlite = try open() }
            for _ in 0..<4 {
                let query = query(&random)
                XCTAssertEqual(
                    text(try sqlite.objects(query)), text(memory.objects(query)),
                    "\(place): \(query)")
                XCTAssertEqual(try sqlite.count(query), memory.count(query), "\(place): \(query)")
            }
            for key in Int64(1)...20 {
                XCTAssertEqual(
                    text([try sqlite.newest(person, storeKey: key)].compactMap(\.self)),
                    text([memory.newest(person, storeKey: key)].compactMap(\.self)), place)
                XCTAssertEqual(
                    try sqlite.isUnsent(person, storeKey: key),
                    memory.isUnsent(person, storeKey: key), place)
            }
            if testRun?.totalFailureCount != 0 { return }
        }
    }

    func testRandomChangesAndQueriesComeToTheSame() throws {
        for seed in 1...UInt64(rounds(12)) {
            try check(seed, cachedObjectsMax: seed % 2 == 0 ? 1_000 : 2)
        }
    }
}

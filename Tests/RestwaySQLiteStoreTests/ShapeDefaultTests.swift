import RestwayObjects
import XCTest

/// Defaults of attributes in a family: an answer brings the defaults of all attributes that its
/// shape declares or inherits.
final class ShapeDefaultTests: StoreTestCase {
    private struct Things {
        let all: [Entity]

        init() {
            let family = EntityFamily([("Thing", 0, nil), ("Tool", 1, 0), ("Toy", 2, 0)])
            let model = EntityModel()
            func attribute(_ name: String, _ type: AttributeType, _ value: Value?) -> Attribute {
                var rules = ValueRules()
                rules.initial = value
                return Attribute(name: name, shape: .one(type), rules: rules)
            }
            let attributes = [
                attribute("id", .int, nil), attribute("name", .string, .string("nameless")),
                attribute("size", .int, .int64(3)), attribute("fun", .string, .string("much")),
            ]
            all = ["Thing", "Tool", "Toy"].enumerated().map { number, name in
                Entity(
                    name: name, index: number, attributes: attributes, identityIndex: 0,
                    model: model, family: (family, number),
                    ownCells: [true, true, number == 1, number == 2])
            }
        }
    }

    private let things = Things()
    private let other = Entity(
        name: "Other", index: 3, attributes: [Attribute(name: "id", type: .int)], identityIndex: 0)

    private func row(_ shape: Int, _ values: Value...) -> Snapshot {
        Snapshot.make(things.all[shape], values)
    }

    func testEachShapeBringsItsDefaults() throws {
        try withEachStore {
            let store = try makeStore(things.all)
            let rows = [row(0, .int64(1)), row(1, .int64(2)), row(2, .int64(3))]
            let commit = try store.commit(ChangeSet(rows: rows))
            XCTAssertEqual(
                commit.objects.map { $0.values.prefix(4) },
                [
                    [.int64(1), .string("nameless"), .absent, .absent],
                    [.int64(2), .string("nameless"), .int64(3), .absent],
                    [.int64(3), .string("nameless"), .absent, .string("much")],
                ])
            XCTAssertEqual(commit.objects.map(\.entity.name), ["Thing", "Tool", "Toy"])
        }
    }

    func testAShapeThatComesLaterBringsItsDefaultsAndKeepsWhatIsThere() throws {
        try withEachStore {
            let store = try makeStore(things.all)
            _ = try store.commit(ChangeSet(rows: [row(0, .int64(1), .string("saw"))]))
            var commit = try store.commit(
                ChangeSet(rows: [row(1, .int64(1), .string("saw"))]), recordingChanges: true)
            XCTAssertEqual(commit.changes.map(\.kind), [.updated])
            XCTAssertEqual(
                commit.objects[0].values.prefix(4),
                [.int64(1), .string("saw"), .int64(3), .absent])
            commit = try store.commit(ChangeSet(rows: [row(2, .int64(1))]))
            let object = try XCTUnwrap(store.object(things.all[0], .integer(1)))
            XCTAssertEqual(
                object.values.prefix(4), [.int64(1), .string("saw"), .int64(3), .string("much")])
            XCTAssertTrue(object.isA(named: "Tool") && object.isA(named: "Toy"))
        }
    }

    func testAnIdentityAloneBringsItsShapeWithoutDefaults() throws {
        try withEachStore {
            let store = try makeStore(things.all)
            var changes = ChangeSet(rows: [row(1, .int64(1))])
            changes.identityRows = [0]
            let stub = try store.commit(changes).objects[0]
            XCTAssertEqual(stub.values.prefix(4), [.int64(1), .absent, .absent, .absent])
            XCTAssertTrue(stub.isA(named: "Tool"))
            let whole = try store.commit(ChangeSet(rows: [row(0, .int64(1))])).objects[0]
            XCTAssertEqual(whole.storeKey, stub.storeKey)
            XCTAssertEqual(whole.entity.name, "Tool")
            XCTAssertEqual(
                whole.values.prefix(4), [.int64(1), .string("nameless"), .absent, .absent])
        }
    }

    /// The rows of entities without defaults, which a store takes many at a time, end where rows
    /// with defaults begin.
    func testDefaultsComeAlsoAfterRowsOfAnotherEntity() throws {
        try withEachStore {
            let store = try makeStore(things.all + [other])
            let rows = [
                Snapshot.make(other, [.int64(1)]), row(0, .int64(1)),
                Snapshot.make(other, [.int64(2)]), row(2, .int64(2)),
            ]
            _ = try store.commit(ChangeSet(rows: rows))
            XCTAssertEqual(
                try store.object(things.all[0], .integer(1))?.value(at: 1), .string("nameless"))
            XCTAssertEqual(
                try store.object(things.all[2], .integer(2))?.value(at: 3), .string("much"))
        }
    }

    /// Random commits of rows of all shapes leave the objects that a naive model predicts.
    func testRandomCommitsAgreeWithANaiveModel() throws {
        let defaults: [[Value]] = [
            [.absent, .string("nameless"), .absent, .absent],
            [.absent, .string("nameless"), .int64(3), .absent],
            [.absent, .string("nameless"), .absent, .string("much")],
        ]
        try withEachStore {
            let store = try makeStore(things.all)
            var model: [Int64: (values: [Value], shapes: Set<Int>)] = [:]
            for _ in 0..<60 {
                var changes = ChangeSet()
                for index in 0..<Int.random(in: 1...20) {
                    let (id, shape) = (Int64.random(in: 1...12), Int.random(in: 0...2))
                    let isIdentity = Int.random(in: 0..<4) == 0
                    var given: [Value] = [.int64(id), .absent, .absent, .absent]
                    if !isIdentity {
                        given[1] = [.absent, .null, .string("x")].randomElement()!
                        if shape == 1 { given[2] = [.absent, .int64(5)].randomElement()! }
                        if shape == 2 { given[3] = [.absent, .string("y")].randomElement()! }
                    }
                    changes.rows.append(Snapshot.make(things.all[shape], given))
                    if isIdentity { changes.identityRows.insert(index) }
                    var known = model[id] ?? ([.absent, .absent, .absent, .absent], [0])
                    known.shapes.insert(shape)
                    for cell in given.indices where given[cell] != .absent {
                        known.values[cell] = given[cell]
                    }
                    for cell in given.indices where known.values[cell] == .absent && !isIdentity {
                        known.values[cell] = defaults[shape][cell]
                    }
                    model[id] = known
                }
                _ = try store.commit(changes, recordingChanges: Bool.random())
                for (id, known) in model {
                    let object = try XCTUnwrap(store.object(things.all[0], .integer(id)))
                    XCTAssertEqual(Array(object.values.prefix(4)), known.values)
                    for shape in 0...2 {
                        XCTAssertEqual(object.isA(things.all[shape]), known.shapes.contains(shape))
                    }
                }
            }
        }
    }
}

import RestwayObjects
import XCTest

/// Defaults of attributes: the values of objects that an answer creates without a value.
final class DefaultValueTests: StoreTestCase {
    private static func attribute(
        _ name: String, _ type: AttributeType, _ value: Value?
    ) -> Attribute {
        var rules = ValueRules()
        rules.initial = value
        return Attribute(name: name, shape: .one(type), rules: rules)
    }

    private let entity = Entity(
        name: "Thing", index: 0,
        attributes: [
            attribute("id", .int, nil), attribute("name", .string, .string("nameless")),
            attribute("count", .int, .int64(3)), attribute("free", .string, nil),
            attribute("list", .json, .json("[]")),
        ],
        identityIndex: 0)

    private func row(_ values: Value...) -> Snapshot { Snapshot.make(entity, values) }

    func testAnAnswerThatCreatesAnObjectBringsDefaults() throws {
        try withEachStore {
            let store = try makeStore([entity])
            let commit = try store.commit(
                ChangeSet(rows: [row(.int64(1)), row(.int64(2), .null, .int64(7))]))
            XCTAssertEqual(
                commit.objects.map(\.values),
                [
                    [.int64(1), .string("nameless"), .int64(3), .absent, .json("[]")],
                    [.int64(2), .null, .int64(7), .absent, .json("[]")],
                ])
            XCTAssertEqual(commit.insertedCount, 2)
            let found = try XCTUnwrap(store.object(entity, .integer(1)))
            XCTAssertEqual(found.values, commit.objects[0].values)
        }
    }

    func testAMissingValueOfAKnownObjectKeepsItsValue() throws {
        try withEachStore {
            let store = try makeStore([entity])
            _ = try store.commit(
                ChangeSet(rows: [row(.int64(1), .string("a"), .null, .absent, .json("[1]"))]))
            let commit = try store.commit(
                ChangeSet(rows: [row(.int64(1), .absent, .absent, .string("b"))]),
                recordingChanges: true)
            XCTAssertEqual(
                commit.objects[0].values,
                [.int64(1), .string("a"), .null, .string("b"), .json("[1]")])
            XCTAssertEqual(commit.changes.map(\.kind), [.updated])
        }
    }

    func testAnIdentityAloneBringsNoDefaults() throws {
        try withEachStore {
            let store = try makeStore([entity])
            var changes = ChangeSet(rows: [row(.int64(1))])
            changes.identityRows = [0]
            let stub = try store.commit(changes).objects[0]
            XCTAssertEqual(stub.values, [.int64(1), .absent, .absent, .absent, .absent])
            let whole = try store.commit(ChangeSet(rows: [row(.int64(1))])).objects[0]
            XCTAssertEqual(whole.storeKey, stub.storeKey)
            XCTAssertEqual(
                whole.values, [.int64(1), .string("nameless"), .int64(3), .absent, .json("[]")])
        }
    }

    func testObjectsOfTheProgramHaveNoDefaults() throws {
        try withEachStore {
            let store = try makeStore([entity])
            let changes = ChangeSet(rows: [row(.int64(1))], origin: .host)
            XCTAssertEqual(try store.commit(changes).objects[0].value(at: 1), .absent)
        }
    }

    /// What a commit has to make of rows, object by object.
    func testRandomCommitsAgreeWithANaiveModel() throws {
        let defaults: [Value] = [
            .absent, .string("nameless"), .int64(3), .absent, .json("[]"),
        ]
        let choices: [[Value]] = [
            [.absent, .null, .string("x")], [.absent, .null, .int64(5)],
            [.absent, .string("y")], [.absent, .json("[2]")],
        ]
        try withEachStore {
            let store = try makeStore([entity])
            var model: [Int64: [Value]] = [:]
            for _ in 0..<60 {
                var changes = ChangeSet()
                for index in 0..<Int.random(in: 1...20) {
                    let id = Int64.random(in: 1...12)
                    let isIdentity = Int.random(in: 0..<4) == 0
                    let rest = choices.map { isIdentity ? Value.absent : $0.randomElement()! }
                    changes.rows.append(Snapshot.make(entity, [.int64(id)] + rest))
                    if isIdentity { changes.identityRows.insert(index) }
                    var values = model[id] ?? Array(repeating: .absent, count: 5)
                    values[0] = .int64(id)
                    for (cell, value) in rest.enumerated() where value != .absent {
                        values[cell + 1] = value
                    }
                    if !isIdentity {
                        for cell in values.indices where values[cell] == .absent {
                            values[cell] = defaults[cell]
                        }
                    }
                    model[id] = values
                }
                let isRecorded = Bool.random()
                let commit = try store.commit(changes, recordingChanges: isRecorded)
                for object in commit.objects {
                    XCTAssertEqual(object.values, model[object.cell(at: 0).integer])
                }
                for (id, values) in model {
                    XCTAssertEqual(try store.object(entity, .integer(id))?.values, values)
                }
            }
        }
    }
}

import RestwayObjects
import RestwaySQLite
import RestwaySQLiteStore
import XCTest

/// A document whose entities begin to extend each other, between two openings of one file.
final class ShapeMigrationTests: SQLiteTestCase {
    private func store(_ users: Users, _ rows: Snapshot...) throws {
        _ = try file.open(users.all).commit(ChangeSet(rows: rows))
    }

    func testAFileThatGetsAShapeKeepsItsObjects() throws {
        let (before, after) = (Users([.user]), Users([.user, .member]))
        try store(
            before, before.row(.user, ["id": .int64(1), "login": .string("a")]),
            before.row(.user, ["id": .int64(2), "friends": .links([1])]))
        let opened = try file.open(after.all)
        XCTAssertEqual(try opened.count(after[.user]), 2)
        XCTAssertEqual(try opened.count(after[.member]), 0)
        _ = try opened.commit(
            ChangeSet(rows: [after.row(.member, ["id": .int64(1), "email": .string("e")])]))
        let object = try XCTUnwrap(try file.open(after.all).object(after[.member], .integer(1)))
        XCTAssertEqual(
            object.present, ["id": .int64(1), "login": .string("a"), "email": .string("e")])
        XCTAssertEqual(object.storeKey, 1)
        XCTAssertEqual(
            try file.integer("SELECT count(*) FROM User WHERE _shapes = 3"), 1)
    }

    func testShapesKeepTheirNumbersAndComeBack() throws {
        let (all, some, none) = (Users([.user, .bot, .member]), Users([.user, .member]),
            Users([.user]))
        try store(
            all, all.row(.bot, ["id": .int64(1), "token": .string("t")]),
            all.row(.member, ["id": .int64(2), "email": .string("e")]))
        // The document loses a shape, and another answer updates the object meanwhile.
        try store(some, some.row(.member, ["id": .int64(1), "login": .string("x")]))
        try store(none, none.row(.user, ["id": .int64(2), "login": .string("y")]))
        let other = Users([.user, .member, .bot])
        let opened = try file.open(other.all)
        let first = try XCTUnwrap(opened.object(other[.user], .integer(1)))
        XCTAssertEqual(
            first.present, ["id": .int64(1), "token": .string("t"), "login": .string("x")])
        XCTAssertTrue(first.isA(other[.bot]) && first.isA(other[.member]))
        let second = try XCTUnwrap(opened.object(other[.member], .integer(2)))
        XCTAssertEqual(
            second.present, ["id": .int64(2), "email": .string("e"), "login": .string("y")])
        XCTAssertFalse(second.isA(other[.bot]))
    }

    /// Entities that do not extend each other, with the attributes of `Users`.
    private func apart(_ model: EntityModel) -> [Entity] {
        let friends = Relationship(
            name: "friends", targetName: "User", targetIndex: 0, isMany: true)
        return [
            Entity(
                name: "User", index: 0,
                attributes: [
                    Attribute(name: "id", type: .int), Attribute(name: "login", type: .string),
                ], relationships: [friends], identityIndex: 0, model: model),
            Entity(
                name: "Member", index: 1,
                attributes: [
                    Attribute(name: "plan"), Attribute(name: "id", type: .int),
                    Attribute(name: "login", type: .string),
                    Attribute(name: "email", type: .string),
                ],
                relationships: [
                    friends,
                    Relationship(name: "boss", targetName: "Member", targetIndex: 1),
                ], identityIndex: 1, model: model),
        ]
    }

    func testObjectsOfEntitiesThatWereApartAreLoadedIfOneOfBothIs() throws {
        let entities = apart(EntityModel())
        func user(_ id: Int64, _ isLoaded: Bool) -> Snapshot {
            Snapshot.make(entities[0], [.int64(id)], isLoaded: isLoaded)
        }
        func member(_ id: Int64, _ isLoaded: Bool) -> Snapshot {
            Snapshot.make(entities[1], [.absent, .int64(id)], isLoaded: isLoaded)
        }
        _ = try file.open(entities).commit(
            ChangeSet(rows: [
                user(1, true), member(1, false), user(2, false), member(2, true),
                user(3, false), member(3, false), member(4, true), member(5, false),
            ]))
        let after = Users([.user, .member])
        let store = try file.open(after.all)
        func identities(_ shape: Users.Shape, _ loading: Query.Loading) throws -> [Int64] {
            try store.objects(Query(after[shape], loading)).compactMap(\.identity).map {
                guard case .integer(let id) = $0 else { return 0 }
                return id
            }.sorted()
        }
        XCTAssertEqual(try identities(.user, .loaded), [1, 2, 4])
        XCTAssertEqual(try identities(.user, .unloaded), [3, 5])
        XCTAssertEqual(try identities(.member, .loaded), [1, 2, 4])
        XCTAssertEqual(try store.count(nil), 3)
        XCTAssertEqual(
            try file.integer("SELECT count(DISTINCT entity) FROM restway_unloaded"), 1)
    }

    func testTheObjectsOfEntitiesThatWereApartBecomeOne() throws {
        let old = apart(EntityModel())
        do {
            let store = try file.open(old)
            _ = try store.commit(
                ChangeSet(rows: [
                    Snapshot.make(old[0], [.int64(1), .string("base"), .links([2])]),
                    Snapshot.make(old[0], [.int64(2), .absent, .links([3])]),
                    Snapshot.make(
                        old[1],
                        [.bool(true), .int64(1), .string("member"), .null, .links([1]), .link(4)]),
                    Snapshot.make(
                        old[1], [.absent, .int64(3), .string("m"), .string("e"), .links([3, 4])]),
                    Snapshot.make(old[1], [.null, .int64(2), .null, .string("2"), .links([1])]),
                ]))
        }
        let users = Users([.user, .member, .bot])
        let store = try file.open(users.all)
        XCTAssertEqual(try store.count(nil), 3)
        let one = try XCTUnwrap(store.object(users[.member], .integer(1)))
        XCTAssertEqual(one.storeKey, 1)
        XCTAssertEqual(
            one.present,
            [
                "id": .int64(1), "login": .string("base"), "plan": .bool(true), "email": .null,
                "friends": .links([2]), "boss": .link(4),
            ])
        let two = try XCTUnwrap(store.object(users[.member], .integer(2)))
        XCTAssertEqual(
            two.present,
            [
                "id": .int64(2), "login": .null, "plan": .null, "email": .string("2"),
                "friends": .links([3]),
            ])
        // A link to an object that became part of another one leads to that one.
        XCTAssertEqual(try store.related(two, relationship: 0).map(\.storeKey), [1])
        let three = try XCTUnwrap(store.object(users[.member], .integer(3)))
        XCTAssertEqual(three.storeKey, 4, "it keeps its key")
        XCTAssertEqual(
            three.present,
            [
                "id": .int64(3), "login": .string("m"), "email": .string("e"),
                "friends": .links([3, 4]),
            ])
        XCTAssertEqual(try store.related(three, relationship: 0).map(\.storeKey), [1, 4])
        let reopened = try file.open(users.all)
        XCTAssertEqual(try reopened.count(users[.member]), 3)
        XCTAssertEqual(try reopened.count(users[.bot]), 0)
    }

    func testValuesOfAnotherTypeThatMeanTheSameMove() throws {
        let model = EntityModel()
        let old = [
            Entity(
                name: "User", index: 0, attributes: [Attribute(name: "id", type: .int)],
                identityIndex: 0, model: model),
            Entity(
                name: "Member", index: 1,
                attributes: [
                    Attribute(name: "id", type: .string), Attribute(name: "email"),
                    Attribute(name: "login", type: .bytes), Attribute(name: "plan", type: .bool),
                ], identityIndex: 0, model: model),
        ]
        do {
            let store = try file.open(old)
            _ = try store.commit(
                ChangeSet(rows: [
                    Snapshot.make(old[0], [.int64(1)]),
                    Snapshot.make(old[1], [.string("1"), .string("e"), .null, .bool(true)]),
                    Snapshot.make(old[1], [.string("2"), .int64(7), .bytes([1]), .null]),
                    Snapshot.make(old[1], [.string("x"), .bool(true)]),
                ]))
        }
        let users = Users([.user, .member])
        let store = try file.open(users.all)
        XCTAssertEqual(
            try store.objects(Query(users[.member])).map(\.present),
            [
                ["id": .int64(1), "email": .string("e"), "login": .null, "plan": .bool(true)],
                ["id": .int64(2), "email": .string("7"), "plan": .null], [:],
            ])
        XCTAssertEqual(try store.count(nil), 3)
    }

    func testAFamilyThatBecomesPartOfAnotherKeepsItsShapes() throws {
        let users = Users()
        let model = EntityModel()
        let family = EntityFamily([("Member", 0, nil), ("Admin", 1, 0)])
        func entity(_ name: String, _ number: Int) -> Entity {
            Entity(
                name: name, index: number,
                attributes: [
                    Attribute(name: "id", type: .int), Attribute(name: "email", type: .string),
                    Attribute(name: "rights", type: .json),
                ], identityIndex: 0, model: model, family: (family, number),
                ownCells: [true, true, number == 1])
        }
        let old = [entity("Member", 0), entity("Admin", 1)]
        do {
            let store = try file.open(old)
            _ = try store.commit(
                ChangeSet(rows: [
                    Snapshot.make(old[0], [.int64(1), .string("e")]),
                    Snapshot.make(old[1], [.int64(2), .absent, .json("[]")]),
                ]))
        }
        let store = try file.open(users.all)
        XCTAssertEqual(try store.object(users[.user], .integer(1))?.entity.name, "Member")
        let admin = try XCTUnwrap(store.object(users[.user], .integer(2)))
        XCTAssertEqual(admin.entity.name, "Admin")
        XCTAssertEqual(admin.present, ["id": .int64(2), "rights": .json("[]")])
    }
}

import RestwayObjects
import XCTest

/// Entities that extend others: one object, whichever shapes bring it.
final class ShapeTests: StoreTestCase {
    private let users = Users()

    private func simple() -> Snapshot {
        users.row(.user, ["id": .int64(1), "login": .string("octocat")])
    }

    private func full(_ login: Value = .string("octocat")) -> Snapshot {
        users.row(
            .member, ["id": .int64(1), "login": login, "email": .string("o@x"), "plan": .null])
    }

    func testAPartialShapeErasesNothingInEitherOrder() throws {
        try withEachStore {
            for isFullFirst in [true, false] {
                let store = try makeStore(users.all)
                let rows = isFullFirst ? [full(), simple()] : [simple(), full()]
                for row in rows { _ = try store.commit(ChangeSet(rows: [row])) }
                let object = try XCTUnwrap(store.object(users[.user], .integer(1)))
                XCTAssertTrue(object.entity === users[.member])
                XCTAssertEqual(
                    object.present,
                    [
                        "id": .int64(1), "login": .string("octocat"), "email": .string("o@x"),
                        "plan": .null,
                    ])
                XCTAssertEqual(try store.count(nil), 1)
                XCTAssertEqual(try store.object(users[.member], .integer(1))?.storeKey, 1)
                XCTAssertNil(try store.object(users[.bot], .integer(1)))
            }
        }
    }

    func testBothShapesUpdateWhatBothHave() throws {
        try withEachStore {
            let store = try makeStore(users.all)
            _ = try store.commit(ChangeSet(rows: [full(.string("old"))]))
            let commit = try store.commit(ChangeSet(rows: [simple()]), recordingChanges: true)
            XCTAssertEqual(commit.updatedCount, 1)
            XCTAssertEqual(commit.objects[0].string(at: 1), "octocat")
            XCTAssertEqual(commit.objects[0].entity.name, "Member")
            XCTAssertEqual(commit.changes.map { $0.isAbout(users[.member]) }, [true])
        }
    }

    func testARowOfBothShapesInOneAnswerIsOneObject() throws {
        try withEachStore {
            let store = try makeStore(users.all)
            let commit = try store.commit(ChangeSet(rows: [simple(), full(), simple()]))
            XCTAssertEqual(commit.insertedCount, 1)
            XCTAssertEqual(Set(commit.objects.map(\.storeKey)), [1])
            XCTAssertEqual(commit.objects.map(\.entity.name), ["Member", "Member", "Member"])
        }
    }

    func testAShapeWithoutNewValuesIsAChange() throws {
        try withEachStore {
            let store = try makeStore(users.all)
            _ = try store.commit(ChangeSet(rows: [simple()]))
            let row = users.row(.member, ["id": .int64(1), "login": .string("octocat")])
            let commit = try store.commit(ChangeSet(rows: [row]), recordingChanges: true)
            XCTAssertEqual(commit.updatedCount, 1)
            XCTAssertEqual(commit.changes.count, 1)
            XCTAssertEqual(try store.count(Query(users[.member])), 1)
            let again = try store.commit(ChangeSet(rows: [simple()]), recordingChanges: true)
            XCTAssertFalse(again.hasChanges)
        }
    }

    func testSiblingsKeepTheValuesOfBoth() throws {
        try withEachStore {
            for shapes in [[Users.Shape.bot, .member], [.member, .bot]] {
                let store = try makeStore(users.all)
                for shape in shapes {
                    let name = shape == .bot ? "token" : "email"
                    let row = users.row(shape, ["id": .int64(1), name: .string(name)])
                    _ = try store.commit(ChangeSet(rows: [row]))
                }
                let object = try XCTUnwrap(store.object(users[.user], .integer(1)))
                XCTAssertEqual(object.entity.name, "Member", "the first in the document")
                XCTAssertEqual(object.present["token"], .string("token"))
                XCTAssertEqual(object.present["email"], .string("email"))
                for (shape, isOne) in [(Users.Shape.user, true), (.member, true), (.bot, true),
                    (.admin, false)]
                {
                    XCTAssertEqual(object.isA(users[shape]), isOne, "\(shape)")
                    XCTAssertEqual(object.isA(named: Users.name(shape)), isOne, "\(shape)")
                    XCTAssertEqual(try store.count(users[shape]), isOne ? 1 : 0)
                    XCTAssertEqual(try store.objects(Query(users[shape])).count, isOne ? 1 : 0)
                }
                XCTAssertFalse(object.isA(named: "Company"))
            }
        }
    }

    func testAChainOfThree() throws {
        try withEachStore {
            let store = try makeStore(users.all)
            let admin = users.row(.admin, ["id": .int64(7), "rights": .json("[1]")])
            _ = try store.commit(ChangeSet(rows: [admin]))
            let bot = users.row(.bot, ["id": .int64(7)])
            _ = try store.commit(ChangeSet(rows: [bot]))
            for entity in users.all {
                XCTAssertEqual(try store.object(entity, .integer(7))?.entity.name, "Admin")
            }
        }
    }

    func testLinksToTheBaseLeadToEachShape() throws {
        try withEachStore {
            let store = try makeStore(users.all)
            let rows = [
                users.row(
                    .user,
                    [
                        "id": .int64(1),
                        "friends": .links([
                            Cell.reference(toRow: 1), Cell.reference(toRow: 2),
                        ]),
                    ]),
                users.row(.bot, ["id": .int64(2), "boss": .link(Cell.reference(toRow: 2))]),
                users.row(.admin, ["id": .int64(3)]),
            ]
            let commit = try store.commit(ChangeSet(rows: rows))
            XCTAssertEqual(
                try store.related(commit.objects[0], relationship: 0).map(\.entity.name),
                ["Bot", "Admin"])
            XCTAssertEqual(
                try store.related(commit.objects[1], relationship: 1).map(\.storeKey), [3])
            let relation = Query.RelationCondition(
                relationship: 0, target: users[.user],
                .compares(attribute: 0, .equal, .int64(3)))
            var query = Query(users[.user])
            query.conditions = [.leads(relation)]
            XCTAssertEqual(try store.objects(query).map(\.storeKey), [1])
        }
    }

    func testDeletingAShapeLeavesTheOthers() throws {
        try withEachStore {
            let store = try makeStore(users.all)
            _ = try store.commit(
                ChangeSet(rows: [
                    users.row(.user, ["id": .int64(1)]), users.row(.member, ["id": .int64(2)]),
                    users.row(.admin, ["id": .int64(3)]), users.row(.bot, ["id": .int64(4)]),
                ]))
            var changes = ChangeSet(origin: .host)
            changes.deletions = [.all(users[.member])]
            let commit = try store.commit(changes, recordingChanges: true)
            XCTAssertEqual(commit.deletedCount, 2)
            XCTAssertEqual(commit.changes.map(\.storeKey), [2, 3])
            XCTAssertEqual(try store.objects(Query(users[.user])).map(\.storeKey), [1, 4])
            // The path of one shape names the object of another one.
            changes.deletions = [.identity(users[.member], .integer(4))]
            XCTAssertEqual(try store.commit(changes).deletedCount, 1)
            changes.deletions = [.all(users[.user])]
            XCTAssertEqual(try store.commit(changes).deletedCount, 1)
        }
    }

    func testAnAnswerOfTheBaseNamesTheDraftOfAShape() throws {
        try withEachStore {
            let store = try makeStore(users.all)
            let draft = Draft(users[.member])
            try draft.set(.string("o@x"), attribute: 2)
            var changes = ChangeSet(origin: .host)
            draft.capture().add(to: &changes)
            let made = try store.commit(changes).objects[0]
            XCTAssertTrue(try store.isUnsent(users[.user], storeKey: made.storeKey))
            var answer = ChangeSet(rows: [simple()])
            answer.answers = [.init(storeKey: made.storeKey, entity: users[.member], row: 0)]
            let named = try store.commit(answer).objects[0]
            XCTAssertEqual(named.storeKey, made.storeKey)
            XCTAssertEqual(named.entity.name, "Member")
            XCTAssertEqual(named.present["email"], .string("o@x"))
            XCTAssertTrue(named.isSame(as: made))
            XCTAssertFalse(try store.isUnsent(users[.user], storeKey: made.storeKey))
        }
    }

    func testAnswersOfTheCacheOnlyComplete() throws {
        try withEachStore {
            let store = try makeStore(users.all)
            _ = try store.commit(ChangeSet(rows: [simple()]))
            var older = ChangeSet(rows: [full(.string("older"))])
            older.onlyCompletes = true
            let object = try store.commit(older).objects[0]
            XCTAssertEqual(object.entity.name, "Member")
            XCTAssertEqual(object.present["login"], .string("octocat"))
            XCTAssertEqual(object.present["email"], .string("o@x"))
        }
    }

    func testADraftTakesOnlyTargetsThatAreOfTheShape() throws {
        try withEachStore {
            let store = try makeStore(users.all)
            let objects = try store.commit(
                ChangeSet(rows: [
                    users.row(.user, ["id": .int64(1)]), users.row(.admin, ["id": .int64(2)]),
                ])
            ).objects
            let draft = Draft(users[.bot])
            XCTAssertThrowsError(try draft.set([.object(objects[0])], relationship: 1)) { error in
                XCTAssertEqual(
                    (error as? DraftError)?.message, "Bot.boss leads to Member, not to User")
            }
            try draft.set([.object(objects[1])], relationship: 1)
            try draft.set([.draft(Draft(users[.bot])), .object(objects[0])], relationship: 0)
        }
    }
}

import RestwayObjects
import RestwaySQLite
import RestwaySQLiteStore
import XCTest

/// Objects that are known by their identity alone, in every store.
final class LoadedTests: StoreTestCase {
    /// A user, a team that has a list of users, and a tag that has nothing but its name.
    struct Teams {
        let user: Entity
        let team: Entity
        let tag: Entity

        var all: [Entity] { [user, team, tag] }

        init(userAttributes: [Attribute] = [Attribute(name: "name", type: .string)]) {
            let model = EntityModel()
            var kind = ValueRules()
            kind.constant = .string("user")
            user = Entity(
                name: "User", index: 0,
                attributes: [
                    Attribute(name: "id", type: .int),
                    Attribute(name: "kind", shape: .one(.string), rules: kind),
                ] + userAttributes,
                relationships: [Relationship(name: "boss", targetName: "User", targetIndex: 0)],
                identityIndex: 0, model: model)
            team = Entity(
                name: "Team", index: 1, attributes: [Attribute(name: "id", type: .int)],
                relationships: [
                    Relationship(name: "members", targetName: "User", targetIndex: 0, isMany: true)
                ], identityIndex: 0, model: model)
            tag = Entity(
                name: "Tag", index: 2, attributes: [Attribute(name: "name", type: .string)],
                identityIndex: 0, model: model)
        }

        func row(_ id: Int64, _ name: Value = .absent, boss: Value = .absent) -> Snapshot {
            Snapshot.make(user, [.int64(id), .absent, name, boss])
        }
    }

    private let teams = Teams()

    private func identities(
        _ store: any ObjectStore, _ entity: Entity, _ loading: Query.Loading = .loaded
    ) throws -> [Int64] {
        let query = Query(entity, loading)
        let objects = try store.objects(query)
        XCTAssertEqual(try store.count(query), objects.count)
        var rows = 0
        try store.readAttributes(query) { _ in rows += 1 }
        XCTAssertEqual(rows, objects.count)
        XCTAssertEqual(
            try store.groups(query, by: 0).reduce(0) { $0 + $1.count }, objects.count)
        if loading == .loaded {
            XCTAssertEqual(try store.count(entity), objects.count)
            XCTAssertEqual(objects.filter { !$0.isLoaded }.count, 0)
        }
        if loading == .unloaded { XCTAssertEqual(objects.filter(\.isLoaded).count, 0) }
        return objects.compactMap { $0.identity }.map { identity in
            guard case .integer(let integer) = identity else { return -1 }
            return integer
        }
    }

    private func assert(
        _ store: any ObjectStore, loaded: [Int64], unloaded: [Int64], line: UInt = #line
    ) throws {
        XCTAssertEqual(try identities(store, teams.user), loaded, line: line)
        XCTAssertEqual(try identities(store, teams.user, .unloaded), unloaded, line: line)
        XCTAssertEqual(
            try identities(store, teams.user, .all).sorted(), (loaded + unloaded).sorted(),
            line: line)
        XCTAssertEqual(
            try store.statistics().objectCount, try store.count(nil) + unloaded.count, line: line)
    }

    func testObjectsThatOnlyLinksNameAreLeftOutUntilARowBringsMore() throws {
        try withEachStore {
            let store = try makeStore(teams.all)
            var changes = ChangeSet(rows: [
                teams.row(1, .string("Ann"), boss: .link(Cell.reference(toRow: 1))),
                teams.row(2), teams.row(3),
            ])
            changes.identityRows = [1, 2]
            let commit = try store.commit(changes)
            XCTAssertEqual(commit.objects.map(\.isLoaded), [true, false, false])
            try assert(store, loaded: [1], unloaded: [2, 3])
            // Identities and relationships lead to them.
            let boss = try store.related(commit.objects[0], relationship: 0)
            XCTAssertEqual(boss.map(\.isLoaded), [false])
            XCTAssertEqual(try store.object(teams.user, .integer(3))?.isLoaded, false)
            _ = try store.commit(ChangeSet(rows: [teams.row(3, .null)]))
            try assert(store, loaded: [1, 3], unloaded: [2])
            let link = teams.row(2, boss: .link(boss[0].storeKey))
            _ = try store.commit(ChangeSet(rows: [link]))
            try assert(store, loaded: [1, 2, 3], unloaded: [])
        }
    }

    func testAnObjectIsLoadedByAListAndByNullButNotByAConstant() throws {
        try withEachStore {
            let store = try makeStore(teams.all)
            func team(_ id: Int64, _ members: Value) -> Snapshot {
                Snapshot.make(teams.team, [.int64(id), members])
            }
            let rows = [
                team(1, .absent), team(2, .links([])), team(3, .links([Cell.reference(toRow: 3)])),
                // The row of an answer gets the constant of its entity.
                teams.row(4), Snapshot.make(teams.tag, [.string("bug")]),
            ]
            let commit = try store.commit(ChangeSet(rows: rows))
            XCTAssertEqual(commit.objects.map(\.isLoaded), [false, true, true, false, true])
            XCTAssertEqual(commit.objects[3].string(at: 1), "user")
            XCTAssertEqual(try identities(store, teams.team), [2, 3])
            XCTAssertEqual(try identities(store, teams.team, .unloaded), [1])
            XCTAssertEqual(try identities(store, teams.user, .unloaded), [4])
            XCTAssertEqual(try identities(store, teams.tag), [-1])
            XCTAssertEqual(try identities(store, teams.tag, .unloaded), [])
        }
    }

    func testObjectsWithoutIdentityAreLoaded() throws {
        try withEachStore {
            let store = try makeStore(teams.all)
            let row = Snapshot.make(teams.user, [.null, .absent, .absent, .absent])
            XCTAssertTrue(try store.commit(ChangeSet(rows: [row])).objects[0].isLoaded)
            XCTAssertEqual(try store.count(teams.user), 1)
            XCTAssertEqual(try store.objects(Query(teams.user, .unloaded)).count, 0)
        }
    }

    func testDeletedObjectsAreNotCountedAndDeletionsTakeBothKinds() throws {
        try withEachStore {
            let store = try makeStore(teams.all)
            let rows = [teams.row(1, .string("a")), teams.row(2), teams.row(3)]
            _ = try store.commit(ChangeSet(rows: rows))
            var changes = ChangeSet()
            changes.deletions = [.identity(teams.user, .integer(2))]
            _ = try store.commit(changes)
            try assert(store, loaded: [1], unloaded: [3])
            changes.deletions = [.all(teams.user)]
            let commit = try store.commit(changes, recordingChanges: true)
            XCTAssertEqual(commit.deletedCount, 2)
            XCTAssertEqual(commit.changes.count, 2)
            try assert(store, loaded: [], unloaded: [])
            _ = try store.commit(ChangeSet(rows: [teams.row(3), teams.row(2, .string("b"))]))
            try assert(store, loaded: [2], unloaded: [3])
        }
    }

    func testAnUnloadedObjectThatBecomesPartOfALoadedOneIsNotCounted() throws {
        try withEachStore {
            let store = try makeStore(teams.all)
            var made = ChangeSet(
                rows: [Snapshot.make(teams.user, [.absent, .absent, .string("new")])])
            made.origin = .host
            let sent = try store.commit(made).objects[0]
            _ = try store.commit(ChangeSet(rows: [teams.row(5)]))
            try assert(store, loaded: [], unloaded: [5])
            var answer = ChangeSet(rows: [teams.row(5)])
            answer.answers = [
                ChangeSet.Answer(storeKey: sent.storeKey, entity: teams.user, row: 0)
            ]
            _ = try store.commit(answer)
            try assert(store, loaded: [5], unloaded: [])
        }
    }

    func testConditionsOrdersAndPartsApplyToTheObjectsThatAreLeft() throws {
        try withEachStore {
            let store = try makeStore(teams.all)
            let rows = (1...6).map { teams.row($0, $0.isMultiple(of: 2) ? .absent : .string("x")) }
            _ = try store.commit(ChangeSet(rows: rows))
            for (loading, wanted) in [
                (Query.Loading.loaded, [5, 3]), (.unloaded, [6, 4]), (.all, [6, 5, 4, 3]),
            ] {
                var query = Query(teams.user, loading)
                query.conditions = [.compares(attribute: 0, .greater, .int64(2))]
                query.order = [Query.Order(attribute: 0, isDescending: true)]
                XCTAssertEqual(
                    try store.objects(query).map { $0.cell(at: 0).integer }, wanted.map(Int64.init))
                XCTAssertEqual(try store.count(query), wanted.count)
                query.limit = 1
                query.offset = 1
                XCTAssertEqual(
                    try store.objects(query).map { $0.cell(at: 0).integer }, [Int64(wanted[1])])
            }
            var query = Query(teams.user, .all)
            query.selection = .without([2])
            XCTAssertEqual(try store.count(query), 5)
            // A condition on a relationship also asks objects that are known by identity alone.
            let boss = teams.row(1, boss: .link(try XCTUnwrap(
                store.object(teams.user, .integer(2))).storeKey))
            _ = try store.commit(ChangeSet(rows: [boss]))
            query = Query(teams.user)
            query.conditions = [
                .leads(
                    Query.RelationCondition(
                        relationship: 0, target: teams.user,
                        .compares(attribute: 0, .equal, .int64(2))))
            ]
            XCTAssertEqual(try store.objects(query).map { $0.cell(at: 0).integer }, [1])
        }
    }

    func testABaseWithNothingButItsIdentityIsLoadedAndItsShapesNeedMore() throws {
        try withEachStore {
            // Node has an identity only. File and Folder extend it; File has a size.
            let family = EntityFamily([("Node", 0, nil), ("File", 1, 0), ("Folder", 2, 0)])
            let model = EntityModel()
            let all = [(0, "Node", false), (1, "File", true), (2, "Folder", false)].map {
                Entity(
                    name: $0.1, index: $0.0,
                    attributes: [Attribute(name: "id"), Attribute(name: "size", type: .int)],
                    identityIndex: 0, model: model, family: (family, $0.0),
                    ownCells: [true, $0.2])
            }
            let store = try makeStore(all)
            let rows = [
                Snapshot.make(all[0], [.int64(1)]), Snapshot.make(all[1], [.int64(2)]),
                Snapshot.make(all[1], [.int64(3), .int64(9)]), Snapshot.make(all[2], [.int64(4)]),
            ]
            let commit = try store.commit(ChangeSet(rows: rows))
            XCTAssertEqual(commit.objects.map(\.isLoaded), [true, false, true, true])
            XCTAssertEqual(try identities(store, all[0]), [1, 3, 4])
            XCTAssertEqual(try identities(store, all[1]), [3])
            XCTAssertEqual(try identities(store, all[1], .unloaded), [2])
            XCTAssertEqual(try identities(store, all[2]), [4])
            XCTAssertEqual(try store.count(nil), 3)
            // The second shape of an object decides, too.
            _ = try store.commit(ChangeSet(rows: [Snapshot.make(all[1], [.int64(1)])]))
            XCTAssertEqual(try identities(store, all[0], .unloaded), [1, 2])
        }
    }
}

/// Objects that are known by their identity alone, in files that change.
final class LoadedFileTests: SQLiteTestCase {
    private let teams = LoadedTests.Teams()

    private func loaded(_ store: SQLiteStore, _ entity: Entity) throws -> [Int64] {
        try store.objects(Query(entity)).map { $0.cell(at: 0).integer }
    }

    func testAFileOfAnEarlierVersionFindsThemWhenItIsOpened() throws {
        try commit(file.open(teams.all), teams.row(1, .string("a")), teams.row(2))
        // The last version before had no table for these objects.
        try file.shell(
            StoreFile.withoutEdits + """
            DROP TABLE restway_unloaded; DELETE FROM restway_store WHERE name LIKE 'unloaded.%';
            PRAGMA user_version = 4
            """)
        let store = try file.open(teams.all)
        XCTAssertEqual(try loaded(store, teams.user), [1])
        XCTAssertEqual(try store.count(teams.user), 1)
        XCTAssertEqual(try store.objects(Query(teams.user, .unloaded)).count, 1)
    }

    func testAValueThatIsGivenByHandLoads() throws {
        let store = try file.open(teams.all)
        try commit(store, teams.row(1), teams.row(2))
        XCTAssertEqual(try store.count(teams.user), 0)
        try file.shell("UPDATE User SET name = 'by hand' WHERE id = 1")
        XCTAssertEqual(try loaded(store, teams.user), [1])
        XCTAssertEqual(try store.count(teams.user), 1)
        XCTAssertEqual(try store.objects(Query(teams.user, .unloaded)).count, 1)
    }

    func testAnotherStoreOfTheFileBringsThemAndLoadsThem() throws {
        let (store, other) = (try file.open(teams.all), try file.open(teams.all))
        try commit(store, teams.row(1, .string("a")))
        XCTAssertEqual(try store.count(teams.user), 1)
        XCTAssertEqual(try store.count(Query(teams.user)), 1)
        try commit(other, teams.row(2))
        XCTAssertEqual(try store.count(teams.user), 1)
        XCTAssertEqual(try loaded(store, teams.user), [1])
        try commit(other, teams.row(2, .string("b")))
        XCTAssertEqual(try store.count(teams.user), 2)
        XCTAssertEqual(try loaded(store, teams.user), [1, 2])
        XCTAssertEqual(try file.integer("SELECT count(*) FROM restway_unloaded"), 0)
    }

    func testAnAttributeThatComesOrGoesDecidesWhatIsLoaded() throws {
        let name = Attribute(name: "name", type: .string)
        let documents = [
            LoadedTests.Teams(userAttributes: [name, Attribute(name: "age", type: .int)]),
            LoadedTests.Teams(userAttributes: [name]), LoadedTests.Teams(userAttributes: []),
        ]
        let user = documents[0].user
        try commit(
            file.open(documents[0].all),
            Snapshot.make(user, [.int64(1), .absent, .absent, .int64(30)]),
            Snapshot.make(user, [.int64(2), .absent, .string("a")]))
        for (document, wanted) in zip(
            [documents[1], documents[2], documents[0]], [[2], [], [1, 2]] as [[Int64]])
        {
            let store = try file.open(document.all)
            XCTAssertEqual(try loaded(store, document.user), wanted)
            XCTAssertEqual(try store.count(document.user), wanted.count)
            for object in try store.objects(Query(document.user, .all)) {
                XCTAssertEqual(object.isLoaded, wanted.contains(object.cell(at: 0).integer))
            }
        }
    }

    func testAnAttributeOfAnotherTypeThatLosesItsValueDoesNotLoad() throws {
        let text = LoadedTests.Teams(userAttributes: [Attribute(name: "x", type: .string)])
        try commit(
            file.open(text.all), Snapshot.make(text.user, [.int64(1), .absent, .string("no")]),
            Snapshot.make(text.user, [.int64(2), .absent, .string("5")]),
            Snapshot.make(text.user, [.int64(3), .absent, .null]))
        let number = LoadedTests.Teams(userAttributes: [Attribute(name: "x", type: .int)])
        let store = try file.open(number.all)
        XCTAssertEqual(try loaded(store, number.user), [2, 3])
        XCTAssertEqual(try store.objects(Query(number.user, .unloaded)).count, 1)
    }

    func testAnEntityMayHaveManyAttributes() throws {
        let wide = LoadedTests.Teams(
            userAttributes: (0..<1_200).map { Attribute(name: "a\($0)", type: .int) })
        let store = try file.open(wide.all)
        let last = Array(repeating: Value.absent, count: 1_201) + [.int64(1)]
        try commit(
            store, Snapshot.make(wide.user, [.int64(1)]),
            Snapshot.make(wide.user, [.int64(2)] + last.dropFirst()))
        XCTAssertEqual(try loaded(store, wide.user), [2])
        XCTAssertEqual(try store.objects(Query(wide.user, .unloaded)).count, 1)
    }

    func testAFileIsOpenedAgainWithoutWriting() throws {
        try commit(file.open(teams.all), teams.row(1))
        let watcher = try Connection(file.path)
        let before = try watcher.integer("PRAGMA data_version")
        _ = try file.open(teams.all)
        XCTAssertEqual(try watcher.integer("PRAGMA data_version"), before)
    }
}

import RestwayObjects
import RestwaySQLite
import RestwaySQLiteStore
import XCTest

/// Objects that only links have named, and objects that answers and drafts have brought, in every
/// store.
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

        /// The row of a user that a link names.
        func named(_ id: Int64) -> Snapshot {
            Snapshot.make(user, [.int64(id)], isLoaded: false)
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

    func testObjectsThatOnlyLinksNameAreLeftOutUntilARowBringsThem() throws {
        try withEachStore {
            let store = try makeStore(teams.all)
            let rows = [
                teams.row(1, .string("Ann"), boss: .link(Cell.reference(toRow: 1))),
                teams.named(2), teams.named(3),
            ]
            let commit = try store.commit(ChangeSet(rows: rows))
            XCTAssertEqual(commit.objects.map(\.isLoaded), [true, false, false])
            try assert(store, loaded: [1], unloaded: [2, 3])
            // Identities and relationships lead to them.
            let boss = try store.related(commit.objects[0], relationship: 0)
            XCTAssertEqual(boss.map(\.isLoaded), [false])
            XCTAssertEqual(try store.object(teams.user, .integer(3))?.isLoaded, false)
            XCTAssertEqual(
                try store.newest(teams.user, storeKey: commit.objects[2].storeKey)?.isLoaded, false)
            _ = try store.commit(ChangeSet(rows: [teams.row(3)]))
            try assert(store, loaded: [1, 3], unloaded: [2])
            _ = try store.commit(ChangeSet(rows: [teams.row(2, .null)]))
            try assert(store, loaded: [1, 2, 3], unloaded: [])
        }
    }

    func testAnObjectWithNothingButItsIdentityIsLoadedIfARowBringsIt() throws {
        try withEachStore {
            let store = try makeStore(teams.all)
            // The row of an answer gets the constant of its entity.
            let rows = [
                teams.row(4), Snapshot.make(teams.team, [.int64(1)]),
                Snapshot.make(teams.tag, [.string("bug")]),
            ]
            let commit = try store.commit(ChangeSet(rows: rows))
            XCTAssertEqual(commit.objects.map(\.isLoaded), [true, true, true])
            XCTAssertEqual(commit.objects[0].string(at: 1), "user")
            try assert(store, loaded: [4], unloaded: [])
            XCTAssertEqual(try identities(store, teams.team), [1])
            XCTAssertEqual(try identities(store, teams.tag), [-1])
            XCTAssertEqual(try store.count(nil), 3)
        }
    }

    func testALoadedObjectStaysLoadedWhenALinkNamesIt() throws {
        try withEachStore {
            let store = try makeStore(teams.all)
            _ = try store.commit(ChangeSet(rows: [teams.row(1), teams.row(2, .string("Bob"))]))
            let rows = [teams.named(1), teams.named(2), teams.named(3)]
            let commit = try store.commit(ChangeSet(rows: rows), recordingChanges: true)
            XCTAssertEqual(commit.objects.map(\.isLoaded), [true, true, false])
            XCTAssertEqual(commit.changes.map(\.kind), [.inserted])
            try assert(store, loaded: [1, 2], unloaded: [3])
        }
    }

    func testARowThatLoadsAnObjectWithoutGivingItAValueIsAChange() throws {
        try withEachStore {
            let store = try makeStore(teams.all)
            let named = try store.commit(ChangeSet(rows: [teams.named(1)])).objects[0]
            let again = try store.commit(
                ChangeSet(rows: [teams.named(1)]), recordingChanges: true)
            XCTAssertEqual(again.changes.count, 0)
            let commit = try store.commit(ChangeSet(rows: [teams.row(1)]), recordingChanges: true)
            XCTAssertEqual(commit.updatedCount, 1)
            XCTAssertEqual(commit.changes.map(\.before?.isLoaded), [false])
            XCTAssertEqual(commit.changes.map(\.after?.isLoaded), [true])
            XCTAssertEqual(commit.objects[0].storeKey, named.storeKey)
            XCTAssertFalse(named.isLoaded, "a snapshot does not change")
            // An answer that only completes objects loads them, too.
            var completing = ChangeSet(rows: [teams.named(2)])
            _ = try store.commit(completing)
            completing = ChangeSet(rows: [teams.row(2)])
            completing.onlyCompletes = true
            _ = try store.commit(completing)
            try assert(store, loaded: [1, 2], unloaded: [])
        }
    }

    func testARowAndALinkOfOneAnswerLoadTheObjectInEachOrder() throws {
        try withEachStore {
            let store = try makeStore(teams.all)
            let rows = [teams.named(1), teams.row(1), teams.row(2), teams.named(2)]
            let commit = try store.commit(ChangeSet(rows: rows))
            XCTAssertEqual(commit.objects.map(\.isLoaded), [true, true, true, true])
            try assert(store, loaded: [1, 2], unloaded: [])
        }
    }

    func testManyObjectsOfOneCommitAreLoadedOrNot() throws {
        try withEachStore {
            let store = try makeStore(teams.all)
            let rows = (1...100).map { $0 % 3 == 0 ? teams.named($0) : teams.row($0) }
            _ = try store.commit(ChangeSet(rows: rows))
            try assert(
                store, loaded: (1...100).filter { $0 % 3 != 0 },
                unloaded: (1...100).filter { $0 % 3 == 0 })
        }
    }

    func testADraftLoadsItsObjectAndNotTheObjectsThatItOnlyNames() throws {
        try withEachStore {
            let store = try makeStore(teams.all)
            let (named, draft) = (Draft(teams.user), Draft(teams.user))
            try named.set(.int64(2), attribute: 0)
            try draft.set([.draft(named)], relationship: 0)
            let capture = draft.capture()
            var changes = ChangeSet(origin: .host)
            // The draft is stored with its link, and the other draft is only linked to.
            capture.add(to: &changes, cells: [0: capture.root.allCells])
            XCTAssertEqual(try store.commit(changes).objects.map(\.isLoaded), [true, false])
            XCTAssertEqual(try store.count(teams.user), 1)
            XCTAssertEqual(try identities(store, teams.user, .unloaded), [2])
            changes = ChangeSet(origin: .host)
            named.capture().add(to: &changes)
            XCTAssertEqual(try store.commit(changes).objects.map(\.isLoaded), [true])
            XCTAssertEqual(try store.count(teams.user), 2)
            changes = ChangeSet(origin: .host)
            Draft(teams.user).capture().add(to: &changes)
            XCTAssertEqual(try store.commit(changes).objects.map(\.isLoaded), [true])
            XCTAssertEqual(try store.count(teams.user), 3)
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
            let rows = [teams.row(1, .string("a")), teams.named(2), teams.named(3)]
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
            _ = try store.commit(ChangeSet(rows: [teams.named(3), teams.row(2, .string("b"))]))
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
            _ = try store.commit(ChangeSet(rows: [teams.named(5)]))
            XCTAssertEqual(try store.count(teams.user), 1)
            XCTAssertEqual(try identities(store, teams.user, .unloaded), [5])
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
            let rows = (1...6).map { $0.isMultiple(of: 2) ? teams.named($0) : teams.row($0) }
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
            // A condition on a relationship also asks objects that only links have named.
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

    func testAnObjectIsLoadedForAllShapesIfOneHasBroughtIt() throws {
        try withEachStore {
            let family = EntityFamily([("Node", 0, nil), ("File", 1, 0)])
            let model = EntityModel()
            let all = [(0, "Node", false), (1, "File", true)].map {
                Entity(
                    name: $0.1, index: $0.0,
                    attributes: [Attribute(name: "id"), Attribute(name: "size", type: .int)],
                    identityIndex: 0, model: model, family: (family, $0.0),
                    ownCells: [true, $0.2])
            }
            XCTAssertEqual(all.map(\.isLoadedByLinks), [true, false])
            let store = try makeStore(all)
            _ = try store.commit(
                ChangeSet(rows: [
                    Snapshot.make(all[1], [.int64(1)], isLoaded: false),
                    Snapshot.make(all[1], [.int64(2)], isLoaded: false),
                    Snapshot.make(all[1], [.int64(3)]), Snapshot.make(all[0], [.int64(4)]),
                ]))
            XCTAssertEqual(try identities(store, all[0]), [3, 4])
            XCTAssertEqual(try identities(store, all[1]), [3])
            XCTAssertEqual(try identities(store, all[1], .unloaded), [1, 2])
            _ = try store.commit(
                ChangeSet(rows: [
                    Snapshot.make(all[0], [.int64(1)]),
                    Snapshot.make(all[1], [.int64(4)], isLoaded: false),
                ]))
            XCTAssertEqual(try identities(store, all[0]), [1, 3, 4])
            XCTAssertEqual(try identities(store, all[1]), [1, 3, 4])
            XCTAssertEqual(try identities(store, all[0], .unloaded), [2])
            XCTAssertEqual(try store.count(nil), 3)
        }
    }
}

/// Objects that only links have named, in files that change.
final class LoadedFileTests: SQLiteTestCase {
    private let teams = LoadedTests.Teams()

    private func loaded(_ store: SQLiteStore, _ entity: Entity) throws -> [Int64] {
        try store.objects(Query(entity)).map { $0.cell(at: 0).integer }
    }

    private func unloaded(_ store: SQLiteStore, _ entity: Entity) throws -> [Int64] {
        try store.objects(Query(entity, .unloaded)).map { $0.cell(at: 0).integer }
    }

    func testAFileRemembersWhatIsLoaded() throws {
        try commit(file.open(teams.all), teams.row(1), teams.named(2), teams.named(3))
        try commit(file.open(teams.all), teams.row(3), teams.named(1))
        let store = try file.open(teams.all)
        XCTAssertEqual(try loaded(store, teams.user), [1, 3])
        XCTAssertEqual(try unloaded(store, teams.user), [2])
        XCTAssertEqual(try store.count(teams.user), 2)
        for (identity, isLoaded) in [(1, true), (2, false), (3, true)] as [(Int64, Bool)] {
            let object = try XCTUnwrap(store.object(teams.user, .integer(identity)))
            XCTAssertEqual(object.isLoaded, isLoaded)
            // The store has the object in its cache now; another one reads it by its key.
            let other = try file.open(teams.all)
            XCTAssertEqual(
                try other.newest(teams.user, storeKey: object.storeKey)?.isLoaded, isLoaded)
        }
    }

    /// The last version before had no table for these objects, and an object without values could
    /// not be told from one that only links had named.
    func testAFileOfAnEarlierVersionFindsThemByTheirValuesWhenItIsOpened() throws {
        try commit(
            file.open(teams.all), teams.row(1, .string("a")), teams.row(2), teams.row(3, .null))
        try commit(
            file.open(teams.all), Snapshot.make(teams.tag, [.string("bug")]),
            Snapshot.make(teams.team, [.int64(1), .links([])]),
            Snapshot.make(teams.team, [.int64(2)]))
        try file.shell(
            StoreFile.withoutEdits + """
            DROP TABLE restway_unloaded; DELETE FROM restway_store WHERE name LIKE 'unloaded.%';
            PRAGMA user_version = 4
            """)
        let store = try file.open(teams.all)
        XCTAssertEqual(try loaded(store, teams.user), [1, 3])
        XCTAssertEqual(try store.count(teams.user), 2)
        XCTAssertEqual(try unloaded(store, teams.user), [2])
        XCTAssertEqual(try unloaded(store, teams.team), [2])
        XCTAssertEqual(try store.count(teams.tag), 1)
        // The search is made once: an answer without values loads an object for good.
        try commit(store, teams.row(2))
        XCTAssertEqual(try loaded(file.open(teams.all), teams.user), [1, 2, 3])
    }

    func testTheNotesOfAFileDecideAndNotItsValues() throws {
        let store = try file.open(teams.all)
        try commit(store, teams.named(1), teams.named(2))
        try file.shell("UPDATE User SET name = 'by hand' WHERE id = 1")
        XCTAssertEqual(try loaded(store, teams.user), [])
        XCTAssertEqual(try store.object(teams.user, .integer(1))?.isLoaded, false)
        try file.shell("DELETE FROM restway_unloaded")
        XCTAssertEqual(try loaded(store, teams.user), [1, 2])
        XCTAssertEqual(try store.count(teams.user), 2)
        XCTAssertEqual(try store.object(teams.user, .integer(1))?.isLoaded, true)
    }

    func testAnotherStoreOfTheFileBringsThemAndLoadsThem() throws {
        let (store, other) = (try file.open(teams.all), try file.open(teams.all))
        try commit(store, teams.row(1, .string("a")))
        XCTAssertEqual(try store.count(teams.user), 1)
        XCTAssertEqual(try store.count(Query(teams.user)), 1)
        try commit(other, teams.named(2))
        XCTAssertEqual(try store.count(teams.user), 1)
        XCTAssertEqual(try loaded(store, teams.user), [1])
        XCTAssertEqual(try store.object(teams.user, .integer(2))?.isLoaded, false)
        try commit(other, teams.row(2))
        XCTAssertEqual(try store.object(teams.user, .integer(2))?.isLoaded, true)
        XCTAssertEqual(try store.count(teams.user), 2)
        XCTAssertEqual(try loaded(store, teams.user), [1, 2])
        XCTAssertEqual(try file.integer("SELECT count(*) FROM restway_unloaded"), 0)
    }

    func testAnObjectStaysLoadedWhenItsAttributesComeAndGo() throws {
        let name = Attribute(name: "name", type: .string)
        let documents = [
            LoadedTests.Teams(userAttributes: [name, Attribute(name: "age", type: .int)]),
            LoadedTests.Teams(userAttributes: [Attribute(name: "name", type: .int)]),
            LoadedTests.Teams(userAttributes: []),
        ]
        let user = documents[0].user
        try commit(
            file.open(documents[0].all),
            Snapshot.make(user, [.int64(1), .absent, .absent, .int64(30)]),
            Snapshot.make(user, [.int64(2), .absent, .string("a")]), documents[0].named(3))
        for document in [documents[1], documents[2], documents[0]] {
            let store = try file.open(document.all)
            XCTAssertEqual(try loaded(store, document.user), [1, 2])
            XCTAssertEqual(try store.count(document.user), 2)
            for object in try store.objects(Query(document.user, .all)) {
                XCTAssertEqual(object.isLoaded, object.cell(at: 0).integer != 3)
            }
        }
    }

    func testAnOlderFileMayHaveManyAttributes() throws {
        let wide = LoadedTests.Teams(
            userAttributes: (0..<1_200).map { Attribute(name: "a\($0)", type: .int) })
        let last = Array(repeating: Value.absent, count: 1_201) + [.int64(1)]
        try commit(
            file.open(wide.all), Snapshot.make(wide.user, [.int64(1)]),
            Snapshot.make(wide.user, [.int64(2)] + last.dropFirst()))
        try file.shell("DELETE FROM restway_store WHERE name LIKE 'unloaded.%'")
        let store = try file.open(wide.all)
        XCTAssertEqual(try loaded(store, wide.user), [2])
        XCTAssertEqual(try unloaded(store, wide.user), [1])
    }

    func testAFileIsOpenedAgainWithoutWriting() throws {
        try commit(file.open(teams.all), teams.named(1))
        let watcher = try Connection(file.path)
        let before = try watcher.integer("PRAGMA data_version")
        _ = try file.open(teams.all)
        XCTAssertEqual(try watcher.integer("PRAGMA data_version"), before)
    }
}

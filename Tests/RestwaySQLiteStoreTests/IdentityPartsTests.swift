import RestwayObjects
import RestwaySQLite
import RestwaySQLiteStore
import XCTest

/// Objects that several attributes identify together, in both stores.
final class IdentityPartsTests: StoreTestCase {
    private let issue = Entity(
        name: "Issue", index: 0,
        attributes: [
            Attribute(name: "owner", type: .string), Attribute(name: "repo", type: .string),
            Attribute(name: "number", type: .int), Attribute(name: "title", type: .string),
        ],
        relationships: [Relationship(name: "parent", targetName: "Issue", targetIndex: 0)],
        identityParts: [0, 1, 2])

    private func row(
        _ owner: Value, _ repo: Value, _ number: Value, _ title: Value = .absent,
        _ parent: Value = .absent
    ) -> Snapshot {
        Snapshot.make(issue, [owner, repo, number, title, parent])
    }

    private func row(_ repo: String, _ number: Int64, _ title: String) -> Snapshot {
        row(.string("octocat"), .string(repo), .int64(number), .string(title))
    }

    private func identity(_ repo: String, _ number: Int64) -> Identity {
        .string("[\"octocat\",\"\(repo)\",\(number)]")
    }

    func testTheSameNumberBelowTwoRepositoriesIsTwoObjects() throws {
        try withEachStore {
            let store = try makeStore([issue])
            _ = try store.commit(ChangeSet(rows: [row("hello", 7, "a"), row("world", 7, "b")]))
            let commit = try store.commit(
                ChangeSet(rows: [row("world", 7, "c"), row("hello", 8, "d")]),
                recordingChanges: true)
            XCTAssertEqual(commit.changes.map(\.kind), [.updated, .inserted])
            XCTAssertEqual(try store.count(issue), 3)
            XCTAssertEqual(try store.object(issue, identity("hello", 7))?.string(at: 3), "a")
            XCTAssertEqual(try store.object(issue, identity("world", 7))?.string(at: 3), "c")
            XCTAssertNil(try store.object(issue, identity("world", 8)))
            var deletion = ChangeSet()
            deletion.deletions = [.identity(issue, identity("hello", 7))]
            XCTAssertEqual(try store.commit(deletion).deletedCount, 1)
            XCTAssertNotNil(try store.object(issue, identity("world", 7)))
        }
    }

    func testTextsOfAllKindsMakeDifferentIdentities() throws {
        let texts = [
            "", "a", "\"", "\\", "a\",\"b", "\n", "\u{1}", "é", "e\u{301}", "日本", "a\u{0}b",
        ]
        try withEachStore {
            let store = try makeStore([issue])
            let rows = texts.flatMap { first in
                texts.map { row(.string(first), .string($0), .int64(.min), .string(first + $0)) }
            }
            _ = try store.commit(ChangeSet(rows: rows))
            XCTAssertEqual(try store.count(issue), texts.count * texts.count)
            for object in try store.objects(Query(issue)) {
                let identity = try XCTUnwrap(object.identity)
                XCTAssertEqual(try store.object(issue, identity)?.storeKey, object.storeKey)
                guard case .string(let text) = identity else { return XCTFail("no text") }
                XCTAssertEqual(
                    issue.identityParts?.values(of: text), (0..<3).map(object.value(at:)))
            }
        }
    }

    func testAnObjectWithoutAPartHasNoIdentity() throws {
        try withEachStore {
            let store = try makeStore([issue])
            func incomplete() -> [Snapshot] {
                [
                    row(.string("octocat"), .string("hello"), .null),
                    row(.string("octocat"), .string("hello"), .absent),
                ]
            }
            _ = try store.commit(ChangeSet(rows: incomplete()))
            let commit = try store.commit(ChangeSet(rows: incomplete()))
            XCTAssertEqual(commit.insertedCount, 2)
            XCTAssertEqual(commit.objects.map(\.identity), [nil, nil])
            XCTAssertEqual(try store.count(issue), 4)
        }
    }

    func testTheAnswerGivesASentObjectThePartThatItLacks() throws {
        try withEachStore {
            let store = try makeStore([issue])
            let draft = Draft(issue)
            try draft.set(.string("octocat"), attribute: 0)
            try draft.set(.string("hello"), attribute: 1)
            var insertion = ChangeSet(origin: .host)
            draft.capture().add(to: &insertion)
            let key = try store.commit(insertion).objects[0].storeKey
            XCTAssertTrue(try store.isUnsent(issue, storeKey: key))
            // Another answer has brought the object before.
            _ = try store.commit(ChangeSet(rows: [row("hello", 9, "other")]))
            var answer = ChangeSet(rows: [row(.absent, .absent, .int64(9), .string("sent"))])
            answer.answers = [.init(storeKey: key, entity: issue, row: 0)]
            let commit = try store.commit(answer, recordingChanges: true)
            XCTAssertEqual(commit.objects.map(\.storeKey), [key])
            XCTAssertEqual(commit.changes.map(\.kind), [.deleted, .updated])
            let found = try XCTUnwrap(store.object(issue, identity("hello", 9)))
            XCTAssertEqual(found.storeKey, key)
            XCTAssertEqual(found.string(at: 3), "sent")
            XCTAssertFalse(try store.isUnsent(issue, storeKey: key))
            XCTAssertEqual(try store.count(issue), 1)
            // The object is found by its identity from now on.
            let later = try store.commit(ChangeSet(rows: [row("hello", 9, "later")]))
            XCTAssertEqual(later.objects[0].storeKey, key)
        }
    }

    func testPartsOfADraftChangeUntilItsObjectHasAnIdentity() throws {
        try withEachStore {
            let store = try makeStore([issue])
            let draft = Draft(issue)
            for (index, value) in [Value.string("octocat"), .string("hello")].enumerated() {
                try draft.set(value, attribute: index)
            }
            func insert() throws -> Snapshot {
                var changes = ChangeSet(origin: .host)
                draft.capture().add(to: &changes)
                return try store.commit(changes).objects[0]
            }
            XCTAssertNil(try insert().identity)
            try draft.set(.int64(1), attribute: 2)
            XCTAssertEqual(try insert().identity, identity("hello", 1))
            try draft.set(.string("world"), attribute: 1)
            XCTAssertEqual(try insert().identity, identity("world", 1))
            XCTAssertNil(try store.object(issue, identity("hello", 1)))
            XCTAssertEqual(try store.object(issue, identity("world", 1))?.storeKey, 1)
            XCTAssertEqual(try store.count(issue), 1)
            let copy = Draft(copying: try insert())
            XCTAssertThrowsError(try copy.set(.int64(2), attribute: 2)) { error in
                XCTAssertEqual(
                    (error as? DraftError)?.message,
                    "Issue.number is a part of the identity of the object: once set, it cannot "
                        + "change")
            }
        }
    }

    func testLinksLeadToTheObjectOfARowWithAnIdentityAlone() throws {
        try withEachStore {
            let store = try makeStore([issue])
            var values = [Value](repeating: .absent, count: issue.cellCount)
            let index = try XCTUnwrap(issue.identityIndex)
            values[index] = .string("[\"octocat\",\"hello\",1]")
            let stub = Snapshot.make(issue, values)
            XCTAssertEqual((0..<3).map(stub.value(at:)), [
                .string("octocat"), .string("hello"), .int64(1),
            ])
            let child = row(
                .string("octocat"), .string("hello"), .int64(2), .absent,
                .link(Cell.reference(toRow: 1)))
            _ = try store.commit(ChangeSet(rows: [child, stub]))
            _ = try store.commit(ChangeSet(rows: [row("hello", 1, "parent")]))
            let found = try XCTUnwrap(store.object(issue, identity("hello", 2)))
            let parents = try store.related(found, relationship: 0)
            XCTAssertEqual(parents.map { $0.string(at: 3) }, ["parent"])
        }
    }

    func testAHiddenCellIsNoAttribute() {
        XCTAssertEqual(issue.valueCount, 5)
        XCTAssertEqual(issue.cellCount, 6)
        XCTAssertEqual(issue.identityIndex, 5)
        XCTAssertNil(issue.attributeIndex(named: "_identity"))
        XCTAssertEqual(issue.identityNames, "owner, repo and number")
        XCTAssertTrue(issue.isIdentity(attribute: 2))
        XCTAssertFalse(issue.isIdentity(attribute: 3))
    }

    func testAnIdentityIsReadFromJSONWithAnyWhiteSpace() {
        let parts = issue.identityParts
        XCTAssertEqual(
            parts?.identity(ofJSON: " [ \"octocat\" ,\n\"hello\", 7 ] "), identity("hello", 7))
        for text in ["", "7", "[\"octocat\",\"hello\"]", "[\"octocat\",\"hello\",\"7\"]",
            "[\"octocat\",\"hello\",7,8]", "[\"octocat\",null,7]", "[\"octocat\",\"hello\",7.5]"]
        {
            XCTAssertNil(parts?.identity(ofJSON: text), text)
        }
    }
}

/// Files whose document gets an identity of several parts, or another one.
final class IdentityPartsFileTests: SQLiteTestCase {
    private let model = EntityModel()

    private func issue(_ identity: [Int], numberType: AttributeType = .int) -> Entity {
        Entity(
            name: "Issue", index: 0,
            attributes: [
                Attribute(name: "owner", type: .string), Attribute(name: "repo", type: .string),
                Attribute(name: "number", type: numberType),
                Attribute(name: "title", type: .string),
            ], identityIndex: identity.count == 1 ? identity[0] : nil,
            identityParts: identity.count > 1 ? identity : nil, model: model)
    }

    private func row(_ entity: Entity, _ repo: String, _ number: Int64, _ title: String = "")
        -> Snapshot
    {
        Snapshot.make(
            entity, [.string("octocat"), .string(repo), .int64(number), .string(title)])
    }

    func testAFileKeepsObjectsOfSeveralParts() throws {
        let entity = issue([0, 1, 2])
        do {
            let store = try file.open([entity])
            try commit(store, row(entity, "hello", 7, "a"), row(entity, "world", 7, "b"))
        }
        let again = issue([0, 1, 2])
        let store = try file.open([again])
        try commit(store, row(again, "world", 7, "c"))
        XCTAssertEqual(try store.count(again), 2)
        XCTAssertEqual(
            try store.object(again, .string("[\"octocat\",\"hello\",7]"))?.string(at: 3), "a")
        XCTAssertEqual(
            try store.object(again, .string("[\"octocat\",\"world\",7]"))?.string(at: 3), "c")
        XCTAssertEqual(
            try file.integer("SELECT count(*) FROM Issue WHERE _identity LIKE '[\"octocat\",%'"),
            2)
    }

    func testTwoStoresOnOneFileFindEachOthersObjects() throws {
        let (first, second) = (issue([0, 1, 2]), issue([0, 1, 2]))
        let (one, other) = (try file.open([first]), try file.open([second]))
        try commit(one, row(first, "hello", 7, "a"))
        let identity = Identity.string("[\"octocat\",\"hello\",7]")
        XCTAssertEqual(try other.object(second, identity)?.string(at: 3), "a")
        try commit(other, row(second, "hello", 7, "b"), row(second, "world", 7))
        XCTAssertEqual(try one.object(first, identity)?.string(at: 3), "b")
        XCTAssertEqual(try one.count(first), 2)
        var deletion = ChangeSet()
        deletion.deletions = [.identity(first, identity)]
        _ = try one.commit(deletion)
        XCTAssertNil(try other.object(second, identity))
        XCTAssertEqual(try other.count(second), 1)
    }

    func testAFileOfOnePartGetsSeveralPartsAndBack() throws {
        let old = issue([2])
        do {
            let store = try file.open([old])
            try commit(store, row(old, "hello", 1), row(old, "a\u{1}\"\\/é", 2))
        }
        let new = issue([0, 1, 2])
        do {
            let store = try file.open([new])
            for object in try store.objects(Query(new)) {
                let number: Int64 = object.value(at: 2) == .int64(1) ? 1 : 2
                let made = row(new, object.string(at: 1) ?? "", number)
                XCTAssertEqual(object.identity, made.identity)
                XCTAssertEqual(
                    try store.object(new, XCTUnwrap(made.identity))?.storeKey, object.storeKey)
            }
            try commit(store, row(new, "hello", 1, "found"))
            XCTAssertEqual(try store.count(new), 2)
        }
        let back = issue([2])
        let store = try file.open([back])
        XCTAssertEqual(try store.object(back, .integer(1))?.string(at: 3), "found")
        XCTAssertEqual(try store.count(back), 2)
    }

    func testOtherPartsMakeOtherIdentities() throws {
        let old = issue([1, 2])
        do {
            let store = try file.open([old])
            try commit(store, row(old, "hello", 1, "a"))
        }
        for parts in [[0, 1, 2], [2, 1], [1, 2]] {
            let new = issue(parts)
            let store = try file.open([new])
            let identity = try XCTUnwrap(row(new, "hello", 1).identity)
            XCTAssertEqual(try store.object(new, identity)?.string(at: 3), "a", "\(parts)")
        }
        let texts = issue([1, 2], numberType: .string)
        let store = try file.open([texts])
        XCTAssertEqual(
            try store.object(texts, .string("[\"hello\",\"1\"]"))?.string(at: 3), "a")
    }

    func testObjectsThatWouldBeOneAreRefused() throws {
        let old = issue([0, 1, 2])
        do {
            let store = try file.open([old])
            try commit(store, row(old, "hello", 1), row(old, "hello", 2))
        }
        XCTAssertEqual(
            refusal([issue([0, 1])]),
            .incompatible(
                path: file.path,
                reason: "entity \"Issue\": owner and repo cannot become the identity: two objects "
                    + "would have the same identity"))
        _ = try file.open([old])
    }
}

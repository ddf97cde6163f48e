import XCTest

@testable import RestwayObjects

/// A model of companies and people, and a store.
final class DraftTests: XCTestCase {
    private let model = EntityModel()
    private lazy var company = Entity(
        name: "Company", index: 0,
        attributes: [
            Attribute(name: "id", type: .int), Attribute(name: "name", type: .string),
            Attribute(name: "rating", type: .double), Attribute(name: "note"),
        ],
        relationships: [
            Relationship(name: "owner", targetName: "Person", targetIndex: 1, policy: .replace),
            Relationship(
                name: "staff", targetName: "Person", targetIndex: 1, isMany: true, policy: .merge),
        ],
        identityIndex: 0, model: model)
    private lazy var person = Entity(
        name: "Person", index: 1,
        attributes: [Attribute(name: "id"), Attribute(name: "name", type: .string)],
        relationships: [Relationship(name: "employer", targetName: "Company", targetIndex: 0)],
        identityIndex: 0, model: model)
    private let store = MemoryStore(keyBefore: 0)

    private func people(_ identities: Int64...) throws -> [Snapshot] {
        let rows = identities.map { Snapshot.make(person, [.int64($0), .string("p\($0)")]) }
        return try store.commit(ChangeSet(rows: rows)).objects
    }

    private func object(_ values: Value...) throws -> Snapshot {
        try store.commit(ChangeSet(rows: [Snapshot.make(company, values)])).objects[0]
    }

    @discardableResult
    private func insert(_ draft: Draft) throws -> Snapshot {
        try store.commit(draft.capture().inserting).objects[0]
    }

    func testACopySaysWhatItsObjectSaysUntilItIsTold() throws {
        let object = try object(.int64(1), .string("One"), .double(1.5))
        let draft = Draft(copying: object)
        XCTAssertEqual(draft.snapshot().values, object.values)
        XCTAssertEqual(draft.changedCells, [])
        try draft.set(.string("Two"), attribute: 1)
        try draft.set(.double(1.5), attribute: 2)
        XCTAssertEqual(draft.changedCells, [1])
        XCTAssertEqual(draft.snapshot().value(named: "name"), .string("Two"))
        XCTAssertEqual(object.value(named: "name"), .string("One"))
        XCTAssertEqual(draft.storeKey, object.storeKey)
        XCTAssertEqual(draft.snapshot().storeKey, object.storeKey)
    }

    func testChangesAreComparedByteByByte() throws {
        let draft = Draft(copying: try object(.int64(1), .string("\u{e9}")))
        try draft.set(.string("e\u{301}"), attribute: 1)
        XCTAssertEqual(draft.changedCells, [1])
    }

    func testValuesMustFitTheirTypes() throws {
        let draft = Draft(company)
        try draft.set(.int64(2), attribute: 2)
        XCTAssertEqual(draft.snapshot().value(at: 2), .double(2))
        for (value, index, message) in [
            (Value.string("x"), 0, "Company.id takes an integer, not a string"),
            (.int64(1), 1, "Company.name takes a string, not an integer"),
            (.bool(true), 2, "Company.rating takes a number, not a boolean"),
            (.link(1), 3, "Company.note takes a value, not an object"),
            (.links([]), 1, "Company.name takes a string, not a list of objects"),
        ] {
            XCTAssertThrowsError(try draft.set(value, attribute: index)) {
                XCTAssertEqual(($0 as? DraftError)?.message, message)
            }
        }
        XCTAssertThrowsError(try Draft(person).set(.bool(true), attribute: 0)) {
            XCTAssertEqual(
                ($0 as? DraftError)?.message,
                "Person.id takes an integer or a string, not a boolean")
        }
        XCTAssertEqual(draft.changedCells, [2])
        for value in [Value.bytes([1]), .date(7), .json("[]"), .bool(true)] {
            try draft.set(value, attribute: 3)
            XCTAssertEqual(draft.snapshot().value(at: 3), value)
        }
    }

    func testAnObjectKeepsItsIdentity() throws {
        let draft = Draft(copying: try object(.int64(1)))
        try draft.set(.int64(1), attribute: 0)
        XCTAssertThrowsError(try draft.set(.int64(2), attribute: 0)) {
            XCTAssertEqual(
                $0 as? DraftError, .fixedIdentity(entity: "Company", attribute: "id"))
        }
        let unnamed = Draft(copying: try object(.absent, .string("new")))
        try unnamed.set(.int64(9), attribute: 0)
        XCTAssertEqual(unnamed.changedCells, [0])
    }

    func testUnsetSaysNothingAndRevertTakesBack() throws {
        let draft = Draft(copying: try object(.int64(1), .string("One"), .double(2)))
        draft.unset(cell: 1)
        XCTAssertEqual(draft.snapshot().value(at: 1), .absent)
        XCTAssertEqual(draft.changedCells, [])
        try draft.set(.null, attribute: 2)
        XCTAssertEqual(draft.changedCells, [2])
        draft.revert(cell: 1)
        XCTAssertEqual(draft.snapshot().value(at: 1), .string("One"))
        draft.revert(cell: nil)
        XCTAssertEqual(draft.changedCells, [])
    }

    func testLinksAreSetAddedAndRemoved() throws {
        let people = try people(1, 2, 3)
        let keys = people.map(\.storeKey)
        let draft = Draft(company)
        try draft.set([.object(people[0]), .object(people[0])], relationship: 1)
        try draft.add(.object(people[1]), relationship: 1)
        try draft.add(.object(people[1]), relationship: 1)
        XCTAssertEqual(draft.snapshot().relatedKeys(at: 1), [keys[0], keys[1]])
        try draft.remove(.object(people[0]), relationship: 1)
        try draft.remove(.object(people[2]), relationship: 1)
        XCTAssertEqual(draft.snapshot().relatedKeys(at: 1), [keys[1]])
        try draft.add(.object(people[2]), relationship: 0)
        XCTAssertEqual(draft.snapshot().relatedKeys(at: 0), [keys[2]])
        try draft.remove(.object(people[1]), relationship: 0)
        XCTAssertEqual(draft.snapshot().relatedKeys(at: 0), [keys[2]])
        try draft.remove(.object(people[2]), relationship: 0)
        XCTAssertEqual(draft.snapshot().value(at: 4), .null)
        XCTAssertEqual(draft.changedCells, [4, 5])
    }

    func testLinksMustLeadToTheRightEntity() throws {
        let draft = Draft(company)
        let stranger = Entity(name: "Person", index: 1, attributes: [])
        XCTAssertThrowsError(try draft.add(.draft(Draft(company)), relationship: 1)) {
            XCTAssertEqual(
                ($0 as? DraftError)?.message, "Company.staff leads to Person, not to Company")
        }
        XCTAssertThrowsError(try draft.set([.draft(Draft(stranger))], relationship: 0)) {
            XCTAssertEqual(
                ($0 as? DraftError)?.message,
                "Company.owner leads to Person, not to the Person of another api")
        }
        let two = [Draft(person), Draft(person)].map { Draft.Target.draft($0) }
        XCTAssertThrowsError(try draft.set(two, relationship: 0)) {
            XCTAssertEqual(
                ($0 as? DraftError)?.message,
                "Company.owner leads to one object, not to several")
        }
        XCTAssertEqual(draft.changedCells, [])
    }

    func testInsertingPutsLinkedDraftsIntoTheStoreToo() throws {
        let draft = Draft(company)
        let (first, second) = (Draft(person), Draft(person))
        try draft.set(.string("New"), attribute: 1)
        try first.set(.string("Ann"), attribute: 1)
        try first.add(.draft(draft), relationship: 0)
        try draft.set([.draft(first), .draft(second)], relationship: 1)
        let inserted = try insert(draft)
        XCTAssertTrue(store.isUnsent(company, storeKey: inserted.storeKey))
        let staff = store.related(inserted, relationship: 1)
        XCTAssertEqual(staff.map { $0.value(at: 1) }, [.string("Ann"), .absent])
        XCTAssertEqual(store.related(staff[0], relationship: 0).map(\.storeKey), [draft.storeKey])
        XCTAssertEqual([first.storeKey, second.storeKey], staff.map(\.storeKey))
        XCTAssertEqual(draft.changedCells, [1, 5], "the server has not heard of it")

        try draft.set(.string("Newer"), attribute: 1)
        let again = try insert(draft)
        XCTAssertEqual(again.storeKey, inserted.storeKey)
        XCTAssertEqual(again.value(at: 1), .string("Newer"))
        XCTAssertEqual(store.count(nil), 3)
    }

    func testALocalEditFollowsNoPolicy() throws {
        let people = try people(1, 2)
        let links = Value.links(people.map(\.storeKey))
        let object = try object(
            .int64(1), .absent, .absent, .absent, .link(people[0].storeKey), links)
        let draft = Draft(copying: object)
        try draft.remove(.object(people[0]), relationship: 1)
        try draft.set([], relationship: 0)
        let edited = try insert(draft)
        XCTAssertEqual(edited.relatedKeys(at: 1), [people[1].storeKey], "policy merge")
        XCTAssertEqual(edited.value(at: 4), .null)
        XCTAssertEqual(store.count(person), 2, "policy replace deletes unlinked objects")
        draft.setNull(relationship: 1)
        XCTAssertEqual(try insert(draft).relatedKeys(at: 1), [])
        XCTAssertFalse(store.isUnsent(company, storeKey: object.storeKey))
    }

    func testAnEditMergesWhatWasChangedOnly() throws {
        let draft = Draft(copying: try object(.int64(1), .string("One"), .double(1)))
        try draft.set(.double(5), attribute: 2)
        _ = try object(.int64(1), .string("Renamed"))
        let edited = try insert(draft)
        XCTAssertEqual(edited.values.prefix(3), [.int64(1), .string("Renamed"), .double(5)])
    }

    func testAnIdentityThatIsSetLaterTakesOverTheObjectThatHasIt() throws {
        let draft = Draft(company)
        try draft.set(.string("mine"), attribute: 1)
        let inserted = try insert(draft)
        let other = try object(.int64(7), .string("its"), .double(3))
        try draft.set(.int64(7), attribute: 0)
        let merged = try insert(draft)
        XCTAssertEqual(merged.storeKey, inserted.storeKey)
        XCTAssertEqual(merged.values.prefix(3), [.int64(7), .string("mine"), .double(3)])
        XCTAssertEqual(store.newest(company, storeKey: other.storeKey)?.storeKey, merged.storeKey)
        XCTAssertEqual(store.count(company), 1)
    }

    func testOfTwoThatInsertOneDraftTheSecondUpdates() throws {
        let draft = Draft(company)
        let (first, second) = (draft.capture(), draft.capture())
        _ = try store.commit(first.inserting)
        _ = try store.commit(second.inserting)
        XCTAssertEqual(store.count(company), 1)
    }

    func testAnAnswerLiesOverWhatWasSentAndBothAreOneObject() throws {
        for isInserted in [false, true] {
            let (draft, friend) = (Draft(company), Draft(person))
            try draft.set(.string("sent"), attribute: 1)
            try draft.set(.double(1), attribute: 2)
            try draft.set([.draft(friend)], relationship: 1)
            if isInserted { try insert(draft) }
            let before = store.count(nil)
            var answer = ChangeSet(
                rows: [Snapshot.make(company, [.int64(isInserted ? 2 : 1), .string("told")])])
            let edit = try XCTUnwrap(draft.capture().add(to: &answer)[0])
            answer.answers = [
                .init(storeKey: draft.storeKey, entity: company, row: 0, edit: edit)
            ]
            let commit = try store.commit(answer, recordingChanges: true)
            let told = commit.objects[0]
            XCTAssertEqual(told.values.dropFirst().prefix(2), [.string("told"), .double(1)])
            XCTAssertTrue(told === commit.objects[edit])
            XCTAssertEqual(draft.storeKey, told.storeKey)
            XCTAssertFalse(store.isUnsent(company, storeKey: told.storeKey))
            XCTAssertEqual(store.related(told, relationship: 1).map(\.storeKey), [friend.storeKey])
            XCTAssertEqual(store.count(nil), before + (isInserted ? 0 : 2))
            let kinds: [Change.Kind] = isInserted ? [.updated] : [.inserted, .inserted]
            XCTAssertEqual(commit.changes.map(\.kind), kinds)
        }
    }

    func testWhatWasSaidAfterTheCaptureOutlivesTheAnswer() throws {
        let draft = Draft(company)
        try draft.set(.string("sent"), attribute: 1)
        try draft.set(.string("sent"), attribute: 3)
        draft.setNull(relationship: 1)
        let capture = draft.capture()
        try draft.set(.string("later"), attribute: 3)
        let answer = try object(.int64(4), .string("Sent"), .double(1), .string("x"))
        capture.sent(0).settle(on: answer, withholding: [5])
        XCTAssertEqual(draft.storeKey, answer.storeKey)
        XCTAssertEqual(draft.changedCells, [3, 5])
        XCTAssertEqual(
            draft.snapshot().values,
            [.int64(4), .string("Sent"), .double(1), .string("later"), .absent, .null])
    }

    func testCirclesOfDraftsGoWithTheirLastHolder() throws {
        weak var company: DraftNode?
        weak var person: DraftNode?
        do {
            let kept: Draft
            do {
                let draft = Draft(self.company)
                kept = Draft(self.person)
                try draft.add(.draft(kept), relationship: 0)
                try kept.add(.draft(draft), relationship: 0)
                try draft.set(.string("linked"), attribute: 1)
                (company, person) = (draft.node, kept.node)
            }
            let members = kept.capture().members
            XCTAssertEqual(members.map(\.entity.name), ["Person", "Company"])
            XCTAssertEqual(members[1].values[1], .string("linked"))
        }
        XCTAssertNil(company)
        XCTAssertNil(person)
    }
}

extension DraftCapture {
    var inserting: ChangeSet {
        var changes = ChangeSet(origin: .host)
        add(to: &changes)
        return changes
    }
}

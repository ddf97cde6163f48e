import XCTest

@testable import RestwayObjects

/// The versions that an answer states follow their rows when change sets are joined or split.
final class VersionRowTests: XCTestCase {
    private let entity = Entity(
        name: "Note", index: 0,
        attributes: [Attribute(name: "id"), Attribute(name: "title", type: .string)],
        identityIndex: 0, version: VersionRule(.entityTag))
    private let (first, second) = (ObjectVersion("\"1\""), ObjectVersion("\"2\""))

    private func changes(_ ids: Int64..., versions: [Int: ObjectVersion]) -> ChangeSet {
        var changes = ChangeSet(
            rows: ids.map { Snapshot.make(entity, [.int64($0), .string("text")]) })
        changes.versions = versions
        return changes
    }

    func testTheRowsOfALaterResponseBringTheirVersions() {
        var all = ChangeSet()
        all.append(rowsOf: changes(1, 2, versions: [1: first]))
        XCTAssertEqual(all.versions, [1: first])
        all.append(rowsOf: changes(3, versions: [0: second]))
        XCTAssertEqual(all.versions, [1: first, 2: second])
    }

    func testRowsThatNoStoreTakesLeaveTheVersionsOfTheOthers() throws {
        var changes = changes(1, 2, 3, versions: [0: first, 2: second])
        changes.unkeptRows = [0]
        let split = SplitChanges(changes)
        XCTAssertEqual(split.kept.versions, [1: second])
        let store = MemoryStore(keyBefore: 0)
        let commit = try split.finish(store.commit(split.kept))
        XCTAssertEqual(
            try commit.objects.map { try store.version(entity, storeKey: $0.storeKey) },
            [nil, nil, second])
    }

    func testAVersionAloneIsAChange() {
        var changes = ChangeSet()
        XCTAssertTrue(changes.isEmpty)
        changes.versionsOfDelivered = [1: first]
        XCTAssertFalse(changes.isEmpty)
    }

    func testADraftSaysWhatItWasMadeFrom() throws {
        let store = MemoryStore(keyBefore: 0)
        let object = try store.commit(changes(1, versions: [:])).objects[0]
        let draft = Draft(copying: object)
        try draft.set(.string("mine"), attribute: 1)
        XCTAssertTrue(draft.capture().root.base === object)
        XCTAssertNil(Draft(entity).capture().root.base)
    }
}

import RestwayObjects
import XCTest

final class SnapshotTests: XCTestCase {
    func testCellIsLaidOutLikeTheValueOfTheCBoundary() {
        XCTAssertEqual(MemoryLayout<Cell>.size, 16)
        XCTAssertEqual(MemoryLayout<Cell>.stride, 16)
        XCTAssertEqual(MemoryLayout<Cell>.offset(of: \.rawKind), 0)
        XCTAssertEqual(MemoryLayout<Cell>.offset(of: \.length), 4)
        XCTAssertEqual(MemoryLayout<Cell>.offset(of: \.bits), 8)
        XCTAssertEqual(Cell.absent.rawKind, 10)
        XCTAssertEqual(Cell.null.rawKind, 0)
    }

    func testValuesOfEveryKindComeBackAsTheyWereWritten() {
        let values: [Value] = [
            .absent, .null, .bool(true), .bool(false), .int64(.min), .int64(.max), .double(-0.5),
            .date(-1), .string(""), .string("é\u{0}x"), .bytes([]), .bytes([0, 255]),
            .json(#"{"a":[]}"#),
        ]
        let entity = Entity(
            name: "All", index: 0,
            attributes: values.indices.map { Attribute(name: "a\($0)") })
        XCTAssertEqual(Snapshot.make(entity, values).values, values)
    }

    func testTextLiesInTheBlockWithANulBehindIt() {
        let snapshot = Companies.row(Companies.entity(), .string("x"), .string("name"))
        withExtendedLifetime(snapshot) {
            let text = snapshot.cell(at: 1).text
            XCTAssertEqual(String(decoding: text, as: UTF8.self), "name")
            XCTAssertEqual(text.baseAddress?.load(fromByteOffset: 4, as: UInt8.self), 0)
            let distance = text.baseAddress! - UnsafeRawPointer(snapshot.cells)
            XCTAssertEqual(distance, 4 * 16 + 2)
        }
    }

    func testMissingValuesAreAbsentAndSurplusOnesAreLeftOut() {
        let entity = Companies.entity()
        XCTAssertEqual(
            Companies.row(entity, .int64(1)).values, [.int64(1), .absent, .absent, .absent])
        let surplus = Companies.row(entity, .null, .null, .null, .null, .int64(5))
        XCTAssertEqual(surplus.cellCount, 4)
    }

    func testMergingKeepsOlderCellsWhereTheRowIsAbsent() {
        let entity = Companies.entity()
        let older = Companies.row(entity, .int64(1), .string("old"), .double(1), .json("[1]"))
        let row = Companies.row(entity, .int64(1), .string("new"), .null)
        XCTAssertEqual(
            row.completed(from: older).values, [.int64(1), .string("new"), .null, .json("[1]")])
    }

    func testEffectTellsNothingFromMergeFromReplacement() {
        let entity = Companies.entity()
        let older = Companies.row(entity, .int64(1), .string("a"), .double(.nan), .json("[]"))
        let cases: [([Value], String)] = [
            ([.int64(1)], "nothing"),
            ([.int64(1), .string("a"), .double(.nan), .json("[]")], "nothing"),
            ([.int64(1), .string("b")], "merges"),
            ([.int64(1), .null, .double(1), .json("[]")], "replaces"),
            ([.int64(1), .string("a"), .double(0), .bytes([91, 93])], "replaces"),
        ]
        for (values, effect) in cases {
            let found = switch Snapshot.make(entity, values).merging(over: older) {
            case .nothing: "nothing"
            case .merges: "merges"
            case .replaces: "replaces"
            }
            XCTAssertEqual(found, effect, "\(values)")
        }
    }

    func testIdentityIsAnIntegerOrAStringAndNothingElse() {
        let entity = Companies.entity()
        XCTAssertEqual(Companies.row(entity, .int64(7)).identity, .integer(7))
        XCTAssertEqual(Companies.row(entity, .string("7")).identity, .string("7"))
        for value: Value in [.null, .absent, .bool(true), .double(7), .json("7"), .date(7)] {
            XCTAssertNil(Companies.row(entity, value).identity, "\(value)")
        }
        XCTAssertNil(Companies.row(Companies.entity(identity: nil), .int64(7)).identity)
    }

    func testIntegersAndStringsAreDifferentIdentitiesAndStringsAreComparedByBytes() {
        XCTAssertNotEqual(Identity.integer(1), .string("1"))
        XCTAssertNotEqual(Identity.string("\u{E9}"), .string("e\u{301}"))
        XCTAssertEqual(Identity.string("\u{E9}"), .string("\u{E9}"))
        XCTAssertEqual(Set([Identity.string("\u{E9}"), .string("e\u{301}"), .integer(1)]).count, 3)
    }

    func testSameMeansSameEntityAndStoreKey() {
        let (entity, other) = (Companies.entity(), Companies.entity())
        func stored(_ entity: Entity, _ key: Int64, _ values: Value...) -> Snapshot {
            let snapshot = Snapshot.make(entity, values)
            snapshot.setStoreKey(key)
            return snapshot
        }
        let one = stored(entity, 7, .null, .string("a"))
        XCTAssertTrue(one.isSame(as: stored(entity, 7, .int64(1), .string("b"))))
        XCTAssertFalse(one.isSame(as: stored(entity, 8, .null, .string("a"))))
        XCTAssertFalse(one.isSame(as: stored(other, 7, .null, .string("a"))))
        let unknown = Companies.row(entity, .int64(1))
        XCTAssertTrue(unknown.isSame(as: unknown))
        XCTAssertFalse(unknown.isSame(as: Companies.row(entity, .int64(1))), "no store knows it")
    }

    func testEqualMeansSameEntityAndEveryValueAndTheHashAgrees() {
        let (entity, other) = (Companies.entity(), Companies.entity())
        let values: [Value] = [.int64(1), .string("é"), .double(0.5), .json("[1]")]
        let one = Snapshot.make(entity, values)
        let twin = Snapshot.make(entity, values)
        one.setStoreKey(7)
        twin.setStoreKey(8)
        XCTAssertTrue(one.isEqual(to: twin), "the store key is no value")
        XCTAssertEqual(one.hash, twin.hash)
        XCTAssertEqual(one.hash, one.hash)
        XCTAssertFalse(one.isEqual(to: Snapshot.make(other, values)))
        let changes: [(Int, Value)] = [
            (0, .string("1")), (0, .null), (1, .string("e\u{301}")), (1, .string("")),
            (1, .absent), (2, .double(0.25)), (2, .null), (3, .json("[1 ]")), (3, .string("[1]")),
        ]
        for (index, value) in changes {
            var changed = values
            changed[index] = value
            let snapshot = Snapshot.make(entity, changed)
            XCTAssertFalse(one.isEqual(to: snapshot), "\(value)")
            XCTAssertFalse(snapshot.isEqual(to: one), "\(value)")
            // Hashes could collide by chance, with a probability of 1 to 2 to the power of 60.
            XCTAssertNotEqual(one.hash, snapshot.hash, "\(value)")
        }
        let nothing = Snapshot.make(entity, [.null, .string(""), .double(.nan), .absent])
        let alike = Snapshot.make(entity, [.null, .string(""), .double(.nan), .absent])
        XCTAssertTrue(nothing.isEqual(to: alike))
        XCTAssertEqual(nothing.hash, alike.hash)
    }

    func testEntityKeepsItsNamesForC() {
        let entity = Companies.entity()
        XCTAssertEqual(String(cString: entity.nameCString), "Company")
        XCTAssertEqual(entity.attributeNameCString(at: 3).map { String(cString: $0) }, "tags")
        XCTAssertNil(entity.attributeNameCString(at: 4))
        XCTAssertNil(entity.attributeNameCString(at: -1))
        XCTAssertEqual(entity.attributeIndex(named: "rating"), 2)
        XCTAssertEqual(entity.attributeIndex(cString: "rating"), 2)
        XCTAssertNil(entity.attributeIndex(named: "Rating"))
        XCTAssertNil(entity.attributeIndex(cString: "ratings"))
    }

    func testSnapshotsKeepTheirEntityAlive() {
        weak var entity: Entity?
        var snapshot: Snapshot?
        do {
            let made = Companies.entity()
            entity = made
            snapshot = Companies.row(made, .int64(1))
        }
        XCTAssertNotNil(entity)
        XCTAssertEqual(snapshot?.entity.name, "Company")
        snapshot = nil
        XCTAssertNil(entity)
    }
}

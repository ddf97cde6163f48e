import RestwayObjects
import XCTest

@testable import RestwayMapping

/// The indices of a plan and of a machine: each leads to its own list, and none is larger than an
/// integer.
final class PlanIndexTests: XCTestCase {
    func testATableHasTheMappingsOfDescriptorsBeforeThoseOfEntities() {
        let table = MappingTable(descriptors: ["first", "second"], entities: ["A", "B", "C"])
        XCTAssertEqual(table[table.index(of: DescriptorIndex(0))], "first")
        XCTAssertEqual(table[table.index(of: DescriptorIndex(1))], "second")
        XCTAssertEqual((0...2).map { table[table.index(ofEntity: $0)] }, ["A", "B", "C"])
        XCTAssertEqual(table.all, ["first", "second", "A", "B", "C"])
        XCTAssertNotEqual(table.index(of: DescriptorIndex(0)), table.index(ofEntity: 0))
    }

    func testAMappedTableHasTheSameIndices() {
        let table = MappingTable(descriptors: ["first"], entities: ["A", "B"])
        let counts = table.map(\.count)
        XCTAssertEqual(counts[table.index(of: DescriptorIndex(0))], 5)
        XCTAssertEqual(counts[table.index(ofEntity: 1)], 1)
        XCTAssertEqual(counts.index(ofEntity: 1), table.index(ofEntity: 1))
    }

    func testATableWithoutDescriptorsBeginsWithTheEntities() {
        let table = MappingTable(descriptors: [], entities: ["A"])
        XCTAssertEqual(table[table.index(ofEntity: 0)], "A")
        XCTAssertEqual(MappingTable<String>(descriptors: ["first"], entities: []).all, ["first"])
    }

    func testDetailsOfTheAnswerStandBesideThoseOfMappings() throws {
        var own = PlanDraft()
        own.add(
            AttributeMapping(attribute: 0, source: [], conversion: .date(try DateFormat("epoch"))),
            isIdentity: false)
        var answer = PlanDraft()
        let day = try DateFormat("dd/MM/yyyy")
        answer.add(.date(day), ofAnswer: DescriptorIndex(0), at: [])
        let (ownTree, answerTree) = (PlanTree(own), PlanTree(answer))
        let table = MappingTable(descriptors: [PlanDetails()], entities: [ownTree.details])
        let details = TreeDetails(table, ofAnswer: answerTree.details)

        withExtendedLifetime((ownTree, answerTree)) {
            let ofRow = details[table.index(ofEntity: 0)]
            XCTAssertEqual(ofRow.format(of: ownTree.root.pointee.targets[0]).text, "epoch")
            let ofAnswer = details[nil]
            XCTAssertEqual(
                ofAnswer.format(of: answerTree.root.pointee.targets[0]).text, day.text)
        }
    }

    /// A value of the answer has no cell, so no short way for attributes takes it.
    func testAValueOfTheAnswerHasADescriptorInPlaceOfAnAttribute() throws {
        var draft = PlanDraft()
        draft.add(.int, ofAnswer: DescriptorIndex(3), at: ["count"])
        draft.add(
            AttributeMapping(attribute: 3, source: ["id"], conversion: .int), isIdentity: false)
        let tree = PlanTree(draft)
        let places = tree.root.pointee.children.map(\.pointee)
        withExtendedLifetime(tree) {
            XCTAssertEqual(places.map { $0.targets[0].attribute }, [nil, 3])
            XCTAssertEqual(places.map(\.isSimple), [false, true])
            guard case .answer(let descriptor) = places[0].targets[0].destination else {
                return XCTFail("the value goes to a cell")
            }
            XCTAssertEqual(descriptor.position, 3)
        }
    }

    func testOptionalIndicesAreNoLargerThanIntegers() {
        let word = MemoryLayout<Int>.size
        XCTAssertLessThanOrEqual(MemoryLayout<OpenRow?>.size, word)
        XCTAssertLessThanOrEqual(MemoryLayout<MappingIndex?>.size, word)
        XCTAssertLessThanOrEqual(MemoryLayout<DescriptorIndex?>.size, word)
        XCTAssertLessThanOrEqual(MemoryLayout<PlanDetails.Index?>.size, word)
        XCTAssertEqual(MemoryLayout<OpenPlaces.Position>.stride, 2 * word)
        XCTAssertEqual(MemoryLayout<PlanRow>.stride, 2 * word)
        XCTAssertEqual(MemoryLayout<PlanTarget>.stride, 3 * word)
        XCTAssertEqual(MemoryLayout<OpenRows.Row>.stride, 7 * word)
    }

    func testARecordEndsWithItsOutermostContainer() {
        var tape = EventTape()
        defer { tape.destroy() }
        XCTAssertFalse(tape.isRecording)
        tape.open(isArray: false)
        tape.open(isArray: true, count: 0)
        tape.open(isArray: true)
        XCTAssertTrue(tape.isRecording)
        XCTAssertFalse(tape.close(isArray: true))
        XCTAssertFalse(tape.close(isArray: true))
        XCTAssertTrue(tape.close(isArray: false))
        XCTAssertFalse(tape.isRecording)
        XCTAssertFalse(tape.isReading)
        XCTAssertNil(tape.event(at: []))
    }
}

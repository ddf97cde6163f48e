import Dispatch
import RestwayObjects
import RestwayThreads
import XCTest

/// For the thread sanitizer, and for states that must never be visible.
final class DraftConcurrencyTests: XCTestCase {
    func testADraftIsReadAndSentWholeWhileItIsChangedAndLinked() throws {
        let model = EntityModel()
        let node = Entity(
            name: "Node", index: 0,
            attributes: [Attribute(name: "a", type: .int), Attribute(name: "b", type: .string)],
            relationships: [
                Relationship(name: "next", targetName: "Node", targetIndex: 0),
                Relationship(name: "all", targetName: "Node", targetIndex: 0, isMany: true),
            ], model: model)
        let drafts = (0..<4).map { _ in Draft(node) }
        let store = MemoryStore()
        let failures = Lock<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            for round in 0..<200 {
                let (own, other) = (drafts[worker], drafts[(worker + round) % 4])
                do {
                    try own.set(.int64(Int64(round)), attribute: 0)
                    try other.set(.string("\(round)"), attribute: 1)
                    try own.add(.draft(other), relationship: 1)
                    try own.set([.draft(other)], relationship: 0)
                    if round % 3 == 0 { try own.remove(.draft(other), relationship: 1) }
                    if round % 7 == 0 { own.revert(cell: 3) }
                    _ = try store.commit(other.capture().inserting)
                    let links = own.snapshot().relatedKeys(at: 1)
                    if Set(links).count != links.count || links.contains(0) {
                        failures.withLock { $0.append("links \(links)") }
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        XCTAssertEqual(failures.withLock { $0 }, [])
        XCTAssertEqual(store.count(nil), 4)
        for draft in drafts {
            let value = draft.snapshot().value(at: 0)
            XCTAssertEqual(value, .int64(199))
        }
    }
}

import XCTest

@testable import RestwayObjects

/// Rows about objects without pending edits go on needing no decision.
final class PendingRowTests: XCTestCase {
    private let entity = Companies.entity()

    private func row(_ id: Int64) -> Snapshot {
        Companies.row(entity, .int64(id), .string("Acme"))
    }

    /// Returns the rows of a list that need a decision.
    private func open(_ state: MemoryState, _ ids: [Int64]) -> [Int64] {
        var rows = ids.map(row)
        var (keys, open): ([Int64], [Int64]) = ([], [])
        var index = 0
        while true {
            index = state.takePlain(&rows, from: index, &keys).next
            guard index < rows.count else { return open }
            open.append(ids[index])
            // The commit takes this row by itself.
            if keys.count == index { keys.append(state.key(of: rows[index])) }
            index += 1
        }
    }

    func testOnlyRowsAboutObjectsWithPendingEditsNeedADecision() throws {
        let state = MemoryState(lastKey: 0)
        let ids = (Int64(1)...100).map { $0 }
        XCTAssertEqual(open(state, ids), [])
        var drafts = DraftKeys()
        var changes = ChangeSet(origin: .host)
        for id in [Int64(7), 50] {
            let object = try XCTUnwrap(state.key(entity, .integer(id)).flatMap {
                state.newest(entity, $0)
            })
            let draft = Draft(copying: object)
            try draft.set(.string("mine"), attribute: 1)
            draft.capture().add(to: &changes)
        }
        let edit = EditID.random(outbox: 1)
        changes.laying = edit
        _ = try CommitRun.apply(changes, to: state, &drafts, isRecording: false)
        XCTAssertEqual(open(state, ids + [101]), [7, 50])
        changes = ChangeSet()
        changes.editSteps = [.deliver(edit)]
        _ = try CommitRun.apply(changes, to: state, &drafts, isRecording: false)
        XCTAssertEqual(open(state, ids.filter { $0 != 7 && $0 != 50 }), [])
    }
}

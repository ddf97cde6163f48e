import RestwayMapping
import RestwayObjects
import RestwayRouting

/// What an answer means for the object that was sent.
extension ResponseProcessor {
    /// What `consequences` added to a change set.
    struct Consequences {
        /// The row of the draft that was sent.
        var edit: Int?
        /// The row of the answer that is about it.
        var answer: Int?
    }

    /// Whether the request has done what it should.
    func isDone(_ received: ReceivedResponse) -> Bool {
        received.isSuccess || isGone(received)
    }

    private func isGone(_ received: ReceivedResponse) -> Bool {
        client.options.takesMissingForDeleted && request.method == .delete
            && (received.status == 404 || received.status == 410)
    }

    /// Adds to `changes` what follows from the answer beside its own rows: they belong together.
    func consequences(
        of result: MappingResult?, _ received: ReceivedResponse, _ changes: inout ChangeSet
    ) throws(Failure) -> Consequences {
        guard isDone(received) else { return Consequences() }
        switch request.method {
        case .delete: changes.deletions += request.deletions
        case .post, .put, .patch:
            if let submission = request.submission {
                return try accept(submission, result, &changes)
            }
        case .get, .head: break
        }
        return Consequences()
    }

    /// The server has taken an object: what was sent is what there is, and over it what the answer
    /// tells.
    private func accept(
        _ submission: Submission, _ result: MappingResult?, _ changes: inout ChangeSet
    ) throws(Failure) -> Consequences {
        var consequences = Consequences(answer: answer(submission, result))
        if case .draft(let draft) = submission.subject {
            consequences.edit = draft.add(
                to: &changes, cells: try cells(submission, draft))
        }
        let key = submission.subject.storeKey
        guard key != 0 || consequences.edit != nil else { return consequences }
        // Only an object without identity becomes that of the answer; any other has been sent.
        let row = submission.identity == nil ? consequences.answer : nil
        changes.answer = ChangeSet.Answer(
            storeKey: key, entity: submission.entity, row: row, edit: consequences.edit)
        return consequences
    }

    /// The first object of the answer that is of the sent one's entity.
    private func answer(_ submission: Submission, _ result: MappingResult?) -> Int? {
        guard let result else { return nil }
        return result.parts.flatMap(\.rows).first {
            result.changeSet.rows[$0].entity === submission.entity
        }
    }

    /// What of a draft there is in the store from now on.
    private func cells(
        _ submission: Submission, _ draft: DraftCapture
    ) throws(Failure) -> Set<Int> {
        let all = Set(0..<submission.entity.cellCount).subtracting(submission.withheld)
        guard submission.isChangedOnly, draft.root.storeKey != 0,
            try client.store.newest(submission.entity, storeKey: draft.root.storeKey) != nil
        else { return all }
        return draft.root.changed.subtracting(submission.withheld)
    }

    /// Tells the draft that was sent what it has become.
    func settle(_ consequences: Consequences, _ commit: Commit) {
        guard let submission = request.submission, case .draft(let draft) = submission.subject,
            let edit = consequences.edit
        else { return }
        var object = commit.objects[edit]
        if let row = consequences.answer {
            let told = commit.objects[row]
            if told.storeKey == object.storeKey { object = told }
        }
        draft.settle(on: object, withholding: submission.withheld)
    }
}

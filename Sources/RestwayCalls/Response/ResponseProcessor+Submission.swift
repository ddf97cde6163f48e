import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayStore

/// Finds out what an answer means for the object that was sent.
extension ResponseProcessor {
    /// The additions of `consequences` to a change set.
    struct Consequences {
        /// The rows of the answer that are about the sent objects.
        var matching: AnswerMatching?
        /// The row of the answer that is about the object itself.
        var answer: Int?
        /// The rows that hold the sent values, by the member of the draft.
        var edits: [Int: Int] = [:]
    }

    /// Whether the request has done what it should.
    func isDone(_ received: Answer) -> Bool {
        request.answers.validation.isSuccess(received.status) || isGone(received)
            || isCurrent(received)
    }

    /// Whether the program has asked by a condition, and the server says that what the program has
    /// is current (RFC 9110, section 15.4.5).
    private func isCurrent(_ received: Answer) -> Bool {
        guard received.status == 304, request.method == .get || request.method == .head else {
            return false
        }
        return request.isConditional
    }

    /// Whether the server no longer has what the request deletes, and the request is done by that.
    func isGone(_ received: Answer) -> Bool {
        guard request.method == .delete, received.status == 404 || received.status == 410 else {
            return false
        }
        // The object that should lose links is missing, and not the links.
        if call.api.relationship(request.method, request.descriptorChoice) != nil { return false }
        if context.options.takesMissingForDeleted { return true }
        // The outbox or the retries wait for a status that their section lists.
        let listed =
            request.isFromOutbox
            ? context.outbox?.definition.statuses : request.sending.retry?.statuses
        if listed?.contains(where: { $0.contains(received.status) }) == true { return false }
        var facts = AnswerFacts(status: received.status)
        facts.isOfKnownDelete =
            request.exchange.method == Method.delete.rawValue
            && (request.isFromOutbox || received.isToRepetition)
        return AnswerMeaning(facts) == .alreadyGone
    }

    /// Adds to `changes` the changes that follow from the answer besides its own rows, so that both
    /// are stored together.
    ///
    /// - Parameter template: The template of the descriptors, for a request without a route.
    func consequences(
        of result: MappingResult?, _ template: PathTemplate?, _ received: Answer,
        _ changes: inout ChangeSet
    ) throws(Failure) -> Consequences {
        guard isDone(received) else { return Consequences() }
        // The server has the values that were sent. The rows of the answer may replace them.
        if let edit = request.edit ?? call.shownEdit { changes.editSteps.append(.deliver(edit)) }
        let renaming = renaming(result, received, changes.rows)
        if let renaming { try tellWaitingRequests(of: renaming, received) }
        switch request.method {
        case .delete: changes.deletions += request.deletions
        case .get:
            if let renaming { changes.answers.append(renaming.answer) }
            readAgain(result, &changes)
        case let method where !method.isSafe:
            for deletion in request.deletions where try !isTold(deletion, changes.rows) {
                changes.deletions.append(deletion)
            }
            if let submission = request.submission {
                return try accept(
                    submission, result, source(of: received, template), renaming, &changes)
            }
            if let renaming { changes.answers.append(renaming.answer) }
        default: break
        }
        return Consequences()
    }

    /// Whether an answer has the object that a delivered change no longer links to.
    private func isTold(
        _ deletion: ChangeSet.Deletion, _ rows: [Snapshot]
    ) throws(Failure) -> Bool {
        guard case .object(let entity, let key) = deletion,
            let identity = try context.store.newest(entity, storeKey: key)?.identity
        else { return false }
        return rows.contains { $0.identity == identity && $0.entity.isOfFamily(of: entity) }
    }

    /// Lets the only object of an answer be the object that the request is about, if neither has an
    /// identity: a part of the API that exists once, such as `/settings`.
    private func readAgain(_ result: MappingResult?, _ changes: inout ChangeSet) {
        guard let submission = request.submission, submission.identity == nil,
            submission.subject.storeKey != 0, let result,
            let row = result.onlyObject(like: submission.entity, among: changes.rows),
            changes.rows[row].identity == nil || submission.entity.isSingleton
        else { return }
        changes.answers.append(
            .init(storeKey: submission.subject.storeKey, entity: submission.entity, row: row))
    }

    /// Stores an object that the server has accepted: the values that were sent, replaced by the
    /// values of the answer where it has values. The values of a stored request are in the store
    /// already, as its pending edit.
    private func accept(
        _ submission: Submission, _ result: MappingResult?, _ source: AnswerSource,
        _ renaming: Renaming?, _ changes: inout ChangeSet
    ) throws(Failure) -> Consequences {
        let answer = answer(submission, result, changes.rows)
        let matching = AnswerMatching(submission.sent, changes.rows, root: answer)
        var consequences = Consequences(matching: matching, answer: answer)
        if case .draft(let draft) = submission.subject {
            consequences.edits = draft.add(
                to: &changes, cells: try cells(submission, draft, matching))
            RowCompletion.complete(
                &changes.rows, edits: consequences.edits, of: draft, from: source,
                isHeaded: answer == nil)
            if renaming != nil || submission.presentIdentity != nil, let row = consequences.edits[0]
            {
                // The draft may be older than the name of its object.
                changes.rows[row].leaveOutIdentity()
            }
        }
        let (key, edit) = (submission.subject.storeKey, consequences.edits[0])
        if let renaming {
            changes.answers.append(
                .init(
                    storeKey: key, entity: submission.entity, row: renaming.row, edit: edit,
                    formerIdentities: renaming.former))
        } else if key != 0 || edit != nil {
            // Only an object without an identity becomes the object of the answer; any other object
            // keeps its own identity.
            changes.answers.append(
                .init(
                    storeKey: key, entity: submission.entity,
                    row: submission.identity == nil ? answer : nil, edit: edit))
        }
        for (index, object) in submission.sent.enumerated().dropFirst()
        where !matching.lost.contains(index) {
            let edit = object.member.flatMap { consequences.edits[$0] }
            guard object.storeKey != 0 || edit != nil else { continue }
            changes.answers.append(
                .init(
                    storeKey: object.storeKey, entity: object.entity,
                    row: object.identity == nil ? matching.rows[index] : nil, edit: edit))
        }
        return consequences
    }

    /// Returns the first row of the answer with the entity of the sent object, or with another
    /// shape of its family.
    private func answer(
        _ submission: Submission, _ result: MappingResult?, _ rows: [Snapshot]
    ) -> Int? {
        guard let result else { return nil }
        // Behind a 303 stands another resource (RFC 9110, section 15.4.4).
        if request.exchange.method != request.method.rawValue { return nil }
        return result.results.joined().first {
            rows[$0].entity.isOfFamily(of: submission.entity)
        }
    }

    /// Returns the cells of each member of a draft that the store has from now on.
    private func cells(
        _ submission: Submission, _ draft: DraftCapture, _ matching: AnswerMatching
    ) throws(Failure) -> [Int: Set<Int>] {
        var cells: [Int: Set<Int>] = [:]
        for (index, member) in draft.members.enumerated() {
            // A body that the program wrote itself may say anything.
            guard submission.sent.isEmpty else { break }
            cells[index] = index == 0 || member.storeKey == 0 ? member.allCells : member.changed
        }
        for (index, object) in submission.sent.enumerated() where !matching.lost.contains(index) {
            guard let number = object.member else { continue }
            let member = draft.members[number]
            var told = member.allCells
            if index > 0 || submission.isChangedOnly, try isKnown(member) { told = member.changed }
            cells[number] = told.subtracting(withheld(index, object, matching))
        }
        return cells
    }

    private func isKnown(_ member: DraftCapture.Member) throws(Failure) -> Bool {
        guard member.storeKey != 0 else { return false }
        return try context.store.newest(member.entity, storeKey: member.storeKey) != nil
    }

    /// Returns the cells that were not sent, or for which the answer has another value.
    private func withheld(
        _ index: Int, _ object: SentObject, _ matching: AnswerMatching
    ) -> Set<Int> {
        object.withheld.union(matching.mismatchedCells(of: index, object.entity))
    }

    /// Tells the sent drafts which objects they have become.
    func settle(_ consequences: Consequences, _ commit: Commit) {
        guard let submission = request.submission, case .draft(let draft) = submission.subject,
            let matching = consequences.matching
        else { return }
        func settle(_ member: Int, _ answer: Int?, _ withheld: Set<Int>) {
            guard let edit = consequences.edits[member] else { return }
            var object = commit.objects[edit]
            if let answer, commit.objects[answer].storeKey == object.storeKey {
                object = commit.objects[answer]
            }
            draft.sent(member).settle(on: object, withholding: withheld)
        }
        if submission.sent.isEmpty { settle(0, consequences.answer, []) }
        for (index, object) in submission.sent.enumerated() {
            guard let member = object.member else { continue }
            let answer = index == 0 ? consequences.answer : matching.rows[index]
            settle(member, answer, withheld(index, object, matching))
        }
    }
}

package import RestwayCalls
import RestwayDocument
import RestwayObjects
package import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayStore
import RestwayThreads

/// Conflicts that wait for a decision of the program, and functions that decide.
extension Outbox {
    /// Sets the function that decides the conflicts of an entity, or of all entities without a
    /// function of their own; `nil` removes it. It runs on a worker, one item at a time, and no
    /// other item goes out meanwhile.
    package func setResolver(entity: String?, _ resolver: ConflictResolver?) throws(Failure) {
        try refuseWhenClosed()
        if let entity { _ = try around.api.entity(named: entity) }
        // The former function may end here, which may run a function of the program.
        var former = resolver
        flushing.comparison.resolvers.withLock { resolvers in
            let before = resolvers.removeValue(forKey: entity ?? "")
            if let resolver { resolvers[entity ?? ""] = resolver }
            former = before
        }
        _ = former
    }

    /// Returns the conflicts of all parked items, oldest first.
    package func conflicts() throws(Failure) -> [Conflict] {
        try refuseWhenClosed()
        try changes.compareIfChanged()
        var conflicts: [Conflict] = []
        for item in try journal.checked(journal.parkedItems()) {
            guard let parked = try stillParked(item) else { continue }
            conflicts.append(parked.conflict)
        }
        return conflicts
    }

    /// Ends a conflict as its choices say. Attributes without a choice stay parked.
    package func resolve(_ conflict: Conflict) throws(Failure) {
        try refuseWhenClosed()
        let item = try journal.existingItem(conflict.item)
        guard item.state == .parked else {
            throw Failure(.notParked(item.id), path: journal.path)
        }
        // The conflict may have ended since the program has got it.
        guard let (compared, _) = try stillParked(item) else { return }
        switch conflict.kind {
        case .attributes:
            guard conflict.cells.contains(where: { conflict.choice(of: $0) != nil }) else {
                throw Self.noChoice
            }
            try resolve(conflict, compared)
        case .theyDeleted, .iDelete:
            guard let choice = conflict.choice else { throw Self.noChoice }
            try resolve(conflict, compared, choice)
        }
        flushing.comparison.watch.itemsChanged()
        flushing.flush(.ordinary)
    }

    private static var noChoice: Failure {
        Failure(.invalidArgument, "the conflict has no choice yet", field: "conflict")
    }

    // MARK: Attributes

    private func resolve(_ conflict: Conflict, _ compared: ComparedItem) throws(Failure) {
        var (chosen, left): ([PendingEdit.Cell], [PendingEdit.Cell]) = ([], [])
        for cell in compared.cells {
            // The edit is compared with what the program has seen when it decided.
            let known = conflict.theirs?.value(at: cell.index) ?? .absent
            let theirs = known == .absent ? cell.before : known
            switch conflict.choice(of: cell.index) {
            case .mine: chosen.append(cell.with(before: theirs))
            case .value(let value):
                guard let fitting = compared.entity.fit(value, cell: cell.index) else {
                    throw Failure(
                        .invalidArgument,
                        "\(compared.entity.name).\(compared.entity.cellName(cell.index)) cannot "
                            + "have this value", field: compared.entity.cellName(cell.index))
                }
                chosen.append(cell.with(before: theirs, after: fitting))
            case .theirs: break
            case nil: left.append(cell)
            }
        }
        guard chosen != compared.cells || left.count < compared.cells.count else { return }
        if chosen.isEmpty { return try leave(left, of: compared) }
        let isWhole = chosen.count == compared.cells.count
            && zip(chosen, compared.cells).allSatisfy { $0.after == $1.after }
        guard compared.isWritable || isWhole else {
            throw Failure(
                .invalidArgument,
                "the body of item \(compared.item.id) of the outbox was written by the program, so "
                    + "that only one side can be chosen for all of it", field: "conflict")
        }
        var rewriting = ItemRewriting()
        rewriting.idempotencyKey = IdempotencyKey.random.text
        rewriting.change = compared.change(chosen)
        rewriting.conflict = compared.item.conflict.map(\.unparked)
        let off = EditID.random(outbox: journal.number)
        let comparison = flushing.comparison
        if !left.isEmpty {
            let why = comparison.failure(.attributes, compared, left, conflict.theirs)
            rewriting.splitOff = comparison.splitOff(
                compared, left, off, stating: compared.item.conflict?.stated, why)
        }
        var steps: [EditStep] = []
        if !left.isEmpty {
            steps = [
                .split(
                    compared.edit, off: off, storeKey: compared.storeKey,
                    cells: Set(left.map(\.index))),
                .park(off),
            ]
        }
        steps.append(.rebase(compared.edit, storeKey: compared.storeKey, chosen))
        steps.append(.resume(compared.edit))
        try changes.follow { () throws(Failure) in
            let part = try journal.checked(journal.unpark(compared.item.id, rewriting))
            if let part {
                comparison.identityTable.adopt(part, of: compared.item.id)
                comparison.watch.noteTold(part)
            }
        } _: { _ in
            steps
        }
    }

    /// Leaves only these cells of a parked item parked. Without cells, the item ends.
    private func leave(_ cells: [PendingEdit.Cell], of compared: ComparedItem) throws(Failure) {
        guard !cells.isEmpty else {
            _ = try drop(compared.item.id)
            return
        }
        try changes.follow { () throws(Failure) in
            try journal.checked(
                journal.setChange(of: compared.item.id, compared.change(cells)))
        } _: { _ in
            [.rebase(compared.edit, storeKey: compared.storeKey, cells)]
        }
    }

    // MARK: Objects as a whole

    private func resolve(
        _ conflict: Conflict, _ compared: ComparedItem, _ choice: Conflict.Choice
    ) throws(Failure) {
        switch choice {
        case .value:
            throw Failure(
                .invalidArgument, "an object as a whole has two sides, and no other value",
                field: "conflict")
        case .theirs:
            if conflict.kind == .theyDeleted { try flushing.comparison.noteGone(behind: compared) }
            _ = try drop(compared.item.id)
            if conflict.kind == .theyDeleted { try deleteObject(compared) }
        case .mine where conflict.kind == .iDelete:
            var rewriting = ItemRewriting()
            rewriting.idempotencyKey = IdempotencyKey.random.text
            rewriting.change = compared.change(
                compared.cells.map { cell in
                    cell.with(before: conflict.theirs?.value(at: cell.index) ?? cell.before)
                })
            rewriting.conflict = compared.item.conflict.map(\.unparked)
            try unpark(compared, rewriting)
        case .mine:
            guard let sender = flushing.state.withLock({ $0.sender }) else { throw Failure.closed }
            try unpark(
                compared,
                try flushing.comparison.recreation(
                    compared, try flushing.comparison.presentObject(compared), sender))
        }
    }

    private func unpark(
        _ compared: ComparedItem, _ rewriting: ItemRewriting
    ) throws(Failure) {
        try changes.follow { () throws(Failure) in
            _ = try journal.checked(journal.unpark(compared.item.id, rewriting))
        } _: { _ in
            [.resume(compared.edit)]
        }
    }

    private func deleteObject(_ compared: ComparedItem) throws(Failure) {
        var deletion = ChangeSet(origin: .server)
        deletion.deletions = [.object(compared.entity, storeKey: compared.storeKey)]
        _ = try around.store.commit(deletion)
    }

    // MARK: The end without a choice

    /// Returns a parked item and its conflict with the present values of the server; `nil` if there
    /// is nothing left to decide, because the server has what the item should bring there, or
    /// because the object has gone. Then the item ends.
    private func stillParked(
        _ item: OutboxItem
    ) throws(Failure) -> (compared: ComparedItem, conflict: Conflict)? {
        let comparison = flushing.comparison
        guard let kind = item.conflict?.kind, var compared = try comparison.compared(item) else {
            return nil
        }
        let object = try comparison.confirmed(compared)
        switch kind {
        // The program, or the server, has deleted the object since.
        case .attributes where try !isInStore(compared):
            _ = try drop(item.id)
            return nil
        case .attributes:
            let left = compared.cells.filter { cell in
                guard let object else { return true }
                return !object.value(at: cell.index).hasSameContent(as: cell.after)
            }
            if left.isEmpty {
                try finish(compared)
                return nil
            }
            if left.count < compared.cells.count {
                try leave(left, of: compared)
                guard let again = try comparison.compared(item) else { return nil }
                compared = again
            }
            return (
                compared,
                comparison.conflict(kind, item: item.id, compared, compared.cells, theirs: object))
        case .iDelete where object == nil:
            try finish(compared)
            return nil
        case .theyDeleted, .iDelete:
            return (
                compared,
                comparison.conflict(
                    kind, item: item.id, compared, [],
                    theirs: kind == .theyDeleted ? nil : object))
        }
    }

    private func isInStore(_ compared: ComparedItem) throws(Failure) -> Bool {
        try around.store.newest(compared.entity, storeKey: compared.storeKey) != nil
    }

    /// Ends a parked item as delivered: the server has its values by now.
    private func finish(_ compared: ComparedItem) throws(Failure) {
        let item = compared.item
        let now = around.clock.wallMicroseconds()
        guard try journal.checked(journal.finishParked(item.id, now: now)) else { return }
        var steps = [EditStep.deliver(compared.edit)]
        if !compared.isDeletion {
            steps.insert(.rebase(compared.edit, storeKey: compared.storeKey, []), at: 0)
        }
        _ = try changes.follow(steps)
        flushing.comparison.watch.itemsChanged()
        let report = around.report(item).becoming(.delivered)
        report.logEnd(isTold: notices.observe(report, nil))
        lanesChanged()
    }

    /// Ends the conflicts about objects of which the server has the values of the program by now.
    func endSettledConflicts() {
        guard let items = try? journal.parkedItems() else { return }
        for item in items { _ = try? stillParked(item) }
    }
}

extension ItemConflict {
    /// The facts of an item about which the program has decided.
    fileprivate var unparked: ItemConflict {
        var conflict = self
        (conflict.kind, conflict.tries, conflict.isUncertain) = (nil, 0, false)
        (conflict.isGone, conflict.isRewritten, conflict.needsNewest) = (false, false, false)
        return conflict
    }
}

extension ItemComparison {
    /// Returns the newest object, without the edits of other items if the server has the object.
    func presentObject(_ compared: ComparedItem) throws(Failure) -> Snapshot {
        if let object = try confirmed(compared) { return object }
        guard let object = try store.newest(compared.entity, storeKey: compared.storeKey) else {
            throw Failure(.noObject, "the object of item \(compared.item.id) no longer exists")
        }
        return object
    }
}

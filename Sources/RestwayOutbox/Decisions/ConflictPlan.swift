import RestwayObjects
import RestwayOutcome

/// Decides what becomes of an item before it is sent, by what the server has now: whether it is
/// sent as it is or with other values, parked, dropped, or done without a request.
///
///     begin   -> fetch  the newest values of the server are not known
///     fetched -> ask    a function of the program decides
///     decided -> end
///
/// Each of the three may also lead to the end at once. It has no clock, no lock and no I/O:
/// `ItemComparison` gives it the facts and performs its decisions.
struct ConflictPlan: Sendable {
    /// The facts about the item.
    struct Item: Sendable {
        enum Deed: Sendable {
            /// The item changes attributes of the object, or its relationships.
            case edit
            /// The item deletes the object. Its cells have the values that the program has seen.
            case deletion
            /// The program has stated a condition by hand, and the versions of the object are not
            /// known. Only "the server has these values already" is checked.
            case byHand
        }

        var deed = Deed.edit
        var cells: [PendingEdit.Cell] = []
        /// The facts that the item keeps from earlier comparisons.
        var conflict: ItemConflict?
        /// Whether it was sent and not answered since.
        var mayHaveArrived = false
        /// Whether the library can write its body again.
        var isWritable = true
        /// Whether a route brings the newest object.
        var canFetch = true
        /// Whether a route makes objects of the entity.
        var canCreate = false
        /// Whether a call waits for the answer.
        var isFollowed = false
        /// The cells of the parked items of the same object.
        var parkedCells: Set<Int> = []
        /// The cells that later items of the same object change.
        var laterCells: Set<Int> = []
    }

    /// The object as the server has it, as far as the store knows.
    struct Newest: Sendable {
        var version: ObjectVersion?
        /// Whether the server's answer is older than the state that the store knows, as the answer
        /// of a replica that lags is.
        var isOutdated = false
        /// Whether the version can be a condition of a request.
        var isUsable = false
        /// Whether the object no longer exists.
        var isGone = false
        /// The server's values of the cells of the item, as far as the server has sent them.
        var values: [Int: Value] = [:]

        /// A value that the server does not send counts as unchanged.
        func theirs(_ cell: PendingEdit.Cell) -> Value { values[cell.index] ?? cell.before }
    }

    enum Step: Equatable, Sendable {
        /// Get the newest object, and call `fetched`.
        case fetch
        /// Ask the program about these cells, and call `decided`. An empty list asks about the
        /// object as a whole.
        case ask(Conflict.Kind, [PendingEdit.Cell])
        case end(End)
    }

    enum End: Equatable, Sendable {
        /// The item is sent as it is stored, with the same bytes, key and headers.
        case send
        /// The item is sent with the cells of the division, and nothing else.
        case rewrite(Division)
        /// Nothing is left to send: the server has all that the item should bring there.
        case deliver(Division)
        /// Nothing is left to send: parked items have the values of the item now.
        case join(Division)
        /// The item waits until the program decides.
        case park(Conflict.Kind, Division)
        /// The object is made again, with all values.
        case create
        /// The change ends, and the values of the server are seen.
        case drop
        /// The change ends, and the store deletes the object, because the server has deleted it.
        case dropObject
        /// The server sends the version that it has refused, or an older one than the store knows.
        /// The newest object is fetched again later.
        case wait
        /// The server's version cannot be used.
        case buryForVersion
        /// The item becomes a dead letter by the answer that it has had.
        case buryRefused
        /// The call that waits for the answer fails, and the change ends.
        case fail(Conflict.Kind, [PendingEdit.Cell])
    }

    /// Where the cells of the item go. Cells that are in no list leave the item: the server has
    /// their values already, or the values of the server stay.
    struct Division: Equatable, Sendable {
        /// Cells that are sent, with the values of the server as `before`.
        var sent: [PendingEdit.Cell] = []
        /// Cells that become a parked item.
        var parked: [PendingEdit.Cell] = []
        /// Cells whose values replace those of parked items.
        var joined: [PendingEdit.Cell] = []
        /// The values that the next item of the same object is made on from now on, by its cells.
        var handedOver: [Int: Value] = [:]
        /// The version with which the item was compared.
        var version: ObjectVersion?
        /// Whether the server has answered the item, so that a changed request needs another key.
        var wasAnswered = false
    }

    private let item: Item
    private let rules: ConflictRules
    private let conflict: ItemConflict
    private var division = Division()
    private var asked: [PendingEdit.Cell] = []

    init(_ item: Item, _ rules: ConflictRules) {
        self.item = item
        self.rules = rules
        conflict = item.conflict ?? ItemConflict()
    }

    /// Begins with what the store knows.
    mutating func begin(_ newest: Newest) -> Step {
        if item.mayHaveArrived { return .end(.send) }
        if item.deed == .byHand {
            guard conflict.needsNewest else { return .end(.send) }
            return item.canFetch ? .fetch : .end(.buryRefused)
        }
        if conflict.isGone || newest.isGone { return decideOnGone() }
        let isRefused =
            SyncRules.newTag && newest.version != nil && newest.version == conflict.refused
        guard conflict.needsNewest || !newest.isUsable || isRefused else { return compare(newest) }
        if item.canFetch { return .fetch }
        return isRefused || conflict.needsCondition ? .end(.buryRefused) : compare(newest)
    }

    /// Goes on with the newest object.
    mutating func fetched(_ newest: Newest) -> Step {
        if item.deed == .byHand { return .end(endByHand(newest)) }
        if newest.isGone { return decideOnGone() }
        if SyncRules.newTag, let version = newest.version, version == conflict.refused {
            return .end(conflict.tries >= rules.triesMax ? .buryForVersion : .wait)
        }
        if newest.isOutdated, conflict.tries < rules.triesMax { return .end(.wait) }
        if conflict.needsCondition, !newest.isUsable { return .end(.buryForVersion) }
        return compare(newest)
    }

    /// Goes on with the decisions of the program.
    ///
    /// - Parameter choice: Returns the choice for a cell, or for the object as a whole if it is
    ///   given `nil`.
    mutating func decided(
        _ kind: Conflict.Kind, _ newest: Newest, _ choice: (Int?) -> Conflict.Choice?
    ) -> End {
        switch kind {
        case .attributes:
            for cell in asked { take(choice(cell.index), cell, newest) }
            return finish()
        case .theyDeleted: return endOfGone(Self.policy(choice(nil)))
        case .iDelete: return endOfDeletion(Self.policy(choice(nil)), newest)
        }
    }

    // MARK: Attributes

    private mutating func compare(_ newest: Newest) -> Step {
        division.version = newest.version
        division.wasAnswered = conflict.tries > 0 || conflict.needsCondition
        if item.deed == .deletion { return compareDeletion(newest) }
        guard SyncRules.rebase || conflict.tries > 0 else {
            division.sent = item.cells
            return .end(.rewrite(division))
        }
        guard item.isWritable else { return .end(endOfUnwritable(newest)) }
        for cell in item.cells {
            if SyncRules.editJoinsConflict, item.parkedCells.contains(cell.index) {
                division.joined.append(cell)
                continue
            }
            switch outcome(cell, newest) {
            // A later item was made on the value of this one, which the server has.
            case .done: break
            case .theirs: handOver(cell, cell.before)
            case .send(let value): send(value, cell, newest)
            case .park: park(cell)
            case .ask: asked.append(cell)
            }
        }
        return asked.isEmpty ? .end(finish()) : .ask(.attributes, asked)
    }

    private func outcome(_ cell: PendingEdit.Cell, _ newest: Newest) -> ThreeWayMerge.Outcome {
        ThreeWayMerge(
            base: cell.before, mine: cell.after, theirs: newest.theirs(cell),
            isUncertain: conflict.isUncertain
        ).outcome(rules, cell: cell.index)
    }

    private mutating func send(_ value: Value, _ cell: PendingEdit.Cell, _ newest: Newest) {
        // The server refuses it again and again, although nothing is in conflict.
        if conflict.tries > rules.triesMax { return park(cell) }
        let theirs = newest.theirs(cell)
        let isUnchanged = theirs.hasSameContent(as: cell.before) && value == cell.after
        division.sent.append(
            isUnchanged ? cell : PendingEdit.Cell(cell.index, before: theirs, after: value))
    }

    /// No older value is parked under a newer one: the later item is compared with what this one
    /// was made on. A sum that the server may have already would be added again then, so it is
    /// parked, and the later item becomes a part of the conflict.
    private mutating func park(_ cell: PendingEdit.Cell) {
        let isUncertainSum = conflict.isUncertain && rules.policy(of: cell.index) == .add
        if item.laterCells.contains(cell.index), !isUncertainSum {
            handOver(cell, cell.before)
        } else {
            division.parked.append(cell)
        }
    }

    private mutating func handOver(_ cell: PendingEdit.Cell, _ value: Value) {
        if item.laterCells.contains(cell.index) { division.handedOver[cell.index] = value }
    }

    private mutating func take(
        _ choice: Conflict.Choice?, _ cell: PendingEdit.Cell, _ newest: Newest
    ) {
        switch choice {
        case .mine: send(cell.after, cell, newest)
        case .value(let value):
            send(value, cell, newest)
            handOver(cell, value)
        case .theirs: handOver(cell, cell.before)
        case nil: park(cell)
        }
    }

    private func finish() -> End {
        let undecided = division.parked + division.joined
        if item.isFollowed, !undecided.isEmpty { return .fail(.attributes, undecided) }
        if !division.sent.isEmpty { return .rewrite(division) }
        if !division.parked.isEmpty { return .park(.attributes, division) }
        return division.joined.isEmpty ? .deliver(division) : .join(division)
    }

    /// Decides on an item whose body the library cannot write again. It is sent with all its cells
    /// or not at all.
    private mutating func endOfUnwritable(_ newest: Newest) -> End {
        let differs = item.cells.contains { cell in
            let theirs = newest.theirs(cell)
            return !theirs.hasSameContent(as: cell.before)
                && !theirs.hasSameContent(as: cell.after)
        }
        guard differs || conflict.tries > rules.triesMax else {
            division.sent = item.cells
            return .rewrite(division)
        }
        division.parked = item.cells
        return finish()
    }

    // MARK: Objects as a whole

    private static func policy(_ choice: Conflict.Choice?) -> ConflictPolicy {
        switch choice {
        case .mine: .mine
        case .theirs: .theirs
        case .value, nil: .park
        }
    }

    private mutating func compareDeletion(_ newest: Newest) -> Step {
        let isSame = item.cells.allSatisfy { cell in
            newest.theirs(cell).hasSameContent(as: cell.before)
        }
        if conflict.tries > rules.triesMax { return .end(endOfDeletion(.park, newest)) }
        if isSame || conflict.tries == 0 && !SyncRules.rebase {
            return .end(endOfDeletion(.mine, newest))
        }
        return rules.iDelete == .ask
            ? .ask(.iDelete, []) : .end(endOfDeletion(rules.iDelete, newest))
    }

    private func endOfDeletion(_ policy: ConflictPolicy, _ newest: Newest) -> End {
        var division = division
        switch policy {
        case .mine:
            division.sent = item.cells.map { cell in
                let theirs = newest.theirs(cell)
                return theirs.hasSameContent(as: cell.before)
                    ? cell : PendingEdit.Cell(cell.index, before: theirs, after: cell.after)
            }
            return .rewrite(division)
        case .theirs: return .drop
        default:
            if item.isFollowed { return .fail(.iDelete, []) }
            division.parked = item.cells
            return .park(.iDelete, division)
        }
    }

    private mutating func decideOnGone() -> Step {
        if item.deed == .deletion { return .end(.deliver(division)) }
        return rules.theyDeleted == .ask
            ? .ask(.theyDeleted, []) : .end(endOfGone(rules.theyDeleted))
    }

    private func endOfGone(_ policy: ConflictPolicy) -> End {
        switch policy {
        case .mine where item.canCreate: return .create
        case .theirs: return .dropObject
        default:
            if item.isFollowed { return .fail(.theyDeleted, item.cells) }
            var division = division
            division.parked = item.cells
            return .park(.theyDeleted, division)
        }
    }

    // MARK: Conditions by hand

    private func endByHand(_ newest: Newest) -> End {
        let isThere = !item.cells.isEmpty && !newest.isGone
        let hasMine = item.cells.allSatisfy { cell in
            newest.theirs(cell).hasSameContent(as: cell.after)
        }
        return isThere && hasMine ? .deliver(division) : .buryRefused
    }
}

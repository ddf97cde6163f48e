/// Decides what becomes of the change of one attribute or relationship, from three values: the one
/// that the change was made on, the one that it gives, and the one that the server has now.
package struct ThreeWayMerge: Sendable {
    package enum Outcome: Equatable, Sendable {
        /// The server has the value already, so nothing is sent.
        case done
        /// This value is sent.
        case send(Value)
        /// The value of the server stays, and nothing is sent.
        case theirs
        /// The change waits until the program decides.
        case park
        /// A function of the program decides.
        case ask
    }

    /// The value that the change was made on.
    package let base: Value
    /// The value that the change gives.
    package let mine: Value
    /// The newest value of the server.
    package let theirs: Value
    /// Whether the server may have acted on the change already.
    package let isUncertain: Bool

    package init(base: Value, mine: Value, theirs: Value, isUncertain: Bool) {
        self.base = base
        self.mine = mine
        self.theirs = theirs
        self.isUncertain = isUncertain
    }

    /// - Parameter uncertain: The policy in place of `mine` if the server may have acted on the
    ///   change, and has a value that is neither the base nor the one that the change gives.
    package func outcome(_ policy: ConflictPolicy, uncertain: ConflictPolicy) -> Outcome {
        let isUnchanged = theirs.hasSameContent(as: base)
        // A number that was added counts, even if another client has added the same number.
        let mayCoincide = policy == .add && !isUncertain && !isUnchanged
        if SyncRules.equalIsDone, !mayCoincide, theirs.hasSameContent(as: mine) { return .done }
        if isUnchanged || !SyncRules.merge { return .send(mine) }
        return merged(policy == .mine && isUncertain ? uncertain : policy)
    }

    package func outcome(_ rules: ConflictRules, cell: Int) -> Outcome {
        outcome(rules.policy(of: cell), uncertain: rules.uncertain)
    }

    private func merged(_ policy: ConflictPolicy) -> Outcome {
        switch policy {
        case .mine: .send(mine)
        case .theirs: .theirs
        case .park: .park
        case .ask: .ask
        case .add: isUncertain ? .park : sent(mine.minus(base).flatMap(theirs.plus))
        case .union: sent(union)
        }
    }

    private func sent(_ value: Value?) -> Outcome {
        guard let value else { return .park }
        return value.hasSameContent(as: theirs) ? .done : .send(value)
    }

    /// The list of the server with what the change has put into the list, and without what it has
    /// taken out; `nil` if one of the values is no list.
    private var union: Value? {
        if case .links(let base) = base, case .links(let mine) = mine,
            case .links(let its) = theirs
        {
            return .links(Self.union(base, mine, its) { $0 })
        }
        guard let base = base.listElements, let mine = mine.listElements,
            let its = theirs.listElements
        else { return nil }
        let elements = Self.union(base, mine, its, \.content).map(\.text)
        return .json("[\(elements.joined(separator: ","))]")
    }

    private static func union<Element, Content: Hashable>(
        _ base: [Element], _ mine: [Element], _ theirs: [Element],
        _ content: (Element) -> Content
    ) -> [Element] {
        let (before, after) = (Set(base.map(content)), Set(mine.map(content)))
        var known = Set(theirs.map(content))
        let left = theirs.filter {
            !before.contains(content($0)) || after.contains(content($0))
        }
        let added = mine.filter {
            !before.contains(content($0)) && known.insert(content($0)).inserted
        }
        return left + added
    }
}

/// Numbers.
extension Value {
    /// Returns `nil` for other values than numbers, and for a sum that is out of range.
    fileprivate func plus(_ other: Value) -> Value? {
        number(other, { $0.addingReportingOverflow($1) }, +)
    }

    fileprivate func minus(_ other: Value) -> Value? {
        number(other, { $0.subtractingReportingOverflow($1) }, -)
    }

    private func number(
        _ other: Value, _ integers: (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
        _ doubles: (Double, Double) -> Double
    ) -> Value? {
        if case .int64(let own) = self, case .int64(let its) = other {
            let (result, isOver) = integers(own, its)
            return isOver ? nil : .int64(result)
        }
        guard let own = asDouble, let its = other.asDouble else { return nil }
        let result = doubles(own, its)
        return result.isFinite ? .double(result) : nil
    }

    private var asDouble: Double? {
        switch self {
        case .int64(let integer): Double(integer)
        case .double(let double): double
        default: nil
        }
    }
}

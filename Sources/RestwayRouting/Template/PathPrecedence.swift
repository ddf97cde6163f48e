/// The relation of a path template to another path template.
package enum PathPrecedence: Equatable, Sendable {
    /// The templates are equal, apart from the names of their variables.
    case same
    case moreSpecific
    case lessSpecific
    /// A path can match both templates, and neither template is more specific.
    case undecided
    /// No path matches both templates.
    case disjoint
}

extension PathTemplate {
    /// Whether this template is more specific than `other`.
    ///
    /// The segments are compared from the left, and the first difference decides. A literal segment
    /// is more specific than a segment with a variable. If both segments have variables and all
    /// texts that match one segment also match the other segment, the first segment is more
    /// specific: `{id}.json` before `{id}`. A variable that stands earlier in the template is more
    /// specific than a new variable. If all segments are equal, the template whose query has more
    /// fixed parameters is more specific. A template that never matches a path is disjoint from
    /// every template but itself.
    package func precedence(over other: PathTemplate) -> PathPrecedence {
        guard let pattern, let otherPattern = other.pattern else {
            return isEquivalent(to: other) ? .same : .disjoint
        }
        return pattern.precedence(over: otherPattern)
    }
}

extension PathPattern {
    /// A byte of a literal, or a variable.
    typealias Symbol = UInt16

    private static let variable: Symbol = 256

    func precedence(over other: PathPattern) -> PathPrecedence {
        guard segments.count == other.segments.count else { return .disjoint }
        var result = PathPrecedence.same
        var variableCount = 0
        for (mine, theirs) in zip(segments, other.segments) {
            let relation = Self.precedence(mine, over: theirs, after: &variableCount)
            if relation == .disjoint { return .disjoint }
            if result == .same { result = relation }
        }
        return result == .same ? precedence(ofQueryOver: other) : result
    }

    private func precedence(ofQueryOver other: PathPattern) -> PathPrecedence {
        if fixedQuery == other.fixedQuery { return .same }
        if other.fixedQuery.allSatisfy(fixedQuery.contains) { return .moreSpecific }
        return fixedQuery.allSatisfy(other.fixedQuery.contains) ? .lessSpecific : .undecided
    }

    /// - Parameter variableCount: The number of variables before these segments. It counts while
    ///   the templates are equal.
    private static func precedence(
        _ mine: [Piece], over theirs: [Piece], after variableCount: inout Int
    ) -> PathPrecedence {
        let (left, right) = (symbols(mine), symbols(theirs))
        guard left == right else {
            // If segment A matches the symbols of segment B, A matches every text that B matches: a
            // variable of B stands for any text, so only a variable of A can match it.
            if variables(of: theirs, in: left) != nil { return .moreSpecific }
            if variables(of: mine, in: right) != nil { return .lessSpecific }
            return overlap(left, right) ? .undecided : .disjoint
        }
        for (piece, other) in zip(mine, theirs) {
            guard case .variable(let index) = piece, case .variable(let otherIndex) = other else {
                continue
            }
            if index != otherIndex {
                if index >= variableCount { return .lessSpecific }
                return otherIndex >= variableCount ? .moreSpecific : .undecided
            }
            variableCount = max(variableCount, index + 1)
        }
        return .same
    }

    private static func symbols(_ pieces: [Piece]) -> [Symbol] {
        pieces.flatMap { piece in
            switch piece {
            case .literal(let bytes): bytes.map(Symbol.init)
            case .variable: [variable]
            }
        }
    }

    /// Whether some text matches both segments. Neither segment covers the other.
    ///
    /// Variables between the beginnings and the ends take any text that the other segment needs.
    private static func overlap(_ mine: [Symbol], _ theirs: [Symbol]) -> Bool {
        guard mine.contains(variable), theirs.contains(variable) else { return false }
        return agree(mine, theirs) && agree(mine.reversed(), theirs.reversed())
    }

    /// Whether the literals at the beginning of both segments are equal, up to the length of the
    /// shorter literal.
    private static func agree(
        _ mine: some Sequence<Symbol>, _ theirs: some Sequence<Symbol>
    ) -> Bool {
        for (left, right) in zip(mine, theirs) {
            if left == variable || right == variable { return true }
            if left != right { return false }
        }
        return true
    }
}

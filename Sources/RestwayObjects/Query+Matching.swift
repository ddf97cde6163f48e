import Glibc

extension Query {
    package func matches(_ object: Snapshot) -> Bool {
        if let selection, !selection.holds(object.storeKey) { return false }
        return withExtendedLifetime(object) {
            conditions.allSatisfy { $0.holds(object.cell(at: $0.attribute)) }
        }
    }

    /// Returns whether `left` comes before `right`.
    package func sorts(_ left: Snapshot, before right: Snapshot) -> Bool {
        withExtendedLifetime((left, right)) {
            for order in order {
                let ranks = CellOrder.compare(
                    left.cell(at: order.attribute), right.cell(at: order.attribute))
                if ranks != 0 { return order.isDescending ? ranks > 0 : ranks < 0 }
            }
            return left.storeKey < right.storeKey
        }
    }
}

extension Query.Condition {
    func holds(_ cell: Cell) -> Bool {
        value.withCell { wanted in
            let isNull = CellOrder.rank(cell) == 0
            guard CellOrder.rank(wanted) != 0, !isNull else {
                let areBothNull = isNull && CellOrder.rank(wanted) == 0
                return switch comparison {
                case .equal: areBothNull
                case .notEqual: !areBothNull
                case .lessOrEqual, .greaterOrEqual, .less, .greater: false
                }
            }
            let order = CellOrder.compare(cell, wanted)
            return switch comparison {
            case .equal: order == 0
            case .notEqual: order != 0
            case .less: order < 0
            case .lessOrEqual: order <= 0
            case .greater: order > 0
            case .greaterOrEqual: order >= 0
            }
        }
    }
}

/// The order of values.
package enum CellOrder {
    /// Returns the rank of the value's kind. Values of different ranks are never equal.
    package static func rank(_ cell: Cell) -> Int {
        // SQLite stores NaN as null.
        cell.kind == .double && cell.double.isNaN ? 0 : rank(cell.kind)
    }

    package static func rank(_ kind: Cell.Kind) -> Int {
        switch kind {
        case .null, .absent, .object, .list: 0
        case .bool, .int64, .double, .date: 1
        case .string, .json: 2
        case .bytes: 3
        }
    }

    /// Returns a number below 0, 0 or above 0.
    static func compare(_ left: Cell, _ right: Cell) -> Int {
        let (leftRank, rightRank) = (rank(left), rank(right))
        guard leftRank == rightRank else { return leftRank - rightRank }
        switch leftRank {
        case 0: return 0
        case 1: return compareNumbers(left, right)
        default: return compareBytes(left.text, right.text)
        }
    }

    private static func compareNumbers(_ left: Cell, _ right: Cell) -> Int {
        switch (left.kind == .double, right.kind == .double) {
        case (false, false): sign(left.integer, right.integer)
        case (true, true): sign(left.double, right.double)
        case (true, false): -compare(right.integer, left.double)
        case (false, true): compare(left.integer, right.double)
        }
    }

    /// Compares exactly, even if no double equals the integer.
    private static func compare(_ integer: Int64, _ double: Double) -> Int {
        if double >= 0x1p63 { return -1 }
        if double < -0x1p63 { return 1 }
        let whole = Int64(double.rounded(.down))
        return integer != whole ? sign(integer, whole) : double > Double(whole) ? -1 : 0
    }

    private static func compareBytes(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Int {
        let common = min(left.count, right.count)
        if common > 0 {
            let order = memcmp(left.baseAddress!, right.baseAddress!, common)
            if order != 0 { return Int(order) }
        }
        return left.count - right.count
    }

    private static func sign<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
        left < right ? -1 : left > right ? 1 : 0
    }
}

extension Value {
    /// Passes the value as a cell, whose text is valid in `body`.
    package func withCell<Result>(_ body: (Cell) -> Result) -> Result {
        var bytes: [UInt8] = []
        var keys: [Int64] = []
        let cell = cell(appendingTo: &bytes, &keys)
        guard cell.isText else { return body(cell) }
        bytes.append(0)
        return bytes.withUnsafeBytes { body(cell.withAddress($0.baseAddress!)) }
    }
}

import Glibc

/// Selects objects of an entity, and their order.
///
/// Values are ordered as in SQLite: first null and absent values, then numbers (booleans are 0 and
/// 1, dates their microseconds), then text by its bytes, then bytes.
package struct Query: Sendable {
    package enum Comparison: Int32, Sendable, CaseIterable {
        case equal = 1
        case notEqual = 2
        case less = 3
        case lessOrEqual = 4
        case greater = 5
        case greaterOrEqual = 6
    }

    /// A condition on one attribute. Null equals only null and absent values, and it is never less
    /// or greater.
    package struct Condition: Sendable {
        package let attribute: Int
        package let comparison: Comparison
        package let value: Value

        package init(attribute: Int, _ comparison: Comparison, _ value: Value) {
            self.attribute = attribute
            self.comparison = comparison
            self.value = value
        }
    }

    package struct Order: Sendable {
        package let attribute: Int
        package let isDescending: Bool

        package init(attribute: Int, isDescending: Bool = false) {
            self.attribute = attribute
            self.isDescending = isDescending
        }
    }

    /// A condition on the objects themselves.
    package enum Selection: Sendable {
        /// Objects with these store keys.
        case only(Set<Int64>)
        /// All objects except the objects with these store keys.
        case without(Set<Int64>)

        func holds(_ key: Int64) -> Bool {
            switch self {
            case .only(let keys): keys.contains(key)
            case .without(let keys): !keys.contains(key)
            }
        }
    }

    package let entity: Entity
    /// The selected objects; `nil` for all.
    package var selection: Selection?
    /// The conditions, all of which must hold.
    package var conditions: [Condition] = []
    /// The sort order. The first entry decides, then the next, and last the store key, which is the
    /// order in which the objects were stored.
    package var order: [Order] = []
    /// The most objects to return; `nil` for all.
    package var limit: Int?
    package var offset = 0

    package init(_ entity: Entity) {
        self.entity = entity
    }

    /// Whether the query finds every object of the entity.
    package var findsAll: Bool { conditions.isEmpty && selection == nil }
}

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
            let order = CellOrder.compare(cell, wanted)
            let areValues = CellOrder.rank(cell) != 0 && CellOrder.rank(wanted) != 0
            return switch comparison {
            case .equal: order == 0
            case .notEqual: order != 0
            case .less: areValues && order < 0
            case .lessOrEqual: areValues && order <= 0
            case .greater: areValues && order > 0
            case .greaterOrEqual: areValues && order >= 0
            }
        }
    }
}

/// The order of values.
package enum CellOrder {
    /// Returns the rank of the value's kind. Values of different ranks are never equal.
    package static func rank(_ cell: Cell) -> Int {
        switch cell.kind {
        case .null, .absent, .object, .list: 0
        // SQLite stores NaN as null.
        case .double where cell.double.isNaN: 0
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

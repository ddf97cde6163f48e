import Glibc

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

    /// Whether the value has the rank of texts.
    static func isText(_ cell: Cell) -> Bool { cell.kind == .string || cell.kind == .json }

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
    /// Passes the value as a cell, whose text and keys are valid in `body`.
    package func withCell<Result>(_ body: (Cell) -> Result) -> Result {
        var bytes: [UInt8] = []
        var keys: [Int64] = []
        let cell = cell(appendingTo: &bytes, &keys)
        if cell.isList {
            keys.append(0)
            return keys.withUnsafeBytes { body(cell.withAddress($0.baseAddress!)) }
        }
        guard cell.isText else { return body(cell) }
        bytes.append(0)
        return bytes.withUnsafeBytes { body(cell.withAddress($0.baseAddress!)) }
    }
}

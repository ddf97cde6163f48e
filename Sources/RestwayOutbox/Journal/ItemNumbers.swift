/// Names many items in one statement. One statement for each item would open the table, its indices
/// and their pages anew each time.
enum ItemNumbers {
    /// The number of items in one statement.
    static let atOnce = 64
    /// Below this number, a statement for each item is faster, because all parameters have to be
    /// filled.
    static let countMin = 8

    static let condition =
        "id IN (\(Array(repeating: "?", count: atOnce).joined(separator: ", ")))"

    /// Returns the values of `condition`, for as many statements as `ids` take. The last number is
    /// repeated to fill the last statement.
    static func values(_ ids: [Int64]) -> [[JournalConnection.Value]] {
        stride(from: 0, to: ids.count, by: atOnce).map { first in
            (first..<first + atOnce).map { .integer(ids[min($0, ids.count - 1)]) }
        }
    }
}

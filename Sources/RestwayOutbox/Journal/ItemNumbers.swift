/// How a statement names many items. One for each of them would open the table, its indices and
/// their pages anew.
enum ItemNumbers {
    /// In one statement.
    static let atOnce = 64
    /// Fewer are better off with a statement for each: all places have to be filled.
    static let countMin = 8

    static let condition =
        "id IN (\(Array(repeating: "?", count: atOnce).joined(separator: ", ")))"

    /// The values of `condition`: as often as all of `ids` take. The last one is said again where
    /// there are fewer.
    static func values(_ ids: [Int64]) -> [[JournalConnection.Value]] {
        stride(from: 0, to: ids.count, by: atOnce).map { first in
            (first..<first + atOnce).map { .integer(ids[min($0, ids.count - 1)]) }
        }
    }
}

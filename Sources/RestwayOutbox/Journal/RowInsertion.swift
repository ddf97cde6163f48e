/// How rows are inserted of which many come at once. A statement for each of them opens the table,
/// its indices and their pages anew.
final class RowInsertion: Sendable {
    static let rowsAtOnce = 8

    let one: SQL
    /// `rowsAtOnce` of them. Some may be there when one is refused: the transaction is rolled back
    /// anyway, and SQLite need not keep the pages as they were before the statement.
    let many: SQL

    /// - Parameters:
    ///   - columns: The table and its columns.
    ///   - row: The values of one row, in brackets; its parameters have no numbers.
    init(_ columns: String, row: String) {
        let rows = Array(repeating: row, count: Self.rowsAtOnce).joined(separator: ", ")
        one = SQL("INSERT INTO \(columns) VALUES \(row)")
        many = SQL("INSERT OR FAIL INTO \(columns) VALUES \(rows)")
    }
}

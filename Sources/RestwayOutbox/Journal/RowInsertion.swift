/// Inserts rows of which many come at once. A statement for each row would open the table, its
/// indices and their pages anew each time.
final class RowInsertion: Sendable {
    static let rowsAtOnce = 8

    let one: SQL
    /// Inserts `rowsAtOnce` rows. If one is refused, earlier ones may be in the table: the
    /// transaction is rolled back anyway, and SQLite need not keep the pages as they were before
    /// the statement.
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

import RestwayClient
import RestwayMapping
import RestwayObjects

/// The rows that a hook sees, with the lists that were read from them.
///
/// `@unchecked Sendable`: one thread has it, for as long as the hook is asked.
final class RowsHandle: @unchecked Sendable {
    private let rows: MappedRows
    private var lists: [UnsafeMutableBufferPointer<Int>] = []

    init(_ rows: MappedRows) {
        self.rows = rows
    }

    deinit {
        for list in lists { list.deallocate() }
    }

    var count: Int { rows.count }
    var resultCount: Int { rows.results.count }
    var ownResult: Int { rows.ownResult }

    /// What `body` makes of the rows; what they refuse is the host's mistake.
    func run<Result>(
        _ body: (MappedRows) throws(MappedRows.Refusal) -> Result
    ) throws(Failure) -> Result {
        do {
            return try body(rows)
        } catch {
            throw Failure(.invalidArgument, error.message)
        }
    }

    /// Numbers of rows, for as long as this lives.
    func lend(_ numbers: [Int]) -> UnsafePointer<Int> {
        let list = UnsafeMutableBufferPointer<Int>.allocate(capacity: max(1, numbers.count))
        _ = list.initialize(from: numbers)
        lists.append(list)
        return UnsafePointer(list.baseAddress!)
    }

    /// The index of an attribute of `row`.
    func attribute(_ row: Int, _ name: String) throws(Failure) -> Int {
        try run { rows throws(MappedRows.Refusal) in try rows.entity(of: row) }
            .attribute(named: name)
    }

    func relationship(_ row: Int, _ name: String) throws(Failure) -> Int {
        try run { rows throws(MappedRows.Refusal) in try rows.entity(of: row) }
            .relationship(named: name)
    }
}

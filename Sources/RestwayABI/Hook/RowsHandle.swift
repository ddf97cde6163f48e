import RestwayClient
import RestwayMapping
import RestwayObjects
import RestwayThreads

/// The rows that a hook sees, with the lists that were read from them.
///
/// `@unchecked Sendable`: only one thread uses it, while the hook runs.
final class RowsHandle: HandleObject, @unchecked Sendable {
    private let rows: MappedRows
    private var lists: [UnsafeMutableBufferPointer<Int>] = []
    let generation = ProcessGeneration.current

    init(_ rows: MappedRows) {
        self.rows = rows
    }

    deinit {
        for list in lists { list.deallocate() }
    }

    var count: Int { rows.count }
    var resultCount: Int { rows.results.count }
    var ownResult: Int { rows.ownResult }

    /// Returns the result of `body` for the rows. A change that the rows refuse is a mistake of the
    /// program.
    func run<Result>(
        _ body: (MappedRows) throws(MappedRows.Refusal) -> Result
    ) throws(Failure) -> Result {
        do {
            return try body(rows)
        } catch {
            throw Failure(.invalidArgument, error.message)
        }
    }

    /// Returns row numbers that live as long as this object.
    func lend(_ numbers: [Int]) -> UnsafePointer<Int> {
        let list = UnsafeMutableBufferPointer<Int>.allocate(capacity: max(1, numbers.count))
        _ = list.initialize(from: numbers)
        lists.append(list)
        return UnsafePointer(list.baseAddress!)
    }

    /// Returns the index of an attribute of `row`.
    func attribute(_ row: Int, _ name: String) throws(Failure) -> Int {
        try run { rows throws(MappedRows.Refusal) in try rows.entity(of: row) }
            .attribute(named: name)
    }

    func relationship(_ row: Int, _ name: String) throws(Failure) -> Int {
        try run { rows throws(MappedRows.Refusal) in try rows.entity(of: row) }
            .relationship(named: name)
    }
}

import RestwayHTTP
import RestwayObjects
import RestwaySQLite

/// Changes items after their comparison with the server's values, and parks them.
extension JournalTransaction {
    func rewrite(_ id: Int64, _ rewriting: ItemRewriting) throws(OutboxError) -> Int64? { nil }

    func setChange(of id: Int64, _ new: OutboxChange) throws(OutboxError) {}

    func unpark(_ id: Int64, _ rewriting: ItemRewriting) throws(OutboxError) {}
}

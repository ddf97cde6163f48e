/// Decides how many items go out in one call. Items are sent singly while a batch endpoint keeps
/// failing.
package struct OutboxBatching: Equatable, Sendable {
    private let limit: Int?
    private let failuresMax: Int?
    private var failures = 0

    /// - Parameter limit: The most items in one call; `nil` if no batches are configured. A batch
    ///   of one item is still a batch.
    /// - Parameter failuresMax: After this many failed calls in a row, items are sent singly; `nil`
    ///   if they never are.
    package init(limit: Int?, failuresMax: Int?) {
        self.limit = limit.map { max(1, $0) }
        self.failuresMax = failuresMax.map { max(1, $0) }
    }

    /// Whether the next call is a batch.
    package var usesBatch: Bool {
        limit != nil && failuresMax.map { failures >= $0 } != true
    }

    /// The most items in the next call.
    package var itemsMax: Int { usesBatch ? limit ?? 1 : 1 }

    /// Counts a batch call that failed as a whole although the server could be reached.
    package mutating func failed() {
        failures = min(failures + 1, failuresMax ?? 0)
    }

    /// Notes that the server answered a batch.
    package mutating func succeeded() {
        failures = 0
    }

    /// Notes that a flush begins: the batch endpoint is tried once more.
    package mutating func started() {
        if let failuresMax, failures >= failuresMax { failures = failuresMax - 1 }
    }
}

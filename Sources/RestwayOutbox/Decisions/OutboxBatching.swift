/// Decides how many items go out in one call: a batch endpoint that fails again and again may be
/// passed by.
package struct OutboxBatching: Equatable, Sendable {
    private let limit: Int
    private let failuresMax: Int?
    private var failures = 0

    /// - Parameter limit: Of items in one call; 1 where no batches are configured.
    /// - Parameter failuresMax: After so many failed calls in a row items go singly; nil: never.
    package init(limit: Int, failuresMax: Int?) {
        self.limit = max(1, limit)
        self.failuresMax = failuresMax.map { max(1, $0) }
    }

    /// Of items in the next call.
    package var itemsMax: Int {
        failuresMax.map { failures >= $0 } == true ? 1 : limit
    }

    /// A call that carried a batch failed as a whole, while the server could be reached.
    package mutating func failed() {
        failures = min(failures + 1, failuresMax ?? 0)
    }

    /// A batch was answered.
    package mutating func succeeded() {
        failures = 0
    }

    /// A flush begins: the endpoint gets another chance, and just one.
    package mutating func started() {
        if let failuresMax, failures >= failuresMax { failures = failuresMax - 1 }
    }
}

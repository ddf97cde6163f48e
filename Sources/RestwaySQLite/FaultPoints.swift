/// Makes SQLite fail in tests: it is asked before each operation of a connection.
package struct FaultPoints: Sendable {
    package enum Operation: Sendable, CaseIterable {
        case open, prepare, step, begin, commit, rollback, checkpoint
    }

    /// Returns the result code with which the operation is to fail; `nil` lets it happen.
    private let answer: @Sendable (Operation) -> Int32?

    package init(_ answer: @escaping @Sendable (Operation) -> Int32?) {
        self.answer = answer
    }

    func code(for operation: Operation) -> Int32? { answer(operation) }
}

import Restway

/// A call in a task of its own, which a test ends in some way.
struct CallTask {
    private let task: Task<RestwayError.Kind?, Never>

    init(_ body: @escaping @Sendable () async throws(RestwayError) -> Void) {
        task = Task {
            do throws(RestwayError) {
                try await body()
                return nil
            } catch {
                return error.kind
            }
        }
    }

    func cancel() { task.cancel() }

    /// The kind of the error that the call ends with; `nil` if it succeeds.
    var kind: RestwayError.Kind? {
        get async { await task.value }
    }
}

import RestwaySupport

/// Counts the refreshes of a sliding window: a server that refuses every fresh credential is not
/// asked for ever.
struct RefreshWindow: Sendable {
    let refreshesMax: Int
    let milliseconds: Int64
    private var starts: [Deadline] = []

    init(refreshesMax: Int, milliseconds: Int64) {
        self.refreshesMax = refreshesMax
        self.milliseconds = milliseconds
    }

    /// Counts a refresh that starts now; when there were too many, answers when the next may start.
    mutating func start(_ now: Deadline) -> Deadline? {
        starts.removeAll { $0.advanced(milliseconds: milliseconds) <= now }
        guard starts.count < refreshesMax else {
            return starts.first?.advanced(milliseconds: milliseconds) ?? .never
        }
        starts.append(now)
        return nil
    }
}

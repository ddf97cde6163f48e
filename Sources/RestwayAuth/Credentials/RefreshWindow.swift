import RestwayThreads

/// Counts the refreshes in a sliding window, so that a server that refuses every fresh credential
/// is not asked for ever.
struct RefreshWindow: Sendable {
    let refreshesMax: Int
    let milliseconds: Int64
    private var starts: [Deadline] = []

    init(refreshesMax: Int, milliseconds: Int64) {
        self.refreshesMax = refreshesMax
        self.milliseconds = milliseconds
    }

    /// Counts a refresh that starts now. If there were too many, returns the time at which the next
    /// may start.
    mutating func start(_ now: Deadline) -> Deadline? {
        starts.removeAll { $0.advanced(milliseconds: milliseconds) <= now }
        guard starts.count < refreshesMax else {
            return starts.first?.advanced(milliseconds: milliseconds) ?? .never
        }
        starts.append(now)
        return nil
    }
}

import RestwayThreads

/// Measures how long the first byte of an answer is awaited. It reads no clock.
struct AnswerWait {
    private var since: Deadline?

    /// A part of the request was sent: the time begins, or begins again.
    mutating func begin(at now: Deadline) {
        since = now
    }

    /// Returns the rest of a time limit. Before the request is sent, this is the whole limit.
    func left(of limitMilliseconds: Int64, at now: Deadline) -> Int64 {
        limitMilliseconds - (since.map { now.milliseconds(since: $0) } ?? 0)
    }
}

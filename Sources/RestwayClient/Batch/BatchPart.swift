import RestwayHTTP

/// What a call has to do with a batch.
enum BatchPart: Sendable {
    /// It goes out inside of another call.
    case item(BatchSession, Int)
    /// It carries others.
    case carrier(BatchSession, Int)

    /// The call has ended; nobody has heard of that yet but those who wait for it.
    ///
    /// - Parameter credential: With which it was sent last.
    func ended(_ outcome: Call.Outcome, credential: UInt64?) {
        switch self {
        case .item(let session, let index): session.ended(index, outcome)
        case .carrier(let session, let number): session.ended(number, outcome, credential)
        }
    }
}

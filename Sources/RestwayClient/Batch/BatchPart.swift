import RestwayHTTP

/// The part that a call has in a batch.
enum BatchPart: Sendable {
    /// The call goes out inside another call.
    case item(BatchSession, Int)
    /// The call carries other calls.
    case carrier(BatchSession, Int)

    /// Records that the call has ended. So far, only the threads that wait for the call know this.
    ///
    /// - Parameter credential: The credential with which the call was last sent.
    func ended(_ outcome: Call.Outcome, credential: UInt64?) {
        switch self {
        case .item(let session, let index): session.ended(index, outcome)
        case .carrier(let session, let number): session.ended(number, outcome, credential)
        }
    }
}

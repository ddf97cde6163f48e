package import RestwayHTTP
package import RestwayOutcome

/// The place to which the bodies of a call's successful answers go, in place of memory: a file, or
/// a function of the program. A call has one for all its exchanges.
///
/// A worker for bodies calls these functions, one at a time, except `accepts`.
package protocol BodyTarget: AnyObject, Sendable {
    /// Prepares for an exchange, which is sent afterwards. It may change the headers.
    func prepare(_ exchange: inout Exchange) throws(Failure)

    /// Whether the body of an answer goes here, and not into memory as the body of an error does.
    /// The transport's thread calls it, before any of the functions below.
    func accepts(_ head: ResponseHead) -> Bool

    /// Begins the body of an accepted answer.
    func begin(_ head: ResponseHead) throws(Failure) -> BodyBeginning

    /// Takes decoded bytes, borrowed until this returns.
    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> BodyFlow

    /// Ends the body, which is complete.
    func finish() throws(Failure) -> SavedBody?

    /// Ends an exchange whose body did not come here, or did not come whole.
    func abandon()

    /// Whether the body may begin again in another exchange. It is read between exchanges.
    var mayBeginAgain: Bool { get }

    /// Decides, between two exchanges, whether the call continues with another exchange, because
    /// the body is a stream whose connection has ended. `prepare` then adds the header fields with
    /// which the server continues the stream.
    ///
    /// - Parameter error: Why the connection failed; `nil` if the body came whole.
    /// - Returns: How long the call waits before the exchange; `nil` if the call does not continue.
    func reopeningMilliseconds(after error: Failure.Reason?) -> Int64?
}

extension BodyTarget {
    package func reopeningMilliseconds(after error: Failure.Reason?) -> Int64? { nil }
}

/// How a target begins a body.
package enum BodyBeginning: Equatable, Sendable {
    case takes
    /// The answer is of no use. The exchange must be sent again: it now asks for the whole body.
    case restart
}

/// Whether a target takes more bytes.
package enum BodyFlow: Equatable, Sendable {
    case proceed
    /// The bytes are taken. No more bytes come until `BodyPump.resume`.
    case pause
}

/// The end of a body that was given to a target.
package enum BodyOutcome: Sendable {
    case taken(SavedBody?)
    case restart
    case failed(Failure)
}

/// What an observer answers to a piece of a body.
package enum BodyReply: Equatable, Sendable {
    case proceed
    /// The exchange ends here and completes with this error.
    case stop(TransportError)
}

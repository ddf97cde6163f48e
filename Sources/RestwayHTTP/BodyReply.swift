/// An observer's reply to a piece of a body.
package enum BodyReply: Equatable, Sendable {
    case proceed
    /// The bytes are taken. No more events come until `Transport.resume`.
    case pause
    /// The exchange ends here and completes with this error.
    case stop(TransportError)
}

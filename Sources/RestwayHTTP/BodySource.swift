/// The interface through which a transport reads a request body that is not in memory. Each source
/// serves one exchange.
///
/// The transport asks for one piece at a time, and asks again only after the piece was delivered.
/// So unsent bytes keep it from asking for much more. A transport that ends the exchange asks no
/// more, and drops pieces that are delivered later. A body that must be sent again needs a new
/// source.
package protocol BodySource: AnyObject, Sendable {
    /// The exact number of bytes; `nil` if it is not known before the end.
    var length: Int64? { get }

    /// Asks for the next piece; never blocks. `deliver` is called once, on any thread, now or much
    /// later, or never if the exchange has ended. After the end or a failure the transport asks no
    /// more.
    func next(_ deliver: @escaping @Sendable (BodyPiece) -> Void)
}

/// A piece that a source delivers.
package enum BodyPiece: Sendable {
    /// Some bytes, at least one.
    case bytes([UInt8])
    /// The end of the body.
    case end
    /// The rest cannot be read; the exchange fails with this error.
    case failed(TransportError)
}

/// The seam through which a transport pulls the body of one exchange that is not in memory.
///
/// It is asked for one piece at a time, and again only when that was delivered: what a transport
/// has not sent yet keeps it from asking for much more. A transport that ends the exchange asks no
/// more, and drops what is delivered later. A body that has to be sent again is another source.
package protocol BodySource: AnyObject, Sendable {
    /// How many bytes come before the end, exactly; `nil` when only the end will tell.
    var length: Int64? { get }

    /// Asks for the next piece; never blocks. `deliver` is told once, on any thread, now or much
    /// later; or never, when the exchange has ended. After the end, or a failure, nothing is asked.
    func next(_ deliver: @escaping @Sendable (BodyPiece) -> Void)
}

/// What a source delivers.
package enum BodyPiece: Sendable {
    /// Not empty.
    case bytes([UInt8])
    /// There is no more.
    case end
    /// There is more, but it cannot be had: the exchange fails with this.
    case failed(TransportError)
}

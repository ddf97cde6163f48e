import CRestway
import RestwayClient
import RestwayOutcome

/// Writes counts to a struct of the header.
extension StoredRequestCounts {
    /// sizeof(restway_outbox_counts) in version 0.1.0.
    static let structSizeMin = 40

    /// Fills the fields that the program's version of the struct has.
    func write(_ target: UnsafeMutablePointer<restway_outbox_counts>) throws(Failure) {
        var known = restway_outbox_counts()
        known.waiting = Int64(waiting)
        known.sending = Int64(sending)
        known.blocked = Int64(blocked)
        known.dead = Int64(dead)
        try SizedOptions.write(known, to: target, sizeMin: Self.structSizeMin, "counts")
    }
}

import CRestway
import RestwayOutcome

/// Writes timings to a struct of the header.
extension CallTimings {
    /// sizeof(restway_timings) in version 0.1.0.
    static let structSizeMin = 80

    /// Fills the fields that the program's version of the struct has.
    func write(_ target: UnsafeMutablePointer<restway_timings>) throws(Failure) {
        var known = restway_timings()
        known.queued_microseconds = queued ?? -1
        known.name_lookup_microseconds = nameLookup ?? -1
        known.connect_microseconds = connect ?? -1
        known.tls_microseconds = tls ?? -1
        known.first_byte_microseconds = firstByte ?? -1
        known.exchange_microseconds = exchange ?? -1
        known.decode_microseconds = decode ?? -1
        known.map_microseconds = map ?? -1
        known.total_microseconds = total ?? -1
        known.store_microseconds = store ?? -1
        try SizedOptions.write(known, to: target, sizeMin: Self.structSizeMin, "timings")
    }
}

import CRestway
import RestwayObjects
import RestwayOutcome

/// Writes statistics to a struct of the header.
extension StoreStatistics {
    /// sizeof(restway_statistics) in version 0.1.0.
    static let structSizeMin = 40

    /// Fills the fields that the program's version of the struct has.
    func write(_ target: UnsafeMutablePointer<restway_statistics>) throws(Failure) {
        var known = restway_statistics()
        known.object_count = Int64(objectCount)
        known.cached_object_count = Int64(cachedObjectCount)
        known.cached_byte_count = Int64(cachedByteCount)
        known.file_byte_count = Int64(fileByteCount)
        try SizedOptions.write(known, to: target, sizeMin: Self.structSizeMin, "statistics")
    }
}

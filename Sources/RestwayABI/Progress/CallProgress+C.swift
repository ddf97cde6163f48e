import CRestway
import RestwayCalls
import RestwayOutcome

/// Writes progress to a struct of the header.
extension CallProgress {
    /// sizeof(restway_progress) in version 0.1.0.
    static let structSizeMin = 64

    var c: restway_progress {
        var known = restway_progress()
        known.struct_size = MemoryLayout<restway_progress>.size
        known.upload_done = upload.done
        known.upload_total = upload.total ?? -1
        known.download_done = download.done
        known.download_total = download.total ?? -1
        known.mapping_done = mapping.done
        known.mapping_total = mapping.total ?? -1
        known.fraction = fraction
        return known
    }

    /// Fills the fields that the program's version of the struct has.
    func write(_ target: UnsafeMutablePointer<restway_progress>) throws(Failure) {
        let size = UnsafeRawPointer(target).loadUnaligned(as: Int.self)
        try SizedOptions.check(size, Self.structSizeMin, "progress")
        var known = c
        known.struct_size = size
        withUnsafeBytes(of: known) { known in
            UnsafeMutableRawPointer(target).copyMemory(
                from: known.baseAddress!, byteCount: min(size, known.count))
        }
    }
}

import CRestway
import RestwayOutcome

/// The structs of the header to which later versions append fields.
enum SizedStructs {
    static let attempt = SizedStruct<restway_attempt>(name: "attempt", sizeMin: 48)
    static let bodyReader = SizedStruct<restway_body_reader>(name: "reader", sizeMin: 40)
    static let bodyReceiver = SizedStruct<restway_body_receiver>(name: "receiver", sizeMin: 40)
    static let cacheCounts = SizedStruct<restway_cache_counts>(name: "counts", sizeMin: 112)
    static let cacheEntry = SizedStruct<restway_cache_entry>(name: "entry", sizeMin: 80)
    static let cacheFilter = SizedStruct<restway_cache_filter>(name: "filter", sizeMin: 48)
    static let cacheNote = SizedStruct<restway_cache_note>(name: "note", sizeMin: 32)
    static let callInfo = SizedStruct<restway_call_info>(name: "info", sizeMin: 64)
    static let clientOptions = SizedStruct<restway_client_options>(name: "options", sizeMin: 104)
    static let cookie = SizedStruct<restway_cookie>(name: "cookie", sizeMin: 56)
    static let credential = SizedStruct<restway_credential>(name: "credential", sizeMin: 48)
    static let eventReceiver = SizedStruct<restway_event_receiver>(name: "receiver", sizeMin: 56)
    static let mapOptions = SizedStruct<restway_map_options>(name: "options", sizeMin: 64)
    static let lifecycleOptions = SizedStruct<restway_lifecycle_options>(
        name: "options", sizeMin: 40)
    static let networkOptions = SizedStruct<restway_network_options>(
        name: "options.network", sizeMin: 112)
    static let outboxCounts = SizedStruct<restway_outbox_counts>(name: "counts", sizeMin: 40)
    static let page = SizedStruct<restway_page>(name: "page", sizeMin: 48)
    static let pageOptions = SizedStruct<restway_page_options>(name: "options", sizeMin: 32)
    static let progress = SizedStruct<restway_progress>(name: "progress", sizeMin: 64)
    static let rate = SizedStruct<restway_rate>(name: "rate", sizeMin: 48)
    static let statistics = SizedStruct<restway_statistics>(name: "statistics", sizeMin: 40)
    static let timings = SizedStruct<restway_timings>(name: "timings", sizeMin: 80)
    static let tlsOptions = SizedStruct<restway_tls_options>(name: "options.tls", sizeMin: 72)
}

/// Reads and writes one of these structs for programs that may be compiled against an older or a
/// newer header.
struct SizedStruct<Struct: BitwiseCopyable>: Sendable {
    /// The name of the parameters that point to the struct.
    let name: String
    /// The size of its first version.
    let sizeMin: Int

    /// Returns the content of `pointer`, with zeros for the fields that its version does not have.
    ///
    /// - Parameter zero: A value in which every byte is zero.
    func read(_ pointer: UnsafePointer<Struct>, zero: Struct) throws(Failure) -> Struct {
        let bytes = UnsafeRawPointer(pointer)
        let size = bytes.loadUnaligned(as: Int.self)
        let known = MemoryLayout<Struct>.size
        try check(size)
        if size > known {
            let tail = UnsafeRawBufferPointer(start: bytes + known, count: size - known)
            guard tail.allSatisfy({ $0 == 0 }) else {
                throw Argument.wrong(
                    name,
                    "\(name) uses fields that this version of the library does not know "
                        + "(\(size - known) bytes beyond its \(known))")
            }
        }
        var content = zero
        withUnsafeMutableBytes(of: &content) { target in
            target.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: min(size, known)))
        }
        return content
    }

    /// Writes the same bytes as the INIT macro: the size, then zeros.
    func initialize(
        _ pointer: Out<Struct>?, _ size: Int, _ outError: OutHandle?
    ) -> restway_status {
        Boundary.run(outError) { () throws(Failure) in
            let bytes = UnsafeMutableRawPointer(try Argument.out(pointer, name))
            try check(size)
            bytes.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            bytes.storeBytes(of: size, as: Int.self)
        }
    }

    /// Fills the fields that the program's version has. The size keeps its value.
    func write(_ known: Struct, to target: Out<Struct>?) throws(Failure) {
        let bytes = UnsafeMutableRawPointer(try Argument.out(target, name))
        let size = bytes.loadUnaligned(as: Int.self)
        try check(size)
        withUnsafeBytes(of: known) { known in
            bytes.copyMemory(from: known.baseAddress!, byteCount: min(size, known.count))
        }
        bytes.storeBytes(of: size, as: Int.self)
    }

    private func check(_ size: Int) throws(Failure) {
        // Without a limit, a wrong size would make the library read or write memory behind the
        // struct.
        let sizeMax = 4_096
        guard size >= sizeMin, size % 8 == 0, size <= sizeMax else {
            throw Argument.wrong(
                "\(name).struct_size",
                "\(name).struct_size is \(size): no version of this struct has that size")
        }
    }
}

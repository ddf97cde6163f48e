import RestwayOutcome

/// Reads and writes structs of programs that may be compiled against an older or a newer header.
enum SizedOptions {
    /// Returns the content of `pointer`, with zeros for the fields that its version does not have.
    ///
    /// - Parameters:
    ///   - zero: A value in which every byte is zero.
    ///   - sizeMin: The size of the first version.
    static func read<Options: BitwiseCopyable>(
        _ pointer: UnsafePointer<Options>, zero: Options, sizeMin: Int, _ name: String
    ) throws(Failure) -> Options {
        let bytes = UnsafeRawPointer(pointer)
        let size = bytes.loadUnaligned(as: Int.self)
        let known = MemoryLayout<Options>.size
        try check(size, sizeMin, name)
        if size > known {
            let tail = UnsafeRawBufferPointer(start: bytes + known, count: size - known)
            guard tail.allSatisfy({ $0 == 0 }) else {
                throw Failure(
                    .invalidArgument,
                    "\(name) uses fields that this version of the library does not know "
                        + "(\(size - known) bytes beyond its \(known))",
                    field: name)
            }
        }
        var options = zero
        withUnsafeMutableBytes(of: &options) { target in
            target.copyMemory(
                from: UnsafeRawBufferPointer(start: bytes, count: min(size, known)))
        }
        return options
    }

    /// Writes the same as the INIT macro: the size, then zeros.
    static func initialize<Options: BitwiseCopyable>(
        _ pointer: UnsafeMutablePointer<Options>, size: Int, sizeMin: Int, _ name: String
    ) throws(Failure) {
        try check(size, sizeMin, name)
        let bytes = UnsafeMutableRawPointer(pointer)
        bytes.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        bytes.storeBytes(of: size, as: Int.self)
    }

    /// Fills the fields that the program's version has. The size keeps its value.
    static func write<Result: BitwiseCopyable>(
        _ known: Result, to target: UnsafeMutablePointer<Result>, sizeMin: Int, _ name: String
    ) throws(Failure) {
        let size = UnsafeRawPointer(target).loadUnaligned(as: Int.self)
        try check(size, sizeMin, name)
        withUnsafeBytes(of: known) { known in
            let bytes = UnsafeMutableRawPointer(target)
            bytes.copyMemory(from: known.baseAddress!, byteCount: min(size, known.count))
        }
        UnsafeMutableRawPointer(target).storeBytes(of: size, as: Int.self)
    }

    /// Without this limit, a wrong size would make the library read or write memory behind the
    /// struct.
    private static let sizeMax = 4_096

    static func check(_ size: Int, _ sizeMin: Int, _ name: String) throws(Failure) {
        guard size >= sizeMin, size % 8 == 0, size <= sizeMax else {
            throw Failure(
                .invalidArgument,
                "\(name).struct_size is \(size): no version of this struct has that size",
                field: "\(name).struct_size")
        }
    }
}

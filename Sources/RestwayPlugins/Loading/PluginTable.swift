/// Tables that begin with their size.
enum PluginTable {
    /// A copy of a table that may be of an older or a newer version: what it lacks is zero, what
    /// is unknown is left aside. nil when it is smaller than `least`.
    ///
    /// - Parameter zero: A table of nothing but zeros.
    static func read<Table: BitwiseCopyable>(
        _ pointer: UnsafeRawPointer, zero: Table, least: Int
    ) -> Table? {
        let size = pointer.loadUnaligned(as: Int.self)
        guard size >= least, size <= 4_096 else { return nil }
        var table = zero
        withUnsafeMutableBytes(of: &table) { bytes in
            let known = min(size, bytes.count)
            bytes.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: known))
        }
        return table
    }
}

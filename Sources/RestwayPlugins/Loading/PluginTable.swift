/// Reads tables that begin with their size.
enum PluginTable {
    /// Copies a table of any version. Fields that it lacks are zero, and unknown fields are
    /// ignored. Returns nil if the table is smaller than `least`.
    ///
    /// - Parameter zero: A table that contains only zeros.
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

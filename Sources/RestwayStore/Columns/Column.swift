/// A finished column of a table, in the memory layout of Apache Arrow.
///
/// Its buffers were allocated with `malloc`. Whoever takes the column frees each of them once.
package struct Column {
    package let name: String
    /// The type, as the Arrow C Data Interface writes it ("l", "tsu:UTC", "+s").
    package let format: String
    /// The number of values, with nulls.
    package let count: Int
    package let nullCount: Int
    package let buffers: [UnsafeMutableRawPointer?]
    package let children: [Column]

    /// A table without rows whose entity is not known.
    package static var withoutRows: Column {
        Column(name: "", format: "+s", count: 0, nullCount: 0, buffers: [nil], children: [])
    }
}

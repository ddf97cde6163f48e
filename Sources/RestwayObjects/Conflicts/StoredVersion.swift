/// The version that a store keeps of an object.
package struct StoredVersion: Equatable, Sendable {
    package let version: ObjectVersion
    /// The version as a number, if versions are ordered.
    package let order: Int64?
    /// Whether the server's values in the store are those that came with the version, except the
    /// cells `stale`. The store also keeps the version without it, because a row with a smaller
    /// version is still older.
    package var isCurrent: Bool
    /// The cells whose values may be older than the version, because a row has brought the version
    /// without them.
    package var stale: Set<Int>

    package init(
        _ version: ObjectVersion, order: Int64? = nil, isCurrent: Bool = true,
        stale: Set<Int> = []
    ) {
        self.version = version
        self.order = order
        self.isCurrent = isCurrent
        self.stale = stale
    }

    /// Returns the version of the values of some cells; `nil` if it is not known.
    ///
    /// - Parameter cells: `nil` for all cells.
    package func version(of cells: Set<Int>?) -> ObjectVersion? {
        isCurrent && (cells.map(stale.isDisjoint) ?? stale.isEmpty) ? version : nil
    }
}

/// The version that a store keeps of an object.
package struct StoredVersion: Equatable, Sendable {
    package let version: ObjectVersion
    /// The version as a number, if versions are ordered.
    package let order: Int64?
    /// Whether the server's values in the store are those that came with the version. The store
    /// keeps an ordered version without it, because an older row is still older.
    package var isCurrent: Bool

    package init(_ version: ObjectVersion, order: Int64? = nil, isCurrent: Bool = true) {
        self.version = version
        self.order = order
        self.isCurrent = isCurrent
    }
}

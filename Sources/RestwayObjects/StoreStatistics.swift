/// The size of a store.
package struct StoreStatistics: Equatable, Sendable {
    package var objectCount = 0
    /// Objects whose newest snapshot is in memory.
    package var cachedObjectCount = 0
    /// The bytes of the snapshots in memory: their blocks, without the store's own tables.
    package var cachedByteCount = 0
    /// The bytes of the store's file; 0 without a file.
    package var fileByteCount = 0

    package init() {}
}

/// How large a store is.
package struct StoreStatistics: Equatable, Sendable {
    package var objectCount = 0
    /// Objects whose newest snapshot is in memory.
    package var cachedObjectCount = 0
    /// Of the snapshots in memory: blocks, without the store's own tables.
    package var cachedByteCount = 0
    /// Of the store's file; 0 without one.
    package var fileByteCount = 0

    package init() {}
}

import Synchronization

/// Counts what a cache does.
final class CacheCounters: Sendable {
    let hits = Atomic<Int64>(0)
    let staleHits = Atomic<Int64>(0)
    let validations = Atomic<Int64>(0)
    let misses = Atomic<Int64>(0)
    let shared = Atomic<Int64>(0)
    let stored = Atomic<Int64>(0)
    let evicted = Atomic<Int64>(0)
    let invalidated = Atomic<Int64>(0)

    var counts: CacheStatistics.Counts {
        var counts = CacheStatistics.Counts()
        counts.hits = hits.load(ordering: .relaxed)
        counts.staleHits = staleHits.load(ordering: .relaxed)
        counts.validations = validations.load(ordering: .relaxed)
        counts.misses = misses.load(ordering: .relaxed)
        counts.shared = shared.load(ordering: .relaxed)
        counts.stored = stored.load(ordering: .relaxed)
        counts.evicted = evicted.load(ordering: .relaxed)
        counts.invalidated = invalidated.load(ordering: .relaxed)
        return counts
    }
}

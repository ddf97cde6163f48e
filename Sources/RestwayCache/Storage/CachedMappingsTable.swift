import RestwayOutcome
import RestwayThreads

/// The mappings of bodies that were read from the file, so that a body that does not stay in memory
/// need not be decoded again either.
///
/// It has only the mappings of small bodies, because their size grows with the size of the body.
final class CachedMappingsTable: Sendable {
    private struct Place {
        let id: Int64
        let key: Int64
        let mappings: CachedMappings
    }

    private static let count = 1_024

    private let places = Lock([Place?](repeating: nil, count: count))

    /// Returns the mappings of an answer. An id always names the same body; the key is compared
    /// because other processes make ids, too.
    func mappings(
        of id: Int64, _ label: EntryLabel, orMake make: () -> CachedMappings
    ) -> CachedMappings {
        let index = Int(truncatingIfNeeded: id) & (Self.count - 1)
        return places.withLock { places in
            if let place = places[index], place.id == id, place.key == label.hash {
                return place.mappings
            }
            let mappings = make()
            places[index] = Place(id: id, key: label.hash, mappings: mappings)
            return mappings
        }
    }
}

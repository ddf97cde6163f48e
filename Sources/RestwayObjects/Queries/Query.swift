/// Selects objects of an entity, and their order.
///
/// Values are ordered as in SQLite: first null and absent values, then numbers (booleans are 0 and
/// 1, dates their microseconds), then text by its bytes, then bytes.
package struct Query: Sendable {
    package enum Comparison: Int32, Sendable, CaseIterable {
        case equal = 1
        case notEqual = 2
        case less = 3
        case lessOrEqual = 4
        case greater = 5
        case greaterOrEqual = 6
    }

    package struct Order: Sendable {
        package let attribute: Int
        package let isDescending: Bool

        package init(attribute: Int, isDescending: Bool = false) {
            self.attribute = attribute
            self.isDescending = isDescending
        }
    }

    /// A condition on the objects themselves.
    package enum Selection: Sendable {
        /// Objects with these store keys.
        case only(Set<Int64>)
        /// All objects except the objects with these store keys.
        case without(Set<Int64>)

        func holds(_ key: Int64) -> Bool {
            switch self {
            case .only(let keys): keys.contains(key)
            case .without(let keys): !keys.contains(key)
            }
        }
    }

    /// A condition on what is known of the objects; see `Snapshot.isLoaded`.
    package enum Loading: Sendable, CaseIterable {
        /// Loaded objects.
        case loaded
        /// Objects that are known by their identity alone.
        case unloaded
        /// All objects.
        case all
    }

    /// Whether objects are found whose deletion waits for the server.
    package enum PendingDeletes: String, CaseIterable, Sendable {
        case hide, show
    }

    package let entity: Entity
    package var loading = Loading.loaded
    /// The selected objects; `nil` for all.
    package var selection: Selection?
    /// Whether the objects have pending edits; `nil` for both.
    package var isPending: Bool?
    /// Whether the objects have an edit that is parked because of a conflict; `nil` for both.
    package var isConflicted: Bool?
    /// `nil` leaves it to the store of the client; a store by itself shows them.
    package var pendingDeletes: PendingDeletes?
    /// The conditions, all of which must hold.
    package var conditions: [Condition] = []
    /// The sort order. The first entry decides, then the next, and last the store key, which is the
    /// order in which the objects were stored.
    package var order: [Order] = []
    /// The most objects to return; `nil` for all.
    package var limit: Int?
    package var offset = 0

    package init(_ entity: Entity, _ loading: Loading = .loaded) {
        self.entity = entity
        self.loading = loading
    }

    /// Whether the query finds every object of the entity that meets the condition `loading` and
    /// is not hidden.
    package var findsAll: Bool {
        conditions.isEmpty && selection == nil && isPending == nil && isConflicted == nil
    }
}

extension Query {
    /// Returns whether `left` comes before `right`.
    package func sorts(_ left: Snapshot, before right: Snapshot) -> Bool {
        withExtendedLifetime((left, right)) {
            for order in order {
                let ranks = CellOrder.compare(
                    left.cell(at: order.attribute), right.cell(at: order.attribute))
                if ranks != 0 { return order.isDescending ? ranks > 0 : ranks < 0 }
            }
            return left.storeKey < right.storeKey
        }
    }
}

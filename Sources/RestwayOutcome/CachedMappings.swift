package import RestwayMapping
import RestwayObjects
package import RestwayRouting
import RestwayThreads

/// The objects to which a kept body was mapped, so that the body need not be decoded again: an
/// answer with this body has the newest snapshots that the store has of them. All answers with the
/// same body share this object.
///
/// It keeps the store keys of the objects, which are eight bytes each, and no snapshots. The store
/// has the newest snapshots anyway, and older ones would stay in memory as long as the body.
package final class CachedMappings: Sendable {
    /// Everything that decides how a body is mapped. With another key, other objects may be made of
    /// it.
    package struct Key: Equatable, Sendable {
        /// The version of the document.
        package let version: UInt64
        package let method: Method
        package let status: Int
        package let choice: DescriptorChoice
        /// The name of the route's mapper.
        package let mapper: String?
        /// The store that takes the objects.
        package let store: Int64

        package init(
            version: UInt64, method: Method, status: Int, choice: DescriptorChoice,
            mapper: String?, store: Int64
        ) {
            self.version = version
            self.method = method
            self.status = status
            self.choice = choice
            self.mapper = mapper
            self.store = store
        }
    }

    /// How a body is mapped.
    package struct Manner: Sendable {
        package let key: Key
        package let plan: MappingPlan

        package init(key: Key, plan: MappingPlan) {
            self.key = key
            self.plan = plan
        }

        /// Whether a body that was mapped in this manner has given the store all objects that it
        /// gives in the other one: a document that gets another route has other plans, but maps
        /// the body of an earlier route to the same objects.
        func covers(_ other: Manner) -> Bool {
            key.store == other.key.store && key.mapper == other.key.mapper
                && other.plan.descriptors.allSatisfy { needed in
                    plan.descriptors.contains { given in
                        given.mapping.entity === needed.mapping.entity
                            && given.union == needed.union
                            && given.keyPath == needed.keyPath
                    }
                }
        }
    }

    /// The objects that a body was mapped to in one manner.
    package final class Mapped: Sendable {
        package let manner: Manner
        /// The store keys of the results of each descriptor.
        package let keys: [[Int64]]
        /// The value that belongs to no object, if the answer is one.
        package let parsed: ParsedValue
        package let issues: [MappingIssue]
        package let issueCount: Int
        package let bodyIsJSON: Bool
        /// How many commits had changed something in the store when it had these objects.
        package let changeCount: Int
        /// Whether the answer also has objects that no store keeps, so that the body has to be
        /// mapped again for them.
        fileprivate let hasUnkept: Bool

        package init(
            _ manner: Manner, _ mapped: MappedAnswer, changeCount: Int, hasUnkept: Bool = false
        ) {
            self.hasUnkept = hasUnkept
            self.manner = manner
            keys = mapped.results.map { range in mapped.objects[range].map(\.storeKey) }
            parsed = mapped.parsed
            issues = mapped.issues
            issueCount = mapped.issueCount
            bodyIsJSON = mapped.bodyIsJSON
            self.changeCount = changeCount
        }
    }

    /// A URL has few routes, and a document few versions while a body is kept.
    private static let mannersMax = 4

    /// The store that took the objects before this object was made: in an earlier process, or
    /// before the body left memory.
    private let committedTo: Int64?
    private let onCommit: (@Sendable (Int64) -> Void)?
    /// The newest first.
    private let known = Lock<[Mapped]>([])

    /// - Parameters:
    ///   - committedTo: The `identity` of the store that is known to have taken the answer; `nil`
    ///     if no store is known to have taken it.
    ///   - onCommit: Receives the identity of another store that has taken the answer. It is called
    ///     before the call ends, on the thread that delivers the answer, so it must not wait. It
    ///     may be called more than once.
    package init(committedTo: Int64? = nil, onCommit: (@Sendable (Int64) -> Void)? = nil) {
        self.committedTo = committedTo
        self.onCommit = onCommit
    }

    /// Returns what the body was mapped to; `nil` if it has to be mapped.
    package func mapped(for key: Key) -> Mapped? {
        known.withLock { known in known.first { $0.manner.key == key && !$0.hasUnkept } }
    }

    /// Whether the store has taken the objects that the body gives in this manner.
    package func isCommitted(in manner: Manner) -> Bool {
        committedTo == manner.key.store
            || known.withLock { known in known.contains { $0.manner.covers(manner) } }
    }

    package func store(_ mapped: Mapped) {
        let key = mapped.manner.key
        let isFirst = known.withLock { known in
            let isFirst = !known.contains { $0.manner.key.store == key.store }
            known.removeAll { $0.manner.key == key }
            known.insert(mapped, at: 0)
            if known.count > Self.mannersMax { known.removeLast() }
            return isFirst
        }
        if isFirst, key.store != committedTo { onCommit?(key.store) }
    }
}

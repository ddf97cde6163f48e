import RestwayDocument
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRouting
import RestwayStore
import RestwayThreads

/// Remembers what a kept body was mapped to, so that it need not be decoded again: the objects of
/// an answer with this body are the newest snapshots that the store has of them. All answers with
/// one body share the memo.
///
/// It keeps the store keys of the objects, which are eight bytes each, and no snapshots. The store
/// has the newest snapshots anyway, and older ones would stay in memory as long as the body.
package final class AnswerMemo: Sendable {
    /// Everything that decides how a body is mapped. With another key, other objects may be made of
    /// it.
    struct Key: Equatable, Sendable {
        /// The version of the document.
        let version: UInt64
        let method: Method
        let status: Int
        let choice: DescriptorChoice
        /// The name of the route's mapper.
        let mapper: String?
        /// The store that takes the objects.
        let store: Int64
    }

    /// How a body is mapped.
    struct Manner: Sendable {
        let key: Key
        let plan: MappingPlan

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

    /// What a body was mapped to in one manner.
    final class Mapped: Sendable {
        let manner: Manner
        /// The store keys of the results of each descriptor.
        let keys: [[Int64]]
        /// The value that belongs to no object, if the answer is one.
        let parsed: ParsedValue
        let issues: [MappingIssue]
        let issueCount: Int
        let bodyIsJSON: Bool
        /// How many commits had changed something in the store when it had these objects.
        let changeCount: Int

        init(
            _ manner: Manner, _ mapped: MappedObjects, _ parsed: ParsedValue, changeCount: Int
        ) {
            self.manner = manner
            keys = mapped.results.map { range in mapped.objects[range].map(\.storeKey) }
            self.parsed = parsed
            issues = mapped.issues
            issueCount = mapped.issueCount
            bodyIsJSON = mapped.bodyIsJSON
            self.changeCount = changeCount
        }
    }

    /// A URL has few routes, and a document few versions while a body is kept.
    private static let mannersMax = 4

    /// The store that took the answer before this memo began: in an earlier process, or before the
    /// body left memory.
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

    func mapped(for key: Key) -> Mapped? {
        known.withLock { known in known.first { $0.manner.key == key } }
    }

    /// Whether the store has taken the objects that the body gives in this manner.
    func isCommitted(in manner: Manner) -> Bool {
        committedTo == manner.key.store
            || known.withLock { known in known.contains { $0.manner.covers(manner) } }
    }

    func store(_ mapped: Mapped) {
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

/// Answers whose body is kept: they are mapped at most once, and leave the store as it is if it
/// has taken them before.
extension ResponseProcessor {
    /// Returns what decides how the body of an answer is mapped; `nil` if nothing remembers what it
    /// was mapped to, or if the answer also changes the objects that the request has sent.
    func memoKey(_ answer: TakenAnswer) -> AnswerMemo.Key? {
        guard answer.memo != nil, request.submission == nil, request.deletions.isEmpty else {
            return nil
        }
        return AnswerMemo.Key(
            version: call.api.version, method: request.method, status: answer.received.status,
            choice: request.descriptorChoice, mapper: request.dataMapper,
            store: context.store.identity)
    }

    /// Returns what a body was mapped to before; `nil` if it has to be mapped.
    ///
    /// An answer that the server has just validated is as new as the newest values, so it is
    /// committed again if the store may have other values by now.
    func known(_ answer: TakenAnswer, _ key: AnswerMemo.Key?) -> AnswerMemo.Mapped? {
        guard let key, let known = answer.memo?.mapped(for: key) else { return nil }
        let isCurrent = !answer.isValidated || known.changeCount == context.store.changeCount
        return isCurrent ? known : nil
    }

    /// Returns the objects that the store has now. Nothing is decoded, committed or asked of hooks
    /// and transforms again.
    func recall(_ known: AnswerMemo.Mapped) throws(Failure) -> MappedObjects {
        var mapped = MappedObjects.none
        mapped.isMapped = true
        mapped.bodyIsJSON = known.bodyIsJSON
        mapped.issues = known.issues
        mapped.issueCount = known.issueCount
        for (index, keys) in known.keys.enumerated() {
            let entities = known.manner.plan.entities(of: index)
            let objects = try context.store.newest(anyOf: entities, storeKeys: keys)
            let start = mapped.objects.count
            // Most answers have one list, which need not be copied.
            if start == 0 { mapped.objects = objects } else { mapped.objects += objects }
            mapped.results.append(start..<mapped.objects.count)
        }
        return mapped
    }

    /// Whether the store has taken the answer before, so that its values are not newer than those
    /// of the store.
    func hasStored(_ parsed: ParsedAnswer) -> Bool {
        guard let memo = parsed.answer.memo, let manner = parsed.manner else { return false }
        return !parsed.answer.isValidated && memo.isCommitted(in: manner)
    }

    /// Remembers what a body was mapped to, after the store has taken it.
    func remember(_ parsed: ParsedAnswer, _ mapped: MappedObjects, _ commit: Commit) {
        guard let memo = parsed.answer.memo, let manner = parsed.manner else { return }
        memo.store(
            AnswerMemo.Mapped(manner, mapped, parsed.parsed, changeCount: commit.changeCount))
    }
}

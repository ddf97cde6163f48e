package import RestwayObjects
import RestwayText
package import RestwayThreads
import Synchronization

/// The rows of one response, before any store has taken them.
package struct MappingResult: Sendable {
    package var changeSet: ChangeSet
    /// The rows that are the results of each descriptor of the plan, in order.
    package var results: [[Int]]
    /// Whether results stood in a list.
    package var hasLists = false
    /// The value of the answer that belongs to no object; absent if every value belongs to an
    /// object.
    package var value = Value.absent
    /// The form of `value`; nil if no descriptor describes a value.
    package var valueShape: ValueShape?
    /// The first 100 issues.
    package var issues: [MappingIssue]
    package var issueCount: Int
    /// The pointer that the host's first failed transform attached to its failure.
    package var issueCause: (any HostCause)?
    /// Whether the results of each descriptor are not kept; `nil` if the store takes all rows.
    var unkeptResults: [Bool]?

    /// Moves the rows out, so that they are not copied.
    ///
    /// - Parameter keepsResults: Whether the store takes the results of all descriptors. Objects of
    ///   entities that are not kept stay out of it all the same.
    package mutating func takeChangeSet(keepsResults: Bool = false) -> ChangeSet {
        var taken = ChangeSet()
        swap(&taken, &changeSet)
        if let unkeptResults {
            let unkept = zip(results, unkeptResults).filter { $1 && !keepsResults }.flatMap(\.0)
            taken.unkeptRows = UnkeptRows(taken.rows, results: unkept).found
        }
        return taken
    }

    /// The objects of the response after `commit`, grouped by descriptor.
    package func objects(
        of commit: Commit
    ) -> (objects: [Snapshot], ranges: [Range<Int>]) {
        if results.count == 1, results[0].count == commit.objects.count {
            return (commit.objects, [commit.objects.indices])
        }
        var objects: [Snapshot] = []
        var ranges: [Range<Int>] = []
        for rows in results {
            let start = objects.count
            objects += rows.map { commit.objects[$0] }
            ranges.append(start..<objects.count)
        }
        return (objects, ranges)
    }
}

extension MappingResult {
    /// The rows of descriptors that have one object, if no result stood in a list.
    var loneResults: Set<Int> {
        hasLists ? [] : Set(results.compactMap { $0.count == 1 ? $0[0] : nil })
    }

    /// Adds issues, of which the first are kept.
    mutating func add(_ more: [MappingIssue]) {
        issues += more.prefix(max(0, IssueLog.keptMax - issues.count))
        issueCount += more.count
    }

    /// Adds an issue for each descriptor with objects of which none has its identity. The key path
    /// of the identity is probably wrong, and all these objects would stay apart from those that
    /// the store has.
    package mutating func reportMissingIdentities(_ plan: MappingPlan) {
        for (index, descriptor) in plan.descriptors.enumerated() {
            let own = descriptor.union?.members.map { plan.entities[$0] }
            for mapping in own ?? [descriptor.mapping] {
                reportMissingIdentities(descriptor, mapping, results[index])
            }
        }
    }

    private mutating func reportMissingIdentities(
        _ descriptor: ResponseDescriptor, _ mapping: EntityMapping, _ results: [Int]
    ) {
        let entity = mapping.entity
        let rows = results.filter { changeSet.rows[$0].entity === entity }
        guard entity.identityIndex != nil, !rows.isEmpty else { return }
        // Of an identity of several parts, the first part is named that no object has.
        let missing = entity.identityAttributes.first { part in
            rows.allSatisfy { changeSet.rows[$0].value(at: part) == .absent }
        }
        guard let missing else { return }
        let source = mapping.attributes.first { $0.attribute == missing }?.source
        let place = (source ?? []).joined(separator: ".")
        // A value that cannot be an identity has an issue of its own.
        guard !issues.contains(where: { $0.keyPath.hasSuffix(place) }) else { return }
        issues.append(
            MappingIssue(
                keyPath: (descriptor.keyPath + (source ?? [])).joined(separator: "."),
                reason: "no object of \(entity.name) has its identity"
                    + (entity.identityParts == nil
                        ? "" : ": \"\(entity.attributes[missing].name)\" is missing")))
        issueCount += 1
    }
}

/// The value of an answer that belongs to no object. If several places have one, the last counts.
struct AnswerValue {
    private(set) var value = Value.absent

    /// - Parameter bytes: The text of cells.
    mutating func take(_ cell: Cell, besides bytes: UnsafePointer<UInt8>) {
        value = Value(cell.placed(besides: bytes))
    }
}

/// A value of the payload that did not fit and was left out.
package struct MappingIssue: Sendable, Equatable {
    /// The key path with list positions: `array_of_enterprises[3].address.street_number`.
    package let keyPath: String
    /// Names the expected and the found kind of value. The value itself is named only where the
    /// attribute accepts nothing but listed values.
    package let reason: String

    /// Control characters in both texts are escaped, because a key comes from the server and a
    /// reason may come from the host.
    package init(keyPath: String, reason: String) {
        self.keyPath = keyPath.escapingControls
        self.reason = reason.escapingControls
    }
}

/// Why a response could not be mapped at all.
package enum MappingFailure: Error, Equatable, Sendable {
    case cancelled
    case tooManyObjects(max: Int)
    case tooDeep(max: Int)
    /// There is nothing at the key path of a descriptor that requires it.
    case missing(keyPath: String)
    /// The mapper broke the contract of `EventSink`.
    ///
    /// - Parameter place: The key path of the wrong value, or of the value before it; empty at the
    ///   top.
    case brokenEvents(EventBreach, place: String)

    package var message: String {
        switch self {
        case .cancelled: "cancelled"
        case .tooManyObjects(let max): "the response holds more than \(max) objects"
        case .tooDeep(let max): "the body is nested deeper than \(max) levels"
        case .missing(let keyPath): "there is nothing at \(keyPath.isEmpty ? "the top" : keyPath)"
        case .brokenEvents(let breach, let place):
            "broke its contract: \(breach.rawValue), at \(place.isEmpty ? "the top" : place)"
        }
    }
}

/// The progress of the mapping of one response. The machine updates it; any thread may read it.
package final class MappingProgress: Sendable {
    private let done = Atomic<Int>(0)
    private let total = Atomic<Int>(0)
    /// A list of unknown length has begun.
    private let isOpen = Atomic<Bool>(false)

    package init() {}

    /// The number of results so far, without the objects that they link to.
    package var objectsDone: Int { done.load(ordering: .relaxed) }

    /// The number of elements in all lists of results that have begun; nil while it is not known.
    /// After the mapping it is the number of results.
    package var objectsTotal: Int? {
        isOpen.load(ordering: .relaxed) ? nil : total.load(ordering: .relaxed)
    }

    // Only one thread maps, so no other thread changes these values.

    /// Begins again, because the body is read a second time.
    package func restart() {
        done.store(0, ordering: .relaxed)
        total.store(0, ordering: .relaxed)
        isOpen.store(false, ordering: .relaxed)
    }

    func expect(_ count: Int?) {
        guard let count else { return isOpen.store(true, ordering: .relaxed) }
        total.store(total.load(ordering: .relaxed) &+ count, ordering: .relaxed)
    }

    @inline(__always)
    func advance() {
        done.store(done.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    func end() {
        total.store(done.load(ordering: .relaxed), ordering: .relaxed)
        isOpen.store(false, ordering: .relaxed)
    }
}

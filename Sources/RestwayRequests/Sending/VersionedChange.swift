import RestwayDocument
package import RestwayHTTP
import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
import RestwayRouting
package import RestwayStore
import RestwayText

/// The change that a request makes to one object whose versions are known: PATCH, PUT or DELETE
/// about an object of an entity with a `version`.
///
/// It is a class because most requests have none.
package final class VersionedChange: Sendable {
    /// The attributes and relationships that the request changes, by the indices of their cells;
    /// empty for a DELETE, and for a body of the program, which may change anything.
    package let cells: [Int]
    /// The object with the values that the change was made on.
    package let base: Snapshot
    /// The object with the values of the program.
    package let mine: Snapshot
    /// The object with the values of the server when the request was prepared.
    package let confirmed: Snapshot
    /// The cells whose values the server has changed since the change was made, as far as the store
    /// knows.
    package let outdated: [Int]
    /// The version that the request states as its condition; `nil` if it states none.
    package let condition: ObjectVersion?
    /// Whether the program has set a condition of its own.
    package let hasOwnCondition: Bool
    /// The request as its caller describes it.
    package let spec: RequestSpec
    let rule: VersionRule

    fileprivate init(
        cells: [Int], base: Snapshot, mine: Snapshot, confirmed: Snapshot, outdated: [Int],
        condition: ObjectVersion?, hasOwnCondition: Bool, spec: RequestSpec, rule: VersionRule
    ) {
        self.cells = cells
        self.base = base
        self.mine = mine
        self.confirmed = confirmed
        self.outdated = outdated
        self.condition = condition
        self.hasOwnCondition = hasOwnCondition
        self.spec = spec
        self.rule = rule
    }

    /// The header field that makes the request conditional; `nil` without one.
    package var header: HeaderField? { rule.condition(condition) }

    /// Whether the program has written the body, which may change anything.
    package var hasOwnBody: Bool { spec.given.body != nil }

    /// Whether the request changes `cells` and nothing else.
    package var changesOnlyCells: Bool {
        !hasOwnBody && spec.given.files.isEmpty && spec.parameters.isEmpty
    }

    /// Whether the outbox may take the request over after a conflict, and the library may compare
    /// and send it again. A condition of the program means exactly one state of the object.
    package var mayBeMerged: Bool { !hasOwnCondition }

    /// Whether a request can state a version.
    package func canState(_ version: ObjectVersion?) -> Bool {
        rule.bodyKeyPath == nil ? rule.condition(version) != nil : version != nil
    }

    /// The place and the value of the version in the body; `nil` if the body carries none.
    var inBody: (keyPath: [String], value: WireValue)? {
        guard let path = rule.bodyKeyPath, let condition else { return nil }
        var value = Value.string(condition.text)
        if case .attribute(let index) = rule.source {
            // The body has a number as a number.
            let known = confirmed.value(at: index)
            if known.versionText == condition.text { value = known }
        }
        return (path, .leaf(value))
    }

    /// Returns the cells in which two objects with the same entity differ, besides the version.
    package func differences(of object: Snapshot, from other: Snapshot) -> [Int] {
        (0..<object.entity.valueCount).filter { cell in
            guard rule.source != .attribute(cell) else { return false }
            let (own, its) = (object.value(at: cell), other.value(at: cell))
            return own != .absent && its != .absent && !own.hasSameContent(as: its)
        }
    }
}

extension RequestPreparation {
    /// Returns the change of a request about an object whose versions are known; `nil` for any
    /// other request.
    func versionedChange(
        _ spec: RequestSpec, _ submission: Submission?, to destination: RequestDestination,
        _ settings: RouteSettings
    ) throws(Failure) -> VersionedChange? {
        guard let submission, let rule = submission.entity.version,
            [.patch, .put, .delete].contains(destination.method), spec.stored == nil,
            relationship(destination) == nil, isOfObject(spec, submission, destination),
            let newest = try newest(of: submission),
            let confirmed = try context.store.confirmed(of: newest)
        else { return nil }
        let named =
            spec.headers.map(\.name) + settings.headers.map(\.name)
            + (spec.clientHeaders ?? []).map(\.name)
        let hasOwn = named.contains { HeaderField(name: $0, value: "").isPrecondition }
        let version = hasOwn ? nil : try context.store.newestVersion(of: newest)
        let isDelete = destination.method == .delete
        var (cells, base, mine): ([Int], Snapshot, Snapshot) = ([], confirmed, confirmed)
        var outdated: [Int] = []
        switch submission.subject {
        case .object(let object):
            guard !isDelete else { break }
            (base, mine) = (object, object)
            cells = object.presentCells(but: rule)
            outdated = cells.filter { cell in
                ![confirmed, newest].contains { object.isSame(as: $0, cellAt: cell) }
            }
        case .draft(let draft):
            guard !isDelete else { break }
            let root = draft.root
            cells = root.changed.filter { rule.source != .attribute($0) }.sorted()
            base = root.base ?? confirmed
            mine = draft.mine(over: confirmed)
            mine.setStoreKey(newest.storeKey)
            outdated = cells.filter { cell in
                let known = base.value(at: cell)
                let isKnown = [confirmed, newest].contains {
                    known.hasSameContent(as: $0.value(at: cell))
                }
                return !isKnown && !root.hasDelivered(confirmed.value(at: cell), cell: cell)
            }
        }
        if spec.given.body != nil { cells = [] }
        // A DELETE has no body for the version.
        let isStated = outdated.isEmpty && !(isDelete && rule.bodyKeyPath != nil)
        return VersionedChange(
            cells: cells, base: base, mine: mine, confirmed: confirmed,
            outdated: hasOwn ? [] : outdated,
            condition: isStated ? version : nil, hasOwnCondition: hasOwn, spec: spec,
            rule: rule)
    }

    /// Whether the path of a request leads to the object itself, and not to something below it.
    private func isOfObject(
        _ spec: RequestSpec, _ submission: Submission, _ destination: RequestDestination
    ) -> Bool {
        if case .subject = spec.target { return true }
        let entity = submission.entity
        if let route = destination.route,
            (try? api.route(for: entity, method: destination.method)) === route
        {
            return true
        }
        guard let identity = submission.identity else { return entity.isSingleton }
        let path = (destination.path ?? "").prefix { $0 != "?" && $0 != "#" }
        let last = path.utf8.split(separator: UInt8(ascii: "/")).last ?? []
        let name = entity.texts(of: identity).last ?? ""
        return PercentEncoding.decode(Array(last)[...]).bytes.starts(with: name.utf8)
    }

    private func newest(of submission: Submission) throws(Failure) -> Snapshot? {
        let key = submission.subject.storeKey
        return key == 0 ? nil : try context.store.newest(submission.entity, storeKey: key)
    }
}

extension Snapshot {
    /// The cells with values, besides the identity and the version.
    fileprivate func presentCells(but rule: VersionRule) -> [Int] {
        (0..<entity.valueCount).filter { cell in
            !self.cell(at: cell).isAbsent && rule.source != .attribute(cell)
                && !entity.isIdentity(attribute: cell)
        }
    }

    fileprivate func isSame(as other: Snapshot, cellAt index: Int) -> Bool {
        value(at: index).hasSameContent(as: other.value(at: index))
    }
}

extension PreparedRequest {
    /// Returns the request to write again because the store has another version of its object by
    /// now; `nil` if it has not.
    package func specIfOutdated(in store: ObservedStore) throws(Failure) -> RequestSpec? {
        guard let change = versioned, change.mayBeMerged, let submission,
            let newest = try store.newest(
                submission.entity, storeKey: submission.subject.storeKey),
            try store.newestVersion(of: newest) != change.condition
        else { return nil }
        return change.spec
    }
}

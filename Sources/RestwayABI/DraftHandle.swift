import CRestway
import RestwayClient
import RestwayObjects
import RestwaySupport

/// A draft, and the store that it is for.
final class DraftHandle: Sendable {
    let draft: Draft
    let store: ObservedStore
    private let generation = ProcessGeneration.current

    init(_ draft: Draft, _ store: ObservedStore) {
        self.draft = draft
        self.store = store
    }

    var subject: RequestSpec.Subject { .draft(draft, store) }

    /// In a forked child another thread of the parent's may hold the draft's lock for ever.
    fileprivate func refuseAfterFork() throws(Failure) {
        if generation != ProcessGeneration.current { throw Client.forkedFailure }
    }

    /// The cell of an attribute or a relationship.
    func cell(named name: UnsafePointer<CChar>?) throws(Failure) -> Int {
        let entity = draft.entity
        let name = try Argument.string(name, "name")
        if let index = entity.relationshipIndex(named: name) {
            return entity.attributes.count + index
        }
        return try entity.attribute(named: name)
    }

    func relationship(named name: UnsafePointer<CChar>?) throws(Failure) -> Int {
        try draft.entity.relationship(named: try Argument.string(name, "relationship"))
    }

    /// Changes the draft; what it refuses is the caller's mistake.
    func change(_ body: (Draft) throws(DraftError) -> Void) throws(Failure) {
        do throws(DraftError) {
            try body(draft)
        } catch {
            throw Failure(error)
        }
    }
}

/// Links.
extension DraftHandle {
    /// What all functions have in common that lead a relationship of a draft somewhere.
    static func relating(
        _ draft: OpaquePointer?, _ relationship: UnsafePointer<CChar>?,
        _ outError: Boundary.OutHandle?,
        _ body: (DraftHandle, _ relationship: Int) throws(Failure) -> Void
    ) -> restway_status {
        Boundary.run(outError) { () throws(Failure) in
            let handle = try Argument.draft(draft)
            try body(handle, try handle.relationship(named: relationship))
        }
    }

    func target(object: OpaquePointer?, _ name: String) throws(Failure) -> Draft.Target {
        .object(try Argument.handle(Snapshot.self, object, name))
    }

    func target(draft: OpaquePointer?, _ name: String) throws(Failure) -> Draft.Target {
        let other = try Argument.draft(draft, name)
        guard other.store === store else {
            throw Failure(.invalidArgument, "\(name) is a draft for another store", field: name)
        }
        return .draft(other.draft)
    }
}

extension Argument {
    static func draft(
        _ draft: OpaquePointer?, _ name: String = "draft"
    ) throws(Failure) -> DraftHandle {
        let handle = try handle(DraftHandle.self, draft, name)
        try handle.refuseAfterFork()
        return handle
    }
}

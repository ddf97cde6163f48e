import CRestway
import RestwayClient
import RestwayObjects
import RestwayThreads

/// A draft and the store that it belongs to.
final class DraftHandle: HandleObject, Sendable {
    let draft: Draft
    let store: ObservedStore
    let generation = ProcessGeneration.current

    init(_ draft: Draft, _ store: ObservedStore) {
        self.draft = draft
        self.store = store
    }

    var subject: RequestSpec.Subject { .draft(draft, store) }

    /// Returns the cell of an attribute or a relationship.
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

    /// Changes the draft. A change that the draft refuses is a mistake of the caller.
    func change(_ body: (Draft) throws(DraftError) -> Void) throws(Failure) {
        do throws(DraftError) {
            try body(draft)
        } catch {
            throw Failure(error)
        }
    }
}

/// Sets relationships.
extension DraftHandle {
    /// The code that all functions share that set a relationship of a draft.
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
        try handle(DraftHandle.self, draft, name)
    }
}

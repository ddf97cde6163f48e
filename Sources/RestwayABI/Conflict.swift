public import CRestway
import RestwayCalls
import RestwayClient
import RestwayObjects
import RestwayOutbox
import RestwayOutcome
import RestwayStore
import RestwayThreads

extension Conflict: ArgumentObject { static let parameter = "conflict" }

/// A list of conflicts that the program holds.
final class ConflictsHandle: HandleObject {
    let all: [Conflict]
    let generation = ProcessGeneration.current

    init(_ all: [Conflict]) {
        self.all = all
    }
}

// conflict.h

@_cdecl("restway_conflict_kind_of") @implementation
public func restway_conflict_kind_of(_ conflict: InHandle) -> restway_conflict_kind {
    switch Conflict.object(conflict)?.kind {
    case nil: restway_conflict_kind(rawValue: 0)!
    case .attributes: .RESTWAY_CONFLICT_ATTRIBUTES
    case .theyDeleted: .RESTWAY_CONFLICT_THEY_DELETED
    case .iDelete: .RESTWAY_CONFLICT_I_DELETE
    }
}

@_cdecl("restway_conflict_item_id") @implementation
public func restway_conflict_item_id(_ conflict: InHandle) -> Int64 {
    Conflict.object(conflict)?.item ?? 0
}

@_cdecl("restway_conflict_count") @implementation
public func restway_conflict_count(_ conflict: InHandle) -> Int {
    Conflict.object(conflict)?.cells.count ?? 0
}

@_cdecl("restway_conflict_name") @implementation
public func restway_conflict_name(_ conflict: InHandle, _ index: Int) -> CString! {
    guard let conflict = Conflict.object(conflict) else { return nil }
    return conflict.cells.at(index).flatMap(conflict.entity.cellNameCString)
}

@_cdecl("restway_conflict_is_relationship") @implementation
public func restway_conflict_is_relationship(_ conflict: InHandle, _ index: Int) -> Int32 {
    guard let conflict = Conflict.object(conflict), let cell = conflict.cells.at(index) else {
        return 0
    }
    return cell >= conflict.entity.attributes.count ? 1 : 0
}

@_cdecl("restway_conflict_base") @implementation
public func restway_conflict_base(_ conflict: InHandle) -> OpaquePointer! {
    (Conflict.object(conflict)?.base).map(Handle.lend)
}

@_cdecl("restway_conflict_mine") @implementation
public func restway_conflict_mine(_ conflict: InHandle) -> OpaquePointer! {
    (Conflict.object(conflict)?.mine).map(Handle.lend)
}

@_cdecl("restway_conflict_theirs") @implementation
public func restway_conflict_theirs(_ conflict: InHandle) -> OpaquePointer! {
    Conflict.object(conflict)?.theirs.map(Handle.lend)
}

@_cdecl("restway_conflict_choose") @implementation
public func restway_conflict_choose(
    _ conflict: InHandle, _ name: CString?, _ side: restway_conflict_side, _ outError: OutHandle?
) -> restway_status {
    Conflict.using(conflict, outError) { conflict throws(Failure) in
        let choice: Conflict.Choice =
            switch side {
            case .RESTWAY_CONFLICT_MINE: .mine
            case .RESTWAY_CONFLICT_THEIRS: .theirs
            default:
                throw Argument.wrong(
                    "side", "side is \(side.rawValue), which is no restway_conflict_side")
            }
        try conflict.choose(choice, named: try Argument.optionalString(name, "name"))
    }
}

@_cdecl("restway_conflict_set_value") @implementation
public func restway_conflict_set_value(
    _ conflict: InHandle, _ name: CString?, _ value: In<restway_value>?, _ outError: OutHandle?
) -> restway_status {
    Conflict.using(conflict, outError) { conflict throws(Failure) in
        let name = try Argument.string(name, "name")
        let value = try HostValue(value, "value")
        try conflict.choose(valueNamed: name) { draft, cell throws(Failure) in
            try draft.set(value, cell: cell)
        }
    }
}

@_cdecl("restway_conflict_resolve") @implementation
public func restway_conflict_resolve(
    _ client: InHandle, _ conflict: InHandle, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let conflict = try Conflict.argument(conflict)
        try Argument.outbox(client).resolve(conflict)
    }
}

@_cdecl("restway_outbox_conflicts") @implementation
public func restway_outbox_conflicts(
    _ client: InHandle, _ outConflicts: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outConflicts, outError, "out_conflicts") { () throws(Failure) in
        ConflictsHandle(try Argument.outbox(client).conflicts())
    }
}

@_cdecl("restway_conflicts_count") @implementation
public func restway_conflicts_count(_ conflicts: InHandle) -> Int {
    ConflictsHandle.object(conflicts)?.all.count ?? 0
}

@_cdecl("restway_conflicts_conflict") @implementation
public func restway_conflicts_conflict(_ conflicts: InHandle, _ index: Int) -> OpaquePointer! {
    (ConflictsHandle.object(conflicts)?.all.at(index)).map(Handle.lend)
}

@_cdecl("restway_client_set_resolver") @implementation
public func restway_client_set_resolver(
    _ client: InHandle, _ entity: CString?, _ resolve: restway_resolve_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        let entity = try Argument.optionalString(entity, "entity")
        try client.requireOutbox().setResolver(
            entity: entity, resolve.map { resolver($0, context) })
    }
}

/// Makes the question how a conflict is decided call a C function.
private func resolver(
    _ resolve: restway_resolve_fn, _ context: HostContext
) -> ConflictResolver {
    { conflict throws(HostRefusal) in
        let answer = AnswerHandle(takesValue: false)
        let status = Handle.lending(answer) { answer in
            Handle.lending(conflict) { resolve(context.pointer, $0, answer) }
        }
        guard status == .RESTWAY_OK else {
            throw HostRefusal(answer.message ?? "\(status.name)", cause: answer.cause)
        }
    }
}

@_cdecl("restway_error_conflict") @implementation
public func restway_error_conflict(_ error: InHandle) -> OpaquePointer! {
    (ErrorHandle.object(error)?.failure.conflict).map(Handle.lend)
}

@_cdecl("restway_store_version") @implementation
public func restway_store_version(
    _ store: InHandle, _ object: InHandle, _ buffer: Out<CChar>?, _ capacity: Int,
    _ outLength: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.filling(buffer, capacity, outLength, outError) { () throws(Failure) in
        let store = try StoreHandle.argument(store).store
        return try store.version(of: try Snapshot.argument(object))?.text ?? ""
    }
}

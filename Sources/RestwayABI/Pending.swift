public import CRestway
import RestwayObjects
import RestwayOutcome
import RestwayStore
import RestwayThreads

extension PendingObject: HandleObject {}

// store.h, pending edits

@_cdecl("restway_store_confirmed") @implementation
public func restway_store_confirmed(
    _ store: InHandle, _ object: InHandle, _ outObject: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    StoreHandle.creating(store, outObject, outError, "out_object") { handle throws(Failure) in
        let object = try Snapshot.argument(object)
        guard let confirmed = try handle.store.confirmed(of: object) else {
            throw StoreHandle.lacksConfirmed(object)
        }
        return confirmed
    }
}

@_cdecl("restway_store_pending") @implementation
public func restway_store_pending(
    _ store: InHandle, _ object: InHandle, _ outPending: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    StoreHandle.creating(store, outPending, outError, "out_pending") { handle throws(Failure) in
        try handle.store.pendingObject(try Snapshot.argument(object))
    }
}

@_cdecl("restway_pending_count") @implementation
public func restway_pending_count(_ pending: InHandle) -> Int {
    PendingObject.object(pending)?.cells.count ?? 0
}

@_cdecl("restway_pending_name") @implementation
public func restway_pending_name(_ pending: InHandle, _ index: Int) -> CString! {
    guard let pending = PendingObject.object(pending) else { return nil }
    return pending.cells.at(index).flatMap(pending.mine.entity.cellNameCString)
}

@_cdecl("restway_pending_is_relationship") @implementation
public func restway_pending_is_relationship(_ pending: InHandle, _ index: Int) -> Int32 {
    guard let pending = PendingObject.object(pending), let cell = pending.cells.at(index) else {
        return 0
    }
    return cell >= pending.mine.entity.attributes.count ? 1 : 0
}

@_cdecl("restway_pending_mine") @implementation
public func restway_pending_mine(_ pending: InHandle) -> OpaquePointer! {
    (PendingObject.object(pending)?.mine).map(Handle.lend)
}

@_cdecl("restway_pending_base") @implementation
public func restway_pending_base(_ pending: InHandle) -> OpaquePointer! {
    (PendingObject.object(pending)?.base).map(Handle.lend)
}

@_cdecl("restway_pending_deletes") @implementation
public func restway_pending_deletes(_ pending: InHandle) -> Int32 {
    PendingObject.object(pending)?.isDeletion == true ? 1 : 0
}

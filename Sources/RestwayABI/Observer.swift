public import CRestway
import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayObjects
import RestwayOutcome
import RestwayStore
import RestwayThreads

/// An observer, and the place from which it will be removed.
final class ObserverHandle: HandleObject, Sendable {
    enum Place {
        case store(ObservedStore)
        case calls(LifecycleObservers)
    }

    private let observer: Observer
    private let place: Place
    let generation = ProcessGeneration.current

    init(_ observer: Observer, _ place: Place) {
        self.observer = observer
        self.place = place
    }

    func remove() {
        switch place {
        case .store(let store): store.remove(observer)
        case .calls(let observers): observers.remove(observer)
        }
    }
}

// observer.h

@_cdecl("restway_client_observe") @implementation
public func restway_client_observe(
    _ client: InHandle, _ entity: CString?, _ changed: restway_changed_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outObserver: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    ClientHandle.creating(client, outObserver, outError) { client throws(Failure) in
        let name = try Argument.optionalString(entity, "entity")
        var scope = StoreScope.everything
        if let name { scope = .entity(try client.api.entity(named: name)) }
        return try ChangedNotice.observing(scope, of: client, changed, context, destroy)
    }
}

@_cdecl("restway_client_observe_object") @implementation
public func restway_client_observe_object(
    _ client: InHandle, _ object: InHandle, _ changed: restway_changed_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outObserver: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    ClientHandle.creating(client, outObserver, outError) { client throws(Failure) in
        let object = try Snapshot.argument(object)
        return try ChangedNotice.observing(
            .object(object), of: client, changed, context, destroy)
    }
}

@_cdecl("restway_observer_remove") @implementation
public func restway_observer_remove(_ observer: InHandle) {
    ObserverHandle.object(observer)?.remove()
}

/// Makes notices of changes call a C function.
enum ChangedNotice {
    /// Observes `scope`. The program's context lives until the last notice. If this throws, the
    /// context still belongs to the program.
    static func observing(
        _ scope: StoreScope, of client: Client, _ changed: restway_changed_fn?,
        _ pointer: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?
    ) throws(Failure) -> ObserverHandle {
        try check(isGiven: changed != nil, client)
        return try HostContext.lending(pointer, destroy) { context throws(Failure) in
            let observer = try client.observe(
                scope, token: context.token,
                changed: { changes in
                    Handle.lending(changes) { changed?(context.pointer, $0) }
                }, end: context.end)
            return ObserverHandle(observer, .store(client.store))
        }
    }
}

extension ChangedNotice {
    /// Checks the parameter `changed` of a function that makes an observer of the store.
    static func check(isGiven: Bool, _ client: Client) throws(Failure) {
        guard isGiven != client.delivery.isDrained() else {
            let reason =
                isGiven
                ? "is given, but with RESTWAY_DELIVERY_DRAIN an event comes in its place"
                : "is NULL: no function would receive the changes"
            throw Argument.wrong("changed", "changed \(reason)")
        }
    }
}

// change.h

@_cdecl("restway_changes_count") @implementation
public func restway_changes_count(_ changes: InHandle) -> Int {
    ChangeList.object(changes)?.changes.count ?? 0
}

@_cdecl("restway_changes_kind") @implementation
public func restway_changes_kind(_ changes: InHandle, _ index: Int) -> restway_change_kind {
    switch ChangeList.change(changes, index)?.kind {
    case nil: restway_change_kind(rawValue: 0)!
    case .inserted: .RESTWAY_CHANGE_INSERTED
    case .updated: .RESTWAY_CHANGE_UPDATED
    case .deleted: .RESTWAY_CHANGE_DELETED
    }
}

@_cdecl("restway_changes_source") @implementation
public func restway_changes_source(_ changes: InHandle, _ index: Int) -> restway_change_source {
    switch ChangeList.change(changes, index)?.source {
    case nil: restway_change_source(rawValue: 0)!
    case .local: .RESTWAY_CHANGE_SOURCE_LOCAL
    case .server: .RESTWAY_CHANGE_SOURCE_SERVER
    case .takenBack: .RESTWAY_CHANGE_SOURCE_TAKEN_BACK
    }
}

@_cdecl("restway_changes_pending_changed") @implementation
public func restway_changes_pending_changed(_ changes: InHandle, _ index: Int) -> Int32 {
    ChangeList.change(changes, index)?.pendingChanged == true ? 1 : 0
}

@_cdecl("restway_changes_object") @implementation
public func restway_changes_object(_ changes: InHandle, _ index: Int) -> OpaquePointer! {
    (ChangeList.change(changes, index)?.object).map(Handle.lend)
}

@_cdecl("restway_changes_before") @implementation
public func restway_changes_before(_ changes: InHandle, _ index: Int) -> OpaquePointer! {
    ChangeList.change(changes, index)?.before.map(Handle.lend)
}

@_cdecl("restway_changes_attributes") @implementation
public func restway_changes_attributes(
    _ changes: InHandle, _ index: Int, _ outIndices: Out<UInt32>?, _ capacity: Int
) -> Int {
    guard let change = ChangeList.change(changes, index) else { return 0 }
    let cells = 0..<change.object.entity.attributes.count
    return change.write(changed: cells, to: outIndices, capacity)
}

@_cdecl("restway_changes_relationships") @implementation
public func restway_changes_relationships(
    _ changes: InHandle, _ index: Int, _ outIndices: Out<UInt32>?, _ capacity: Int
) -> Int {
    guard let change = ChangeList.change(changes, index) else { return 0 }
    let entity = change.object.entity
    let cells = entity.relationshipCells
    return change.write(changed: cells, to: outIndices, capacity)
}

extension ChangeList {
    fileprivate static func change(_ changes: InHandle, _ index: Int) -> Change? {
        ChangeList.object(changes)?.changes.at(index)
    }
}

extension Change {
    /// Writes the indices of the `cells` that differ, counted from the first cell, and returns
    /// their number.
    fileprivate func write(
        changed cells: Range<Int>, to outIndices: Out<UInt32>?, _ capacity: Int
    ) -> Int {
        var count = 0
        for cell in cells where changes(cellAt: cell) {
            // A capacity beyond the address space is negative here and counts as large enough.
            if count < capacity || capacity < 0 {
                outIndices?[count] = UInt32(cell - cells.lowerBound)
            }
            count += 1
        }
        return count
    }
}

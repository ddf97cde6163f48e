import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayObjects
import RestwayOutcome

public import CRestway

// observer.h

@_cdecl("restway_client_observe") @implementation
public func restway_client_observe(
    _ client: OpaquePointer?, _ entity: UnsafePointer<CChar>?, _ changed: restway_changed_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outObserver: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outObserver?.pointee = nil
    return Boundary.run(outError) { () throws(Failure) in
        let client = try Argument.handle(ClientHandle.self, client, "client").client
        var scope = Observer.Scope.everything
        if let name = try Argument.optionalString(entity, "entity") {
            scope = .entity(try client.api.entity(named: name))
        }
        let observer = try ChangedNotice.observing(scope, of: client, changed, context, destroy)
        outObserver?.pointee = Handle.give(observer)
    }
}

@_cdecl("restway_client_observe_object") @implementation
public func restway_client_observe_object(
    _ client: OpaquePointer?, _ object: OpaquePointer?, _ changed: restway_changed_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outObserver: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outObserver?.pointee = nil
    return Boundary.run(outError) { () throws(Failure) in
        let client = try Argument.handle(ClientHandle.self, client, "client").client
        let object = try Argument.handle(Snapshot.self, object, "object")
        let observer = try ChangedNotice.observing(
            .object(object), of: client, changed, context, destroy)
        outObserver?.pointee = Handle.give(observer)
    }
}

@_cdecl("restway_observer_remove") @implementation
public func restway_observer_remove(_ observer: OpaquePointer?) {
    Handle.object(ObserverHandle.self, observer)?.remove()
}

@_cdecl("restway_observer_retain") @implementation
public func restway_observer_retain(_ observer: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(ObserverHandle.self, observer)
}

@_cdecl("restway_observer_release") @implementation
public func restway_observer_release(_ observer: OpaquePointer?) {
    Handle.release(ObserverHandle.self, observer)
}

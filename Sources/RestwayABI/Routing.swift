public import CRestway
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayThreads

/// Clients by the names of routes. It keeps the handles of the clients, whose last release closes
/// them.
final class RoutingClientHandle: HandleObject, Sendable {
    let clients: Lock<RoutingClient<ClientHandle>>
    let generation = ProcessGeneration.current

    init(standard: ClientHandle?) {
        clients = Lock(RoutingClient(standard: standard))
    }
}

extension ClientHandle {
    /// Returns the object of a client's handle, which must not be NULL.
    fileprivate static func owner(
        _ handle: InHandle, _ name: String = parameter
    ) throws(Failure) -> ClientHandle {
        _ = try argument(handle, name)
        guard let owner = object(handle) else { throw Argument.null(name) }
        return owner
    }
}

// routing.h

@_cdecl("restway_routing_client_create") @implementation
public func restway_routing_client_create(
    _ defaultClient: InHandle, _ outRouting: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outRouting, outError, "out_routing") { () throws(Failure) in
        guard defaultClient != nil else { return RoutingClientHandle(standard: nil) }
        return RoutingClientHandle(
            standard: try ClientHandle.owner(defaultClient, "default_client"))
    }
}

@_cdecl("restway_routing_client_add") @implementation
public func restway_routing_client_add(
    _ routing: InHandle, _ route: CString?, _ client: InHandle, _ outError: OutHandle?
) -> restway_status {
    RoutingClientHandle.using(routing, outError) { routing throws(Failure) in
        let name = try Argument.nonEmptyString(route, "route")
        let owner = try ClientHandle.owner(client)
        try owner.client.requireRoute(named: name)
        try routing.clients.withLock { clients throws(Failure) in
            try clients.add(owner, forRoute: name)
        }
    }
}

@_cdecl("restway_routing_client_find") @implementation
public func restway_routing_client_find(
    _ routing: InHandle, _ request: InHandle, _ outClient: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    RoutingClientHandle.creating(routing, outClient, outError, "out_client") {
        routing throws(Failure) in
        let spec = try RequestHandle.argument(request).copy()
        return try routing.clients.withLock { clients throws(Failure) in
            try clients.member(for: spec)
        }
    }
}

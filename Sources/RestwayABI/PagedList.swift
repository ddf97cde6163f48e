public import CRestway
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayPages
import RestwayStore
import RestwayThreads

/// A list of the store, and the client that loads its pages.
final class PagedListHandle: HandleObject, Sendable {
    let list: PagedList
    let client: Client
    let generation = ProcessGeneration.current

    init(_ list: PagedList, _ client: Client) {
        self.list = list
        self.client = client
    }
}

extension PagedListHandle: ArgumentObject { static let parameter = "list" }

// paged_list.h

@_cdecl("restway_client_paged_list") @implementation
public func restway_client_paged_list(
    _ client: InHandle, _ request: InHandle, _ outList: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.creating(client, outList, outError, "out_list") { client throws(Failure) in
        let spec = try RequestHandle.argument(request).copy()
        return PagedListHandle(try PagedList(client.calls, spec), client)
    }
}

@_cdecl("restway_paged_list_objects") @implementation
public func restway_paged_list_objects(
    _ list: InHandle, _ outObjects: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    PagedListHandle.creating(list, outObjects, outError, "out_objects") { handle throws(Failure) in
        ListHandle(try handle.list.objects())
    }
}

@_cdecl("restway_paged_list_is_complete") @implementation
public func restway_paged_list_is_complete(_ list: InHandle) -> Int32 {
    PagedListHandle.object(list)?.list.isComplete == true ? 1 : 0
}

@_cdecl("restway_paged_list_total") @implementation
public func restway_paged_list_total(_ list: InHandle) -> Int64 {
    PagedListHandle.object(list)?.list.total ?? -1
}

@_cdecl("restway_paged_list_load") @implementation
public func restway_paged_list_load(
    _ list: InHandle, _ milliseconds: Int64, _ outResponse: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    PagedListHandle.waitingForPage(list, milliseconds, outResponse, outError) {
        handle throws(Failure) in
        try handle.list.load(milliseconds: milliseconds)
    }
}

@_cdecl("restway_paged_list_send") @implementation
public func restway_paged_list_send(
    _ list: InHandle, _ done: restway_done_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outCall: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    PagedListHandle.creating(list, outCall, outError) { handle throws(Failure) in
        try DoneNotice.receiving(done, context, destroy, handle.client.delivery) {
            receiver throws(Failure) in
            try handle.list.send(receiver)
        }
    }
}

@_cdecl("restway_paged_list_restart") @implementation
public func restway_paged_list_restart(_ list: InHandle) {
    PagedListHandle.object(list)?.list.restart()
}

@_cdecl("restway_paged_list_cancel") @implementation
public func restway_paged_list_cancel(_ list: InHandle) {
    PagedListHandle.object(list)?.list.cancel()
}

@_cdecl("restway_paged_list_observe") @implementation
public func restway_paged_list_observe(
    _ list: InHandle, _ changed: restway_changed_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outObserver: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    PagedListHandle.creating(list, outObserver, outError) { handle throws(Failure) in
        try ChangedNotice.observing(
            .list(handle.list.members), of: handle.client, changed, context, destroy)
    }
}

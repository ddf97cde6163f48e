public import CRestway
import RestwayCalls
import RestwayClient
import RestwayObjects
import RestwayOutcome
import RestwayStore
import RestwayThreads

extension QueryChanges: HandleObject {}

// query_observer.h

@_cdecl("restway_client_observe_query") @implementation
public func restway_client_observe_query(
    _ client: InHandle, _ query: InHandle, _ changed: restway_query_changed_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outList: OutHandle?,
    _ outObserver: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    outList?.pointee = nil
    return ClientHandle.creating(client, outObserver, outError) { client throws(Failure) in
        let query = try QueryHandle.argument(query).copy(for: client.api)
        try ChangedNotice.check(isGiven: changed != nil, client)
        return try HostContext.lending(context, destroy) { context throws(Failure) in
            let watch = QueryWatch(query)
            let observer = try client.observe(
                watch, token: context.token,
                changed: { changes in
                    Handle.lending(changes) { changed?(context.pointer, $0) }
                }, end: context.end)
            outList?.pointee = Handle.give(ListHandle(watch.objects))
            return ObserverHandle(observer, .store(client.store))
        }
    }
}

@_cdecl("restway_query_changes_list") @implementation
public func restway_query_changes_list(_ changes: InHandle) -> OpaquePointer! {
    QueryChanges.object(changes).map { Handle.give(ListHandle($0.objects)) }
}

@_cdecl("restway_query_changes_deletions") @implementation
public func restway_query_changes_deletions(
    _ changes: InHandle, _ outPlaces: Out<Int>?, _ capacity: Int
) -> Int {
    QueryChanges.write(changes, \.diff.deletions, outPlaces, capacity)
}

@_cdecl("restway_query_changes_insertions") @implementation
public func restway_query_changes_insertions(
    _ changes: InHandle, _ outPlaces: Out<Int>?, _ capacity: Int
) -> Int {
    QueryChanges.write(changes, \.diff.insertions, outPlaces, capacity)
}

@_cdecl("restway_query_changes_updates") @implementation
public func restway_query_changes_updates(
    _ changes: InHandle, _ outPlaces: Out<Int>?, _ capacity: Int
) -> Int {
    QueryChanges.write(changes, \.updates, outPlaces, capacity)
}

@_cdecl("restway_query_changes_moves") @implementation
public func restway_query_changes_moves(
    _ changes: InHandle, _ outFrom: Out<Int>?, _ outTo: Out<Int>?, _ capacity: Int
) -> Int {
    let from = QueryChanges.write(changes, { $0.diff.moves.map(\.from) }, outFrom, capacity)
    let to = QueryChanges.write(changes, { $0.diff.moves.map(\.to) }, outTo, capacity)
    return max(from, to)
}

extension QueryChanges {
    /// Writes places to an array of the program, and returns their number.
    fileprivate static func write(
        _ changes: InHandle, _ read: (QueryChanges) -> [Int], _ out: Out<Int>?, _ capacity: Int
    ) -> Int {
        guard let places = object(changes).map(read) else { return 0 }
        // A capacity beyond the address space is negative here and counts as large enough.
        let count = capacity < 0 ? places.count : min(capacity, places.count)
        for index in 0..<count { out?[index] = places[index] }
        return places.count
    }
}

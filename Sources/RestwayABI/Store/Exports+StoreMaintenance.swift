import RestwayCalls
import RestwayDocument
import RestwayObjects
import RestwayOutcome

public import CRestway

// store.h, deletions and statistics

@_cdecl("restway_store_is_unsent") @implementation
public func restway_store_is_unsent(
    _ store: OpaquePointer?, _ object: OpaquePointer?, _ outUnsent: UnsafeMutablePointer<Int32>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outUnsent?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let store = try Argument.store(store).store
        let object = try Argument.handle(Snapshot.self, object, "object")
        let outUnsent = try Argument.out(outUnsent, "out_unsent")
        let isUnsent = try store.isUnsent(object.entity, storeKey: object.storeKey)
        outUnsent.pointee = isUnsent ? 1 : 0
    }
}

@_cdecl("restway_store_is_rejected") @implementation
public func restway_store_is_rejected(
    _ store: OpaquePointer?, _ object: OpaquePointer?, _ outRejected: UnsafeMutablePointer<Int32>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outRejected?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let store = try Argument.store(store).store
        let object = try Argument.handle(Snapshot.self, object, "object")
        let outRejected = try Argument.out(outRejected, "out_rejected")
        outRejected.pointee = try store.isRejected(object) ? 1 : 0
    }
}

@_cdecl("restway_store_delete") @implementation
public func restway_store_delete(
    _ store: OpaquePointer?, _ object: OpaquePointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.store(store)
        let object = try Argument.handle(Snapshot.self, object, "object")
        if try !handle.store.delete(object) { throw StoreHandle.lacks(object) }
    }
}

@_cdecl("restway_store_delete_identity") @implementation
public func restway_store_delete_identity(
    _ store: OpaquePointer?, _ entity: UnsafePointer<CChar>?,
    _ identity: UnsafePointer<restway_value>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.store(store)
        let entity = try handle.api.entity(named: try Argument.string(entity, "entity"))
        let identity = try HostValue(identity, "identity").identity()
        if try !handle.store.delete(entity, identity) {
            throw StoreHandle.lacks(entity, identity)
        }
    }
}

@_cdecl("restway_store_delete_all") @implementation
public func restway_store_delete_all(
    _ store: OpaquePointer?, _ entity: UnsafePointer<CChar>?,
    _ outCount: UnsafeMutablePointer<Int>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outCount?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.store(store)
        let entity = try handle.api.entity(named: try Argument.string(entity, "entity"))
        let count = try handle.store.deleteAll(entity)
        outCount?.pointee = count
    }
}

@_cdecl("restway_store_clear") @implementation
public func restway_store_clear(
    _ store: OpaquePointer?, _ outCount: UnsafeMutablePointer<Int>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outCount?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let count = try Argument.store(store).store.deleteAll(nil)
        outCount?.pointee = count
    }
}

@_cdecl("restway_statistics_init") @implementation
public func restway_statistics_init(
    _ statistics: UnsafeMutablePointer<restway_statistics>?, _ size: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let statistics = try Argument.out(statistics, "statistics")
        try SizedOptions.initialize(
            statistics, size: size, sizeMin: StoreStatistics.structSizeMin, "statistics")
    }
}

@_cdecl("restway_store_statistics") @implementation
public func restway_store_statistics(
    _ store: OpaquePointer?, _ statistics: UnsafeMutablePointer<restway_statistics>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let store = try Argument.store(store).store
        let statistics = try Argument.out(statistics, "statistics")
        try store.statistics().write(statistics)
    }
}

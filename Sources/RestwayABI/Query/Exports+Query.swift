public import CRestway
import RestwayClient
import RestwayObjects
import RestwayThreads

// query.h

@_cdecl("restway_query_create") @implementation
public func restway_query_create(
    _ store: OpaquePointer?, _ entity: UnsafePointer<CChar>?,
    _ outQuery: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outQuery, outError, named: "out_query") { () throws(Failure) in
        let handle = try Argument.store(store)
        return QueryHandle(try handle.api.entity(named: try Argument.string(entity, "entity")))
    }
}

@_cdecl("restway_query_retain") @implementation
public func restway_query_retain(_ query: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(QueryHandle.self, query)
}

@_cdecl("restway_query_release") @implementation
public func restway_query_release(_ query: OpaquePointer?) {
    Handle.release(QueryHandle.self, query)
}

@_cdecl("restway_query_add_condition") @implementation
public func restway_query_add_condition(
    _ query: OpaquePointer?, _ attribute: UnsafePointer<CChar>?,
    _ comparison: restway_comparison, _ value: UnsafePointer<restway_value>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let query = try Argument.handle(QueryHandle.self, query, "query").query
        let value = try HostValue(value, "value").attributeValue("value")
        let name = try Argument.string(attribute, "attribute")
        let number = Int32(bitPattern: comparison.rawValue)
        guard let comparison = Query.Comparison(rawValue: number) else {
            throw Failure(
                .invalidArgument, "comparison is \(number), which is none", field: "comparison")
        }
        try query.withLock { query throws(Failure) in
            try query.query.addCondition(name, comparison, value)
        }
    }
}

@_cdecl("restway_query_add_order") @implementation
public func restway_query_add_order(
    _ query: OpaquePointer?, _ attribute: UnsafePointer<CChar>?, _ descending: Int32,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let query = try Argument.handle(QueryHandle.self, query, "query").query
        let name = try Argument.string(attribute, "attribute")
        try query.withLock { query throws(Failure) in
            try query.query.addOrder(name, isDescending: descending != 0)
        }
    }
}

@_cdecl("restway_query_set_limit") @implementation
public func restway_query_set_limit(
    _ query: OpaquePointer?, _ limit: Int64, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let query = try Argument.handle(QueryHandle.self, query, "query").query
        guard limit >= -1 else {
            throw Failure(.invalidArgument, "limit is out of range: \(limit)", field: "limit")
        }
        query.withLock { $0.query.limit = limit < 0 ? nil : Int(limit) }
    }
}

@_cdecl("restway_query_set_offset") @implementation
public func restway_query_set_offset(
    _ query: OpaquePointer?, _ offset: Int64, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let query = try Argument.handle(QueryHandle.self, query, "query").query
        guard offset >= 0 else {
            throw Failure(.invalidArgument, "offset is negative: \(offset)", field: "offset")
        }
        query.withLock { $0.query.offset = Int(offset) }
    }
}

@_cdecl("restway_query_set_rejected") @implementation
public func restway_query_set_rejected(
    _ query: OpaquePointer?, _ rejected: Int32, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let query = try Argument.handle(QueryHandle.self, query, "query").query
        guard (-1...1).contains(rejected) else {
            throw Failure(
                .invalidArgument, "rejected is out of range: \(rejected)", field: "rejected")
        }
        query.withLock { $0.isRejected = rejected < 0 ? nil : rejected == 1 }
    }
}

@_cdecl("restway_store_query") @implementation
public func restway_store_query(
    _ store: OpaquePointer?, _ query: OpaquePointer?,
    _ outList: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outList, outError, named: "out_list") { () throws(Failure) in
        let handle = try Argument.store(store)
        let query = try Argument.handle(QueryHandle.self, query, "query").copy(for: handle.api)
        return ListHandle(try handle.store.objects(query))
    }
}

@_cdecl("restway_store_count_query") @implementation
public func restway_store_count_query(
    _ store: OpaquePointer?, _ query: OpaquePointer?, _ outCount: UnsafeMutablePointer<Int>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outCount?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.store(store)
        let query = try Argument.handle(QueryHandle.self, query, "query").copy(for: handle.api)
        let outCount = try Argument.out(outCount, "out_count")
        outCount.pointee = try handle.store.count(query)
    }
}

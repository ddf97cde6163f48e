public import CRestway
import RestwayCalls
import RestwayDocument
import RestwayObjects
import RestwayOutcome
import RestwayStore
import RestwayThreads

/// A query that the program is building.
final class QueryHandle: HandleObject, Sendable {
    let query: Lock<HostQuery>
    /// The api of the entity.
    let api: API
    let generation = ProcessGeneration.current

    init(_ entity: Entity, of api: API) {
        query = Lock(HostQuery(Query(entity)))
        self.api = api
    }

    /// Runs `change` with the query, which the program may change from several threads at once.
    static func changing(
        _ query: InHandle, _ outError: OutHandle?,
        _ change: (inout HostQuery) throws(Failure) -> Void
    ) -> restway_status {
        Boundary.run(outError) { () throws(Failure) in
            try QueryHandle.argument(query).query.withLock(change)
        }
    }

    /// Returns the present query, for a store of `api`.
    func copy(for api: API) throws(Failure) -> HostQuery {
        let query = query.withLock { $0 }
        let entity = query.query.entity
        guard try api.entity(named: entity.name) === entity else {
            throw Argument.wrong("query", "the query is on \(entity.name) of another api")
        }
        return query
    }
}

extension HostValue {
    /// Returns the value for a `?` of a condition.
    fileprivate func conditionValue(_ name: String) throws(Failure) -> ConditionValue {
        guard case .list(let elements) = self else { return .one(try attributeValue(name)) }
        return .list(
            try elements.map { element throws(Failure) in try element.attributeValue(name) })
    }
}

// query.h

@_cdecl("restway_query_create") @implementation
public func restway_query_create(
    _ store: InHandle, _ entity: CString?, _ outQuery: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    StoreHandle.creating(store, outQuery, outError, "out_query") { handle throws(Failure) in
        QueryHandle(try handle.entity(named: entity), of: handle.api)
    }
}

@_cdecl("restway_query_add_condition") @implementation
public func restway_query_add_condition(
    _ query: InHandle, _ attribute: CString?, _ comparison: restway_comparison,
    _ value: In<restway_value>?, _ outError: OutHandle?
) -> restway_status {
    QueryHandle.changing(query, outError) { query throws(Failure) in
        let value = try HostValue(value, "value").attributeValue("value")
        let name = try Argument.string(attribute, "attribute")
        let number = Int32(bitPattern: comparison.rawValue)
        guard let comparison = Query.Comparison(rawValue: number) else {
            throw Argument.wrong("comparison", "comparison is \(number), which is not a comparison")
        }
        try query.query.addCondition(name, comparison, value)
    }
}

@_cdecl("restway_query_where") @implementation
public func restway_query_where(
    _ query: InHandle, _ condition: CString?, _ values: In<restway_value>?, _ count: Int,
    _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let handle = try QueryHandle.argument(query)
        let text = try Argument.string(condition, "condition")
        let given = try Argument.elements(values, count, "values")
        let values = try given.indices.map { index throws(Failure) in
            let name = "values[\(index)]"
            return try HostValue(given.baseAddress! + index, name).conditionValue(name)
        }
        try handle.query.withLock { query throws(Failure) in
            try query.addCondition(text, values, of: handle.api)
        }
    }
}

@_cdecl("restway_query_add_order") @implementation
public func restway_query_add_order(
    _ query: InHandle, _ attribute: CString?, _ descending: Int32, _ outError: OutHandle?
) -> restway_status {
    QueryHandle.changing(query, outError) { query throws(Failure) in
        let name = try Argument.string(attribute, "attribute")
        try query.query.addOrder(name, isDescending: descending != 0)
    }
}

@_cdecl("restway_query_set_limit") @implementation
public func restway_query_set_limit(
    _ query: InHandle, _ limit: Int64, _ outError: OutHandle?
) -> restway_status {
    QueryHandle.changing(query, outError) { query throws(Failure) in
        try Argument.minusOneOrMore(limit, "limit")
        query.query.limit = limit < 0 ? nil : Int(limit)
    }
}

@_cdecl("restway_query_set_offset") @implementation
public func restway_query_set_offset(
    _ query: InHandle, _ offset: Int64, _ outError: OutHandle?
) -> restway_status {
    QueryHandle.changing(query, outError) { query throws(Failure) in
        try Argument.notNegative(offset, "offset")
        query.query.offset = Int(offset)
    }
}

@_cdecl("restway_query_set_rejected") @implementation
public func restway_query_set_rejected(
    _ query: InHandle, _ rejected: Int32, _ outError: OutHandle?
) -> restway_status {
    QueryHandle.changing(query, outError) { query throws(Failure) in
        guard (-1...1).contains(rejected) else {
            throw Argument.outOfRange("rejected", Int64(rejected))
        }
        query.isRejected = rejected < 0 ? nil : rejected == 1
    }
}

@_cdecl("restway_query_set_unloaded") @implementation
public func restway_query_set_unloaded(
    _ query: InHandle, _ unloaded: Int32, _ outError: OutHandle?
) -> restway_status {
    QueryHandle.changing(query, outError) { query throws(Failure) in
        guard (-1...1).contains(unloaded) else {
            throw Argument.outOfRange("unloaded", Int64(unloaded))
        }
        query.query.loading = unloaded < 0 ? .all : unloaded == 1 ? .unloaded : .loaded
    }
}

@_cdecl("restway_query_set_pending") @implementation
public func restway_query_set_pending(
    _ query: InHandle, _ pending: Int32, _ outError: OutHandle?
) -> restway_status {
    QueryHandle.changing(query, outError) { query throws(Failure) in
        guard (-1...1).contains(pending) else {
            throw Argument.outOfRange("pending", Int64(pending))
        }
        query.query.isPending = pending < 0 ? nil : pending == 1
    }
}

@_cdecl("restway_query_set_conflicted") @implementation
public func restway_query_set_conflicted(
    _ query: InHandle, _ conflicted: Int32, _ outError: OutHandle?
) -> restway_status {
    QueryHandle.changing(query, outError) { query throws(Failure) in
        guard (-1...1).contains(conflicted) else {
            throw Argument.outOfRange("conflicted", Int64(conflicted))
        }
        query.query.isConflicted = conflicted < 0 ? nil : conflicted == 1
    }
}

@_cdecl("restway_query_set_pending_deletes") @implementation
public func restway_query_set_pending_deletes(
    _ query: InHandle, _ shown: Int32, _ outError: OutHandle?
) -> restway_status {
    QueryHandle.changing(query, outError) { query throws(Failure) in
        guard (-1...1).contains(shown) else {
            throw Argument.outOfRange("shown", Int64(shown))
        }
        query.query.pendingDeletes = shown < 0 ? nil : shown == 1 ? .show : .hide
    }
}

@_cdecl("restway_store_query") @implementation
public func restway_store_query(
    _ store: InHandle, _ query: InHandle, _ outList: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    StoreHandle.creating(store, outList, outError, "out_list") { handle throws(Failure) in
        let query = try QueryHandle.argument(query).copy(for: handle.api)
        return ListHandle(try handle.store.objects(query))
    }
}

@_cdecl("restway_store_count_query") @implementation
public func restway_store_count_query(
    _ store: InHandle, _ query: InHandle, _ outCount: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    StoreHandle.writing(store, outCount, 0, outError, "out_count") { handle throws(Failure) in
        let query = try QueryHandle.argument(query).copy(for: handle.api)
        return try handle.store.count(query)
    }
}

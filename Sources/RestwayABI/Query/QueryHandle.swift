import RestwayClient
import RestwayObjects
import RestwayThreads

/// A query that the program is building.
final class QueryHandle: HandleObject, Sendable {
    let query: Lock<HostQuery>
    let generation = ProcessGeneration.current

    init(_ entity: Entity) {
        query = Lock(HostQuery(Query(entity)))
    }

    /// Returns the present query, for a store of `api`.
    func copy(for api: API) throws(Failure) -> HostQuery {
        let query = query.withLock { $0 }
        let entity = query.query.entity
        guard try api.entity(named: entity.name) === entity else {
            throw Failure(
                .invalidArgument, "the query is on \(entity.name) of another api",
                field: "query")
        }
        return query
    }
}

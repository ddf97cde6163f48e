import RestwayClient
import RestwayObjects
import RestwaySupport

/// A query that is being put together.
final class QueryHandle: Sendable {
    let query: Lock<Query>

    init(_ entity: Entity) {
        query = Lock(Query(entity))
    }

    /// The query as it is now, for a store of `api`.
    func copy(for api: API) throws(Failure) -> Query {
        let query = query.withLock { $0 }
        guard try api.entity(named: query.entity.name) === query.entity else {
            throw Failure(
                .invalidArgument, "the query is on \(query.entity.name) of another api",
                field: "query")
        }
        return query
    }
}

import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayPages
import RestwayStore

/// The objects of all pages of one request, in order, as the store keeps them.
///
///     let issues = try client.list(.route("issues"))
///     for issue in try issues.objects() { print(issue) }      // nothing is sent
///     while try await issues.loadMore() != nil {}             // one more page, until the last one
///
/// Requests with the same route, variables and parameters have the same list. In a store with a
/// file, it outlives the process. Deleted objects leave the list.
public final class PagedList: Sendable {
    let core: RestwayPages.PagedList
    let client: Client

    fileprivate init(_ core: RestwayPages.PagedList, _ client: Client) {
        self.core = core
        self.client = client
    }

    // MARK: Reading

    /// The objects that the store has now, with their newest values. Nothing is sent.
    public func objects() throws(RestwayError) -> [Object] {
        let found = try explaining { () throws(Failure) in try core.objects() }
        return found.map { Object($0, client.source) }
    }

    /// The objects that the store has now, read into a `Decodable` type.
    public func values<Value: Decodable>(
        as type: Value.Type = Value.self
    ) throws(RestwayError) -> [Value] {
        try objects().map { object throws(RestwayError) in try object.decode() }
    }

    /// Whether the list has all pages.
    public var isComplete: Bool { core.isComplete }

    /// How many objects all pages have, as the server has said last; `nil` if it has not said it.
    public var total: Int? { core.total.map { Int($0) } }

    // MARK: Loading

    /// Requests the next page, and adds its objects to the list. If the task is cancelled, the call
    /// is cancelled, and the same page can be loaded again.
    ///
    /// - Returns: The answer; `nil` if the list has all pages, so that nothing was sent.
    /// - Throws: A `RestwayError` as `Client.send` does; `invalidArgument` while another task loads
    ///   a page.
    @discardableResult
    public func loadMore() async throws(RestwayError) -> Response? {
        guard !core.isComplete else { return nil }
        let outcome = await CallTask.run { [core] complete throws(Failure) in
            try core.send(.init(completion: { _, outcome in complete(outcome) }, end: {}))
        }
        switch outcome {
        case .success(let response): return Response(response, client.source)
        case .failure(let failure): throw RestwayError(failure, of: client.source)
        }
    }

    /// Requests pages until the list has all of them.
    public func loadAll() async throws(RestwayError) {
        while try await loadMore() != nil {}
    }

    /// Lets the next page be the first one again. The list stays as it is until that page has come.
    public func restart() { core.restart() }

    // MARK: Watching

    /// The changes of the objects of the list, and the objects that come into it. Each element has
    /// the changes of one transaction. An object that comes into the list is an update.
    public func changes() throws(RestwayError) -> AsyncStream<[Change]> {
        try client.changes(in: .list(core.members))
    }

    /// The objects of the list: first as they are now, and then after each transaction that changes
    /// the list. Results that come faster than the loop are left out but for the newest.
    public func results() throws(RestwayError) -> AsyncStream<[Object]> {
        let list = core
        return try ResultStream.make(client.source, reading: { try? list.objects() }) {
            [core = client.core] tell, end throws(Failure) in
            try core.observe(.list(list.members), changed: { _ in tell() }, end: end)
        }
    }

    /// The insertions, deletions, moves and updates in the list; see `Client.differences`.
    public func differences() throws(RestwayError) -> Differences {
        Differences(results: try results())
    }

    private func explaining<Value>(
        _ body: () throws(Failure) -> Value
    ) throws(RestwayError) -> Value {
        try RestwayError.explaining(client.source, body)
    }
}

extension Client {
    /// Returns the list of the objects of all pages of a route, which the store keeps. Nothing is
    /// sent.
    ///
    /// - Throws: A `RestwayError` if the document does not say how the pages of the route follow
    ///   each other.
    public func list(
        _ target: Target, variables: Values = [:], parameters: Values = [:]
    ) throws(RestwayError) -> PagedList {
        try list(Request(.get, target, variables, parameters, [:], nil))
    }

    /// Returns the list of the pages that a request begins.
    public func list(_ request: Request) throws(RestwayError) -> PagedList {
        let spec = try request.spec()
        let list = try RestwayError.explaining(source) { () throws(Failure) in
            try RestwayPages.PagedList(core.calls, spec)
        }
        return PagedList(list, self)
    }
}

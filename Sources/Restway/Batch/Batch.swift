import RestwayBatch
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayThreads

/// Several requests that are sent as one, to the batch path of the API document.
///
///     let batch = try client.batch()
///     let first = try batch.add(Request(.get, "companies/1"))
///     let second = try batch.add(Request(.get, "companies/2"))
///     try await batch.send()
///     let companies: [Company] = try [first.decode(), second.decode()]
///
/// A batch that ends without being sent cancels its requests.
public final class Batch: Sendable {
    private let core: BatchSession
    private let source: ObjectSource

    fileprivate init(_ core: BatchSession, _ source: ObjectSource) {
        self.core = core
        self.source = source
    }

    deinit { core.abandon() }

    /// The number of requests that were added.
    public var count: Int { core.count }

    /// Adds a request.
    ///
    /// - Throws: A `RestwayError` if the request cannot be made or cannot be a part of a batch, or
    ///   after `send`; then nothing was added.
    @discardableResult
    public func add(_ request: Request) throws(RestwayError) -> BatchItem {
        let spec = try request.spec()
        return try RestwayError.explaining(source) { () throws(Failure) in
            BatchItem(call: try core.add(spec), source: source)
        }
    }

    /// Adds the request that a route describes.
    @discardableResult
    public func add(_ route: some RouteType) throws(RestwayError) -> BatchItem {
        try add(Request(route))
    }

    /// Sends the requests, and waits until each of them has an answer or an error. If the task is
    /// cancelled, the requests are cancelled.
    ///
    /// - Throws: The error of the call that carried them, for example `batch` if its answer has
    ///   another form. The error of a single request is thrown by its `BatchItem`.
    public func send() async throws(RestwayError) {
        let failure = await withTaskCancellationHandler { [core] in
            await withCheckedContinuation { (continuation: CheckedContinuation<Failure?, Never>) in
                do throws(Failure) {
                    try core.send(completion: { _, failure in
                        continuation.resume(returning: failure)
                    })
                } catch {
                    continuation.resume(returning: error)
                }
            }
        } onCancel: { [core] in
            core.cancel()
        }
        if let failure { throw RestwayError(failure, of: source) }
    }

    /// Ends every request that has no answer yet.
    public func cancel() { core.cancel() }
}

/// A request of a batch, with its own answer or error.
public struct BatchItem: Sendable {
    fileprivate let call: Call
    fileprivate let source: ObjectSource

    /// Whether the request has an answer or an error.
    public var isComplete: Bool { call.isComplete }

    /// The answer.
    ///
    /// - Throws: The error of the request, or `invalidArgument` if the batch has not ended.
    public func response() throws(RestwayError) -> Response {
        guard call.isComplete else {
            throw RestwayError(
                Failure(.invalidArgument, "the batch of \(call.description) has not ended"))
        }
        return try RestwayError.explaining(source) { () throws(Failure) in
            Response(try call.wait(milliseconds: 0), source)
        }
    }

    /// Reads the answer into a `Decodable` type; see `Response.decode`.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self
    ) throws(RestwayError) -> Value {
        try response().decode()
    }

    /// Cancels this request. The others go on.
    public func cancel() { call.cancel() }
}

extension Client {
    /// Begins a batch.
    ///
    /// - Throws: A `RestwayError` of the kind `config` if the document has no `batch` section.
    public func batch() throws(RestwayError) -> Batch {
        try RestwayError.explaining(source) { () throws(Failure) in
            Batch(try BatchSession(core.batches), source)
        }
    }
}

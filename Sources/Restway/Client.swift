import FoundationEssentials
import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayOutcome
import RestwayRequests
import RestwayThreads

/// A client of one API in one environment, with its connections and its store.
///
///     let client = try Client(API(file: "shop.json"))
///     let company: Company = try await client.get("companies/\(id)")
///     let companies: [Company] = try await client.get("companies", parameters: ["city": "Pisa"])
///     try await client.delete("companies/\(id)")
///
/// Any number of tasks may use a client at the same time. It is closed by `close`, or when the last
/// reference to it ends.
public final class Client: RequestSender {
    let core: RestwayClient.Client
    let source: ObjectSource
    let outboxWatchers = OutboxWatchers()

    /// Makes a client. It connects to no server before its first request, unless its outbox holds
    /// requests that can be sent.
    ///
    /// - Throws: A `RestwayError`: `unknownEnvironment`, `config` if the options or the document do
    ///   not fit this machine, or `store` if a file cannot be used.
    public init(_ api: API, options: Options = Options()) throws(RestwayError) {
        let coreOptions = try options.core()
        core = try RestwayError.explaining { () throws(Failure) in
            try RestwayClient.Client.make(api: api.core, options: coreOptions)
        }
        let decoder = options.answers.decoder ?? JSONCoding.decoder
        source = ObjectSource(api: api.core, store: core.store, decoder: decoder)
    }

    deinit {
        core.close()
        core.delivery.drop()
    }

    /// Closes the client: calls in flight end with an error of the kind `closed`, and so do new
    /// calls. Requests in flight that the outbox may keep are stored: their calls end with an error
    /// of the kind `queued`. The outbox keeps its requests. It may be called again.
    public func close() {
        core.close()
    }

    // MARK: Calls

    /// Sends a request and waits for its answer. If the task is cancelled, the call is cancelled.
    ///
    /// - Throws: A `RestwayError`: `http` for a status that is not 2xx, with the answer as its
    ///   `response`; `queued` if the outbox has taken the request; `cancelled` if the task was
    ///   cancelled; or another kind that says what went wrong.
    @discardableResult
    public func send(_ request: Request) async throws(RestwayError) -> Response {
        try await send(request, nil) { _ in }
    }

    /// Sends a request, and tells how far the call is.
    @discardableResult
    public func send(
        _ request: Request, progress: ProgressReporter
    ) async throws(RestwayError) -> Response {
        try await send(request, progress) { _ in }
    }

    /// Sends a request that `change` completes, and waits for its answer.
    func send(
        _ request: Request, _ progress: ProgressReporter?, _ change: (inout RequestSpec) -> Void
    ) async throws(RestwayError) -> Response {
        var changed = try request.spec()
        change(&changed)
        progress?.attach(to: &changed)
        let spec = changed
        let use = BodyUse(request)
        let outcome = await CallTask.run { [core] complete throws(Failure) in
            let call = try core.send(spec) { _, outcome in complete(outcome) }
            progress?.begin { [weak call] in call?.cancel() }
            return call
        }
        use.end()
        switch outcome {
        case .success(let response):
            progress?.end(isDone: true)
            return Response(response, source)
        case .failure(let failure):
            progress?.end(isDone: false)
            throw RestwayError(failure, of: source, underlying: use.thrown)
        }
    }

    // MARK: Tasks

    /// The threads of the library that read answers, as an executor for tasks (SE-0417):
    ///
    ///     await withTaskExecutorPreference(Client.workers) { ... }
    ///
    /// A task that prefers it continues, after `await` of a request, on the thread that has read
    /// the answer. No other thread has to be woken, which saves time where answers come quickly.
    /// The process has as many of these threads as cores, and at least two. A task must not block
    /// them: answers, callbacks and other clients would wait for it.
    ///
    /// Threads: any.
    public static var workers: any TaskExecutor { WorkerExecutor.shared }

    // MARK: Headers

    /// The default headers of requests that start now.
    public var headers: Headers { Headers(core.calls.headers) }

    /// Sets a default header of requests that start from now on; `nil` removes it. Headers of
    /// routes and of requests replace it.
    public func setHeader(_ name: String, _ value: String?) throws(RestwayError) {
        try Headers.Field(name: name, value: value ?? "").check()
        try RestwayError.explaining { () throws(Failure) in try core.calls.setHeader(name, value) }
    }

    // MARK: Requests for people

    /// Returns the request as it would be sent, with the present credential. Nothing is sent.
    public func inspect(_ request: Request) throws(RestwayError) -> OutgoingRequest {
        let spec = try request.spec()
        let outgoing = try RestwayError.explaining(source) { () throws(Failure) in
            try core.inspect(spec)
        }
        return OutgoingRequest(outgoing, of: request)
    }

    /// Returns the URL of an object: the object router finds the path by entity and method, and the
    /// attributes of the object fill its variables. Parameters that the document adds to requests
    /// are not part of it.
    public func url(of object: Object, method: Method = .get) throws(RestwayError) -> String {
        let spec = try Request(method, .object(object)).spec()
        return try RestwayError.explaining(source) { () throws(Failure) in
            try core.calls.url(spec)
        }
    }

    /// Returns the curl command that sends the same request.
    ///
    /// - Parameter revealing: Whether secrets stand in the command; otherwise they are replaced.
    public func curlCommand(
        _ request: Request, revealing: Bool = false
    ) throws(RestwayError) -> String {
        let spec = try request.spec()
        return try RestwayError.explaining(source) { () throws(Failure) in
            try core.curlCommand(spec, reveals: revealing)
        }
    }
}

/// Waits for a call in a task.
enum CallTask {
    private struct State {
        var call: Call?
        var isCancelled = false
    }

    /// Starts a call and waits for its outcome. A cancelled task cancels the call.
    ///
    /// - Parameter start: Starts the call, and calls the given function once with the outcome. If
    ///   it throws, the function is not called.
    static func run(
        _ start: @Sendable (@escaping @Sendable (Call.Outcome) -> Void) throws(Failure) -> Call
    ) async -> Call.Outcome {
        let state = Lock(State())
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do throws(Failure) {
                    let call = try start { outcome in
                        WorkerLoop.ending { continuation.resume(returning: outcome) }
                    }
                    let isCancelled = state.withLock { state in
                        state.call = call
                        return state.isCancelled
                    }
                    if isCancelled { call.cancel() }
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        } onCancel: {
            let call = state.withLock { state in
                state.isCancelled = true
                return state.call
            }
            call?.cancel()
        }
    }
}

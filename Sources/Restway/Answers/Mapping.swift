import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayOutcome
import RestwayStore
import RestwayThreads

/// How bytes that did not come over HTTP are mapped.
public struct MappingRules: Sendable {
    var core: BytesMapping

    /// The bytes hold objects of an entity.
    ///
    /// - Parameter keyPath: The place of the objects, `"data.items"`; `nil` for the whole.
    public static func entity(_ name: String, keyPath: String? = nil) -> MappingRules {
        let keys = keyPath?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        return MappingRules(core: BytesMapping(.entity(name, keyPath: keys.map { String($0) })))
    }

    /// The bytes are an answer of a route.
    public static func route(_ name: String) -> MappingRules {
        MappingRules(core: BytesMapping(.route(name)))
    }

    /// The same rules, for bytes of a media type, or with the mapper of a name.
    public func reading(mediaType: String? = nil, mapper: String? = nil) -> MappingRules {
        var rules = self
        if let mediaType { rules.core.mediaType = mediaType }
        if let mapper { rules.core.mapper = mapper }
        return rules
    }

    /// The same rules, by which the objects stay out of the store of the client.
    public func withoutStoring() -> MappingRules {
        var rules = self
        rules.core.makesSnapshots = true
        return rules
    }
}

extension Client {
    /// Maps bytes by the rules of the document, as if they were the body of an answer: from a file,
    /// a socket or a message.
    ///
    ///     let response = try await client.map(data, by: .entity("Issue", keyPath: "items"))
    ///     print(response.objects.count)
    ///
    /// If the task is cancelled, the mapping ends, and nothing is stored.
    ///
    /// - Parameter progress: Counts the objects that were mapped.
    /// - Returns: The objects, in a response with the status 0.
    public func map(
        _ bytes: some Sequence<UInt8>, by rules: MappingRules, progress: ProgressReporter? = nil
    ) async throws(RestwayError) -> Response {
        let result = await MappingRun(calls: core.calls, progress: progress)
            .map(Self.body(bytes), rules.core)
        switch result {
        case .success((let response, let store)):
            let objects = ObjectSource(api: source.api, store: store, decoder: source.decoder)
            return Response(response, objects)
        case .failure(let failure): throw RestwayError(failure, of: source)
        }
    }

    private static func body(_ bytes: some Sequence<UInt8>) -> RestwayOutcome.Body {
        bytes.withContiguousStorageIfAvailable { bytes in
            RestwayOutcome.Body(copying: UnsafeRawBufferPointer(bytes))
        } ?? RestwayOutcome.Body(Array(bytes))
    }

    /// Maps bytes, and reads the objects or the value into a `Decodable` type; see
    /// `Response.decode`.
    public func map<Value: Decodable>(
        _ bytes: some Sequence<UInt8>, by rules: MappingRules, as type: Value.Type = Value.self,
        progress: ProgressReporter? = nil
    ) async throws(RestwayError) -> Value {
        try await map(bytes, by: rules, progress: progress).decode()
    }
}

/// Maps bytes on a worker, for a task.
private struct MappingRun: Sendable {
    typealias Outcome = Result<(RestwayOutcome.Response, ObservedStore), Failure>

    let calls: CallContext
    let progress: ProgressReporter?

    func map(_ bytes: RestwayOutcome.Body, _ order: BytesMapping) async -> Outcome {
        let isWanted = Lock(true)
        let cancel: @Sendable () -> Void = { isWanted.withLock { $0 = false } }
        var counted = order
        counted.progressed = { [progress] done, total in
            progress?.update { $0.count(done, of: total) }
            return isWanted.withLock { $0 }
        }
        progress?.begin(cancel: cancel)
        let mapping = counted
        let outcome: Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // This waits for another worker, so it must not take a place of that kind.
                WorkerPool.forBodies.submit {
                    continuation.resume(
                        returning: Result { () throws(Failure) in try calls.map(bytes, mapping) })
                }
            }
        } onCancel: {
            cancel()
        }
        let isDone = if case .success = outcome { true } else { false }
        progress?.end(isDone: isDone)
        return outcome
    }
}

extension ProgressReporter.State {
    fileprivate mutating func count(_ done: Int, of total: Int?) {
        objects = .init(done: Int64(done), total: total.map { Int64($0) })
        // Only the end of the work makes the fraction 1.
        if let total, total > 0 { fraction = min(0.999, Double(done) / Double(total)) }
    }
}

import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayOutcome

/// The modifiers and interceptors of a client: functions that see each call before it is sent, and
/// before its answer is mapped.
///
///     try client.stages.addModifier { context in
///         try context.setHeader("X-Signature", signature(of: context.body))
///     }
///     let stage = try client.stages.addInterceptor(routes: ["issues"]) { context in
///         if context.error?.kind == .connect, context.sends == 0 { try context.sendAgain() }
///     }
///     stage.remove()
///
/// A function that does not wait runs on a worker of the library. A function that waits (`async`)
/// runs in a task of its own, and the call goes on when it has ended; if the call ends before, its
/// task is cancelled. Functions are called one after the other, in the order in which they were
/// added. A function that throws lets its call fail; the error has what it threw as its
/// `underlyingError`.
///
/// The client keeps its functions until it is closed, so a function refers to its client weakly.
public struct Stages: Sendable {
    /// A modifier or an interceptor of the program.
    public typealias Function = @Sendable (PipelineContext) throws -> Void
    /// A function that may wait.
    public typealias WaitingFunction = @Sendable (PipelineContext) async throws -> Void

    fileprivate let core: RestwayClient.Client
    fileprivate let source: ObjectSource

    /// Adds a function that is called before requests are sent.
    ///
    /// - Parameter routes: The names of the routes whose requests it sees; empty for all requests.
    /// - Throws: A `RestwayError`: `unknownRoute`, or `closed`.
    @discardableResult
    public func addModifier(
        routes: [String] = [], _ modify: @escaping Function
    ) throws(RestwayError) -> Stage {
        try add(.modify, routes, StageQuestion.asking(modify) { [source] _ in source })
    }

    /// Adds a function that is called before requests are sent, and may wait.
    @discardableResult
    public func addModifier(
        routes: [String] = [], _ modify: @escaping WaitingFunction
    ) throws(RestwayError) -> Stage {
        try add(.modify, routes, StageQuestion.asking(waiting: modify) { [source] _ in source })
    }

    /// Adds a function that is called with answers and errors.
    @discardableResult
    public func addInterceptor(
        routes: [String] = [], _ intercept: @escaping Function
    ) throws(RestwayError) -> Stage {
        try add(.intercept, routes, StageQuestion.asking(intercept) { [source] _ in source })
    }

    /// Adds a function that is called with answers and errors, and may wait.
    @discardableResult
    public func addInterceptor(
        routes: [String] = [], _ intercept: @escaping WaitingFunction
    ) throws(RestwayError) -> Stage {
        try add(
            .intercept, routes, StageQuestion.asking(waiting: intercept) { [source] _ in source })
    }

    private func add(
        _ stage: Pipeline.Stage, _ routes: [String], _ ask: @escaping StageFunction.Ask
    ) throws(RestwayError) -> Stage {
        try RestwayError.explaining { () throws(Failure) in
            Stage(core: core, number: try core.addStage(stage, routes: routes, ask))
        }
    }
}

/// A modifier or an interceptor that was added to a client.
public struct Stage: Sendable {
    fileprivate let core: RestwayClient.Client
    fileprivate let number: Int64

    /// Removes the function from its client. Calls that have begun still call it.
    ///
    /// - Returns: False if it was removed before, or if the client is closed.
    @discardableResult
    public func remove() -> Bool {
        do throws(Failure) {
            return try core.removeStage(number)
        } catch {
            return false
        }
    }
}

extension Client {
    /// The modifiers and interceptors of the client.
    public var stages: Stages { Stages(core: core, source: source) }
}

extension API {
    /// Adds the modifier that the document calls `name` (`modifiers` of the document or of a
    /// route). All clients of the API call it.
    ///
    /// - Throws: A `RestwayError` of the kind `duplicate` if there is a modifier of this name.
    public func addModifier(
        _ name: String, _ modify: @escaping Stages.Function
    ) throws(RestwayError) {
        try add(name, StageQuestion.asking(modify, StageQuestion.source), core.addModifier)
    }

    /// Adds a modifier that may wait.
    public func addModifier(
        _ name: String, _ modify: @escaping Stages.WaitingFunction
    ) throws(RestwayError) {
        try add(name, StageQuestion.asking(waiting: modify, StageQuestion.source), core.addModifier)
    }

    /// Adds the interceptor that the document calls `name`.
    public func addInterceptor(
        _ name: String, _ intercept: @escaping Stages.Function
    ) throws(RestwayError) {
        try add(name, StageQuestion.asking(intercept, StageQuestion.source), core.addInterceptor)
    }

    /// Adds an interceptor that may wait.
    public func addInterceptor(
        _ name: String, _ intercept: @escaping Stages.WaitingFunction
    ) throws(RestwayError) {
        try add(
            name, StageQuestion.asking(waiting: intercept, StageQuestion.source),
            core.addInterceptor)
    }

    private func add(
        _ name: String, _ ask: @escaping StageFunction.Ask,
        _ register: (String, @escaping AskStage) throws(Failure) -> Void
    ) throws(RestwayError) {
        try changing { () throws(Failure) in
            try register(name) { StageQuestion.ask($0, ask) }
        }
    }

    func changing(_ change: () throws(Failure) -> Void) throws(RestwayError) {
        try RestwayError.explaining(nil, change)
    }
}

/// Makes functions of the program answer the questions of the core.
private enum StageQuestion {
    typealias Source = @Sendable (RestwayCalls.PipelineContext) -> ObjectSource

    /// The objects of the client that asks. A function of an API serves several clients.
    static let source: Source = { context in
        let client = context.call.context
        return ObjectSource(api: client.api, store: client.store, decoder: JSONCoding.decoder)
    }

    static func asking(
        _ function: @escaping Stages.Function, _ source: @escaping Source
    ) -> StageFunction.Ask {
        { context in
            do {
                try function(PipelineContext(context, source(context)))
                return nil
            } catch {
                return Failure(thrown: error, by: context.noun)
            }
        }
    }

    static func asking(
        waiting function: @escaping Stages.WaitingFunction, _ source: @escaping Source
    ) -> StageFunction.Ask {
        { context in
            guard context.hold() else { return RestwayCalls.PipelineContext.isOver }
            let task = Task {
                var failure: Failure?
                do {
                    try await function(PipelineContext(context, source(context)))
                } catch {
                    failure = Failure(thrown: error, by: context.noun)
                }
                // If the call has ended meanwhile, it needs no answer.
                _ = context.end(failure)
            }
            context.whenLeft { task.cancel() }
            return nil
        }
    }

    /// The core hands each function the context that its calls have made.
    static func ask(_ context: any StageContext, _ ask: StageFunction.Ask) -> Failure? {
        guard let context = context as? RestwayCalls.PipelineContext else {
            return Failure(.internal, "a stage was asked without a pipeline context")
        }
        return ask(context)
    }
}

import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayOutcome

/// The modifiers and interceptors of a client: functions that see each call before it is sent, and
/// before its answer is mapped.
///
///     try client.stages.addModifier { turn in
///         try turn.setHeader("X-Signature", signature(of: turn.body))
///     }
///     let stage = try client.stages.addInterceptor(routes: ["issues"]) { turn in
///         if turn.error?.kind == .connect, turn.sends == 0 { try turn.sendAgain() }
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
    /// A function of the program that a turn shows a call to.
    public typealias Function = @Sendable (Turn) throws -> Void
    /// A function that may wait.
    public typealias WaitingFunction = @Sendable (Turn) async throws -> Void

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
    typealias Source = @Sendable (RestwayCalls.Turn) -> ObjectSource

    /// The objects of the client that asks. A function of an API serves several clients.
    static let source: Source = { turn in
        let context = turn.call.context
        return ObjectSource(
            api: context.api, store: context.store, decoder: JSONCoding.decoder)
    }

    static func asking(
        _ function: @escaping Stages.Function, _ source: @escaping Source
    ) -> StageFunction.Ask {
        { turn in
            do {
                try function(Turn(turn, source(turn)))
                return nil
            } catch {
                return Failure(thrown: error, by: turn.noun)
            }
        }
    }

    static func asking(
        waiting function: @escaping Stages.WaitingFunction, _ source: @escaping Source
    ) -> StageFunction.Ask {
        { turn in
            guard turn.hold() else { return RestwayCalls.Turn.isOver }
            let task = Task {
                var failure: Failure?
                do {
                    try await function(Turn(turn, source(turn)))
                } catch {
                    failure = Failure(thrown: error, by: turn.noun)
                }
                // If the call has ended meanwhile, it needs no answer.
                _ = turn.end(failure)
            }
            turn.whenLeft { task.cancel() }
            return nil
        }
    }

    /// The core hands each function the turn that its calls have made.
    static func ask(_ turn: any StageTurn, _ ask: StageFunction.Ask) -> Failure? {
        guard let turn = turn as? RestwayCalls.Turn else {
            return Failure(.internal, "a stage was asked without a turn")
        }
        return ask(turn)
    }
}

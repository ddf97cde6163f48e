import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayThreads
import Synchronization

/// The stage in which the program's modifiers change the request.
enum ModifyStage {
    static func enter(_ entry: StageEntry, _ question: Call.Question) {
        entry.onWorker { entry in
            let context = PipelineContext(
                .modify, entry, question.modifiers, Lock(question.spec), .nothing)
            PipelineStage.goOn(context, from: 0)
        }
    }
}

/// The stage in which the program's interceptors see the answer or the failure.
enum InterceptStage {
    static func enter(_ entry: StageEntry, _ found: PipelineContext.Result) {
        entry.onWorker { entry in
            guard let interception = entry.call.state.withLock({ $0.interception }) else {
                return end(entry, found)
            }
            let context = PipelineContext(
                .intercept, entry, interception.functions, Lock(interception.spec), found)
            PipelineStage.goOn(context, from: 0)
        }
    }

    /// Goes on with what the interceptors have left.
    static func end(_ entry: StageEntry, _ result: PipelineContext.Result) {
        switch result {
        case .answer(let answer): entry.report(.intercepted(answer))
        case .failure(let failure): entry.fail(failure)
        case .nothing: entry.fail(Failure(.internal, "the interceptors got no answer"))
        }
    }

    /// Sends the request again as the interceptors have left it.
    static func sendAgain(_ context: PipelineContext) {
        let (entry, call) = (context.entry, context.entry.call)
        let spec = context.request.withLock { $0 }
        let now = entry.context.clock.now()
        let (result, status) = (context.result, context.response?.status ?? 0)
        call.sendAgain(spec, from: entry) { state in
            if case .failure(let failure) = result {
                state.attempts.end(failure, now)
            } else {
                state.attempts.end(answeredWith: status, now)
            }
        }
    }
}

extension Call {
    /// Has the request written and sent again.
    ///
    /// - Parameter end: Ends the last attempt, if it has not ended.
    func sendAgain(
        _ spec: RequestSpec, from entry: StageEntry, _ end: (inout State) -> Void = { _ in }
    ) {
        // The next exchange has a flight of its own.
        if let lookup = state.withLock({ $0.resources.lookup }) {
            context.flights.leave(self, lookup)
        }
        entry.report(.sendAgain(spec), on: .worker) { state in
            state.resources.lookup = nil
            end(&state)
            state.attempts.begin(.retry)
        }
    }
}

extension PipelineContext {
    /// The call that asks.
    package var call: Call { entry.call }

    /// Calls `left` once, on any thread, when the call goes on or has ended, so that it no longer
    /// waits for the function that holds this context.
    package func whenLeft(_ left: @escaping @Sendable () -> Void) {
        let isWaiting = entry.call.state.withLock { state in
            guard state.journey.isCurrent(entry.number) else { return false }
            state.stageResources.abandon = left
            return true
        }
        if !isWaiting { left() }
    }
}

/// One worker asks all modifiers, or all interceptors, of a call.
enum PipelineStage {
    /// - Parameter index: The index of the function that is asked first.
    static func goOn(_ context: PipelineContext, from index: Int) {
        let haveEnded = CallbackScope.run { context.askFunctions(from: index) }
        if haveEnded { end(context) } else { context.entry.watchDeadline() }
    }

    private static func end(_ context: PipelineContext) {
        let entry = context.entry
        switch (context.stage, context.result) {
        case (.intercept, _) where context.sendsAgain: InterceptStage.sendAgain(context)
        case (.intercept, let result):
            // If interceptors have judged the answer, its status no longer decides.
            if context.isOfProgram { entry.call.state.withLock { $0.isTaken = false } }
            InterceptStage.end(entry, result)
        case (.modify, .nothing): entry.report(.modified(context.request.withLock { $0 }))
        case (.modify, .answer(let answer)): entry.report(.answered(answer))
        case (.modify, .failure(let failure)): entry.fail(failure)
        }
    }
}

/// The stage that writes the request again, on a worker where the program may be asked about its
/// body.
enum PrepareStage {
    /// - Parameters:
    ///   - spec: The request as the modifiers or the interceptors have left it.
    ///   - question: `nil` for a request that is sent again.
    static func enter(_ entry: StageEntry, _ spec: RequestSpec, _ question: Call.Question?) {
        entry.onWorker { entry in
            let interception = entry.call.state.withLock { $0.interception }
            do throws(Failure) {
                if let question {
                    try prepare(entry, spec, question, interception)
                } else {
                    try prepareAgain(entry, spec, interception)
                }
            } catch {
                entry.fail(error)
            }
        }
    }

    private static func prepare(
        _ entry: StageEntry, _ spec: RequestSpec, _ question: Call.Question,
        _ interception: Interception?
    ) throws(Failure) {
        let call = entry.call
        let questions = question.body.asking { call.hasEnded.load(ordering: .relaxed) }
        let request = try call.context.prepare(spec, call.api, questions)
        var stages = request.optionalStages
        if interception != nil { stages.insert(.intercept) }
        entry.report(.prepared(request, stages), on: .worker) { state in
            state.interception = interception?.sending(spec)
            state.deadline = request.deadline(from: call.started, of: call.started)
            state.progress = ProgressState(request)
        }
    }

    /// Writes a request that is sent again. It keeps its place in its lane: if it is
    /// stored, the outbox stores the request as it was sent first.
    private static func prepareAgain(
        _ entry: StageEntry, _ spec: RequestSpec, _ interception: Interception?
    ) throws(Failure) {
        let call = entry.call
        let request = try call.context.prepareAgain(spec, call.api)
        var stages = request.optionalStages
        stages.remove(.lane)
        if interception != nil { stages.insert(.intercept) }
        let now = entry.context.clock.now()
        entry.report(.prepared(request, stages), on: .worker) { state in
            state.interception = interception?.sending(spec)
            state.attempts.endWait(now)
            state.deadline = request.deadline(from: now, of: call.started)
        }
    }
}

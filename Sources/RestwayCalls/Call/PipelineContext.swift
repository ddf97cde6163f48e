import RestwayDocument
package import RestwayHTTP
package import RestwayOutcome
package import RestwayRequests
import RestwayRouting
package import RestwayThreads

/// A modifier or an interceptor of the program.
package struct StageFunction: Sendable {
    /// Asks the program. Returns why the program lets the call fail; `nil` if it does not.
    package typealias Ask = @Sendable (PipelineContext) -> Failure?

    /// 0 for a function that the document names, which cannot be removed.
    package let number: Int64
    /// The names of the routes that it is for; empty for all requests.
    let routes: [String]
    let ask: Ask
}

/// The modifiers and the interceptors of a client.
package struct Pipeline: Sendable {
    package enum Stage: Sendable {
        case modify, intercept
    }

    private var modifiers: [StageFunction] = []
    private var interceptors: [StageFunction] = []
    private var lastNumber: Int64 = 0

    package init() {}

    package var isEmpty: Bool { modifiers.isEmpty && interceptors.isEmpty }

    /// Adds a function after all others. Returns its number.
    package mutating func add(
        _ stage: Stage, routes: [String], _ ask: @escaping StageFunction.Ask
    ) -> Int64 {
        lastNumber += 1
        let function = StageFunction(number: lastNumber, routes: routes, ask: ask)
        switch stage {
        case .modify: modifiers.append(function)
        case .intercept: interceptors.append(function)
        }
        return lastNumber
    }

    /// Removes the function that has this number. Returns false if no function has it.
    package mutating func remove(_ number: Int64) -> Bool {
        let count = modifiers.count + interceptors.count
        modifiers.removeAll { $0.number == number }
        interceptors.removeAll { $0.number == number }
        return modifiers.count + interceptors.count < count
    }

    /// Returns the functions for a request of `route`, in the order in which they are asked:
    /// functions for all requests first, and of each kind those that the document names first.
    func functions(
        _ stage: Stage, for route: Route?, _ definition: APIDefinition
    ) -> [StageFunction] {
        let added = stage == .modify ? modifiers : interceptors
        let forAll = added.filter { $0.routes.isEmpty }
        let forRoute = added.filter { function in
            route?.name.map(function.routes.contains) ?? false
        }
        let settings = route.map(definition.settings)
        var asked = stage.functions(definition.policies.stages, definition.functions)
        asked.add(forAll)
        asked.add(stage.functions(settings?.stages, definition.functions))
        asked.add(forRoute)
        return asked
    }
}

extension [StageFunction] {
    /// Adds functions. An empty list becomes the other list, without a copy.
    fileprivate mutating func add(_ others: [StageFunction]) {
        if isEmpty { self = others } else { self += others }
    }
}

extension Pipeline.Stage {
    /// Returns the functions that a document names.
    fileprivate func functions(
        _ names: StageNames?, _ known: ProgramFunctions
    ) -> [StageFunction] {
        guard let names else { return [] }
        let (chosen, functions) =
            self == .modify
            ? (names.modifiers, known.modifiers) : (names.interceptors, known.interceptors)
        return chosen.compactMap { name in
            functions[name].map { StageFunction(number: 0, routes: [], ask: $0) }
        }
    }
}

extension Pipeline {
    /// The functions that are asked about one call.
    struct Asked {
        var modifiers: [StageFunction] = []
        var interception: Interception?

        static let none = Asked()
    }

    /// Returns the functions that are asked about a call. Modifiers saw a stored request when it
    /// was made.
    func asked(
        about spec: RequestSpec, _ request: PreparedRequest, _ api: LoadedAPI
    ) -> Asked {
        guard !isEmpty || api.definition.functions.hasStages else { return .none }
        let route = request.destination.route
        let interceptors = functions(.intercept, for: route, api.definition)
        return Asked(
            modifiers: spec.stored == nil
                ? functions(.modify, for: route, api.definition) : [],
            interception: interceptors.isEmpty
                ? nil : Interception(functions: interceptors, spec: spec))
    }
}

/// The interceptors of a call. It is a class so that a call without interceptors reserves no memory
/// for it.
final class Interception: Sendable {
    let functions: [StageFunction]
    /// The request as it was sent last.
    let spec: RequestSpec

    init(functions: [StageFunction], spec: RequestSpec) {
        self.functions = functions
        self.spec = spec
    }

    func sending(_ spec: RequestSpec) -> Interception {
        Interception(functions: functions, spec: spec)
    }
}

/// The context in which the modifiers or the interceptors of one call are asked: what they see of
/// the call, and what they decide.
///
/// They are asked one after the other, with the same object. A function that holds the context
/// answers later; the functions after it get another context.
package final class PipelineContext: StageContext, Sendable {
    /// The result of the call so far.
    ///
    /// It is indirect, so that valgrind sees no bits that no case has set.
    indirect enum Result: Sendable {
        /// The request has not been sent.
        case nothing
        case answer(Answer)
        case failure(Failure)
    }

    fileprivate enum Phase: Equatable {
        /// A function is being asked.
        case asked
        /// The function answers later, and has not returned.
        case held
        /// The function answers later, and has returned. Only the program refers to the context.
        case waiting
        /// The function has answered.
        case over
    }

    /// How a function of the program has ended.
    private enum Ending {
        case unchanged, changed
        /// The functions that have not been asked are not asked.
        case decided
        case later
    }

    struct State {
        fileprivate var phase = Phase.over
        /// The index of the function that is asked.
        fileprivate var index = 0
        var result: Result
        /// Whether the answer was changed since it was judged.
        fileprivate var isChanged = false
        /// Whether a function has refused or changed the answer.
        fileprivate var isOfProgram = false
        var sendsAgain = false
        fileprivate var refusal: Failure?
    }

    /// Things that the program has borrowed from a context.
    package enum Loan: Sendable {
        case request, route, response, error
    }

    /// `@unchecked Sendable`: the pointers are only handed out, and never read here.
    private struct Loans: @unchecked Sendable {
        var pointers: [Loan: UnsafeRawPointer] = [:]
        var owners: [any Sendable] = []
    }

    package let stage: Pipeline.Stage
    let entry: StageEntry
    let functions: [StageFunction]
    /// The request, which the functions may change.
    package let request: Lock<RequestSpec>
    private let state: Lock<State>
    private let loans = Lock(Loans())
    package let generation = ProcessGeneration.current

    init(
        _ stage: Pipeline.Stage, _ entry: StageEntry, _ functions: [StageFunction],
        _ request: Lock<RequestSpec>, _ result: Result
    ) {
        self.stage = stage
        self.entry = entry
        self.functions = functions
        self.request = request
        state = Lock(State(result: result))
    }

    /// A context that was dropped ends its call.
    deinit {
        guard generation == ProcessGeneration.current,
            state.withLock({ $0.phase == .waiting })
        else { return }
        let failure = Failure(
            .cancelled, "\(stage.noun) was dropped before it ended", domain: .cancelled)
        entry.on(.caller).fail(entry.call.located(failure))
    }

    // MARK: Asking

    /// Asks the functions from `index` on, one after the other. Returns false if one of them
    /// answers later.
    func askFunctions(from index: Int) -> Bool {
        judge()
        if state.withLock({ $0.isDecided(stage) }) { return true }
        // A call that was cancelled or closed meanwhile asks no further function.
        for next in index..<functions.count where entry.isCurrent {
            switch ask(next) {
            case .unchanged: break
            case .changed: judge()
            case .decided:
                judge()
                return true
            case .later: return false
            }
        }
        return true
    }

    /// Asks a function.
    private func ask(_ index: Int) -> Ending {
        state.withLock { state in
            state.phase = .asked
            state.index = index
        }
        let failure = functions[index].ask(self)
        return state.withLock { state in
            switch state.phase {
            case .asked:
                state.settle(failure, in: entry)
            case .held:
                state.phase = .waiting
                return .later
            case .waiting: return .later
            case .over: break
            }
            if state.isDecided(stage) { return .decided }
            return state.isChanged ? .changed : .unchanged
        }
    }

    /// Ends a function that answers later. Returns false if the context is not held, or if the call
    /// does not wait for it any more.
    package func end(_ failure: Failure?) -> Bool {
        guard entry.isCurrent else { return false }
        let next: Int? = state.withLock { state in
            switch state.phase {
            case .asked, .over: return nil
            case .held:
                state.settle(failure, in: entry)
                return -1
            case .waiting:
                state.settle(failure, in: entry)
                return state.index + 1
            }
        }
        guard let next else { return false }
        if next > 0 {
            let rest = PipelineContext(stage, entry.on(.worker), functions, request, result)
            rest.state.withLock { $0 = self.state.withLock { $0 } }
            entry.context.pool.submit { PipelineStage.goOn(rest, from: next) }
        }
        return true
    }

    /// Lets the function answer later. Returns false if that was said before.
    package func hold() -> Bool {
        state.withLock { state in
            guard state.phase == .asked else { return false }
            state.phase = .held
            return true
        }
    }

    /// Judges an answer that a function has set or changed. This may ask the program what a failed
    /// answer means, so that it runs on a worker.
    func judge() {
        let changed: Answer? = state.withLock { state in
            guard state.isChanged, case .answer(let answer) = state.result else { return nil }
            state.isChanged = false
            return answer
        }
        guard var judged = changed else { return }
        let processor = ResponseProcessor(entry)
        judged.failure = processor.isDone(judged) ? nil : processor.httpFailure(judged)
        state.withLock { [judged] state in
            state.result = .answer(judged)
            state.isOfProgram = true
        }
        forget(.error)
        forget(.response)
    }

    var result: Result { state.withLock { $0.result } }
    /// Whether a function has decided what the answer means.
    var isOfProgram: Bool { state.withLock { $0.isOfProgram } }
    var sendsAgain: Bool { state.withLock { $0.sendsAgain } }

    // MARK: What the program sees

    package var noun: String { stage.noun }

    /// The name of the route.
    package var route: String? { entry.request.destination.route?.name }

    /// How often interceptors have had the request sent again.
    package var sends: Int { entry.call.state.withLock { $0.journey.sendsAgain } }

    /// The answer so far.
    package var response: Response? {
        switch result {
        case .nothing: nil
        case .answer(let answer): ResponseProcessor(entry).response(answer)
        case .failure(let failure): failure.response
        }
    }

    /// Why the call fails so far.
    package var failure: Failure? {
        switch result {
        case .nothing: nil
        case .answer(let answer): answer.failure
        case .failure(let failure): failure
        }
    }

    /// Lends a thing of this context, which `make` makes at the first call, with the object that
    /// owns it.
    package func lend(
        _ loan: Loan, _ make: () -> (any Sendable, UnsafeRawPointer)?
    ) -> UnsafeRawPointer? {
        if let known = loans.withLock({ $0.pointers[loan] }) { return known }
        guard let (owner, pointer) = make() else { return nil }
        loans.withLock { box in
            box.pointers[loan] = pointer
            box.owners.append(owner)
        }
        return pointer
    }

    /// Makes a thing anew when it is asked for again. The old one lives as long as the context.
    private func forget(_ loan: Loan) {
        loans.withLock { $0.pointers[loan] = nil }
    }

    // MARK: What the program decides

    package func answer(
        status: Int, headers: Headers, body: [UInt8]
    ) throws(Failure) {
        guard entry.request.bodyDestination.isMemory else { throw Self.notInMemory }
        var answer = Answer(
            status: status, headers: headers, url: entry.request.exchange.url, body: Body(body))
        answer.readyAt = entry.context.clock.now()
        try change { state throws(Failure) in state.result = .answer(answer) }
    }

    /// Changes the answer.
    package func changeAnswer(
        status: Int? = nil, body: [UInt8]? = nil, _ headers: (inout Headers) -> Void = { _ in }
    ) throws(Failure) {
        try change { state throws(Failure) in
            guard case .answer(var answer) = state.result else {
                throw Failure(.invalidArgument, "there is no answer to change", field: "context")
            }
            guard body == nil || answer.saved == nil else { throw Self.notInMemory }
            if let status { answer.status = status }
            if let body { answer.bodyPlace = .memory(Body(body)) }
            headers(&answer.headers)
            // Neither belongs to the changed answer.
            answer.mappings = nil
            answer.failure = nil
            state.result = .answer(answer)
        }
    }

    private func change(_ change: (inout State) throws(Failure) -> Void) throws(Failure) {
        guard entry.isCurrent else { throw Self.isOver }
        try state.withLock { state throws(Failure) in
            guard state.phase != .over else { throw Self.isOver }
            try change(&state)
            state.isChanged = true
        }
        forget(.response)
    }

    /// Has the request sent again when the function has ended.
    package func sendAgain() throws(Failure) {
        guard entry.isCurrent, state.withLock({ $0.phase != .over }) else { throw Self.isOver }
        if let reason = reasonNotToSendAgain {
            throw Failure(.invalidArgument, "the request cannot be sent again: \(reason)")
        }
        state.withLock { $0.sendsAgain = true }
    }

    private var reasonNotToSendAgain: String? {
        let request = entry.request
        if stage == .modify { return "it has not been sent" }
        if sends >= Journey.sendsAgainMax {
            return "it was sent again \(Journey.sendsAgainMax) times"
        }
        if request.isFromOutbox { return "the outbox sends it" }
        if request.sending.isInBatch { return "it goes out in a batch" }
        if request.sending.upload != nil { return "its upload is resumable" }
        if !request.isRewindable { return "the body's reader cannot be rewound" }
        if !request.bodyDestination.isMemory { return "the body of its answer is not in memory" }
        return nil
    }

    /// Sets the failure that is used if the function lets the call fail.
    package func refuse(_ reason: String, cause: any HostCause) throws(Failure) {
        // The previous cause may end here, which may run a destroy function of the program.
        var refusal: Failure? = Failure(.cancelled, reason)
        refusal?.cause = cause
        guard entry.isCurrent else { throw Self.isOver }
        let isTaken = state.withLock { state in
            if state.phase != .over { swap(&state.refusal, &refusal) }
            return state.phase != .over
        }
        if !isTaken { throw Self.isOver }
    }

    private static var notInMemory: Failure {
        Failure(.invalidArgument, "the body of the answer is not in memory", field: "body")
    }

    package static var isOver: Failure {
        Failure(.closed, "the function of the pipeline has ended")
    }
}

extension PipelineContext.State {
    /// Whether the functions that have not been asked are not asked.
    fileprivate func isDecided(_ stage: Pipeline.Stage) -> Bool {
        if stage == .intercept { return sendsAgain }
        if case .nothing = result { return false }
        return true
    }

    /// Applies the answer of the function.
    fileprivate mutating func settle(_ failure: Failure?, in entry: StageEntry) {
        phase = .over
        let stated = refusal.take()
        guard var failure else { return }
        if let stated {
            failure.message += ": \(stated.message)"
            failure.cause = stated.cause
        }
        failure.isOfProgram = true
        isOfProgram = true
        switch result {
        case .nothing: break
        case .answer(let answer):
            failure.httpStatus = answer.status
            failure.response = ResponseProcessor(entry).response(answer)
        case .failure(let before):
            failure.httpStatus = before.httpStatus
            failure.response = before.response
        }
        result = .failure(failure)
        isChanged = false
        sendsAgain = false
    }
}

extension Pipeline.Stage {
    /// How messages name a function of the stage.
    package var noun: String { self == .modify ? "the modifier" : "the interceptor" }
}

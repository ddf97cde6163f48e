package import RestwayCalls
package import RestwayDocument
package import RestwayHTTP
package import RestwayOutcome
package import RestwayRequests
package import RestwayThreads
import Synchronization

/// Performs what an `AuthMachine` decides: it holds the credential, keeps the calls that wait, and
/// asks for new credentials. Each client has one. It does not know the client, so a refresh that
/// the program holds keeps only this object alive.
package final class AuthDriver: CredentialSource {
    private struct State {
        var machine: AuthMachine
        var credential: Credential
        var functions = AuthFunctions()
        /// Called when a refresh has brought another credential.
        var renewed: (@Sendable () -> Void)?
        var waiters: [UInt64: CredentialWaiter] = [:]
        /// The timer that ends a refresh of the program that takes too long.
        var timeLimit: TimerTicket?
        /// The running request for a token.
        var exchange: ExchangeID?
    }

    /// The work that is left to do after the lock is released.
    private enum Step {
        case tell(CredentialWaiter, CredentialAnswer)
        case refresh(UInt64)
        case cancel(ExchangeID)
    }

    private let definition: AuthDefinition
    private let transport: any Transport
    private let executors: CallContext.Executors
    private let options: CallOptions
    private let state: Lock<State>
    /// False while the client does not use authentication. Calls then skip it.
    private let isActive: Atomic<Bool>

    /// - Parameter transport: Sends the requests for tokens.
    package init(
        _ definition: AuthDefinition, _ transport: any Transport,
        _ executors: CallContext.Executors, _ options: CallOptions
    ) {
        self.definition = definition
        self.transport = transport
        self.executors = executors
        self.options = options
        var state = State(
            machine: AuthMachine(definition.limits), credential: definition.credential)
        Self.configure(&state, definition)
        self.state = Lock(state)
        isActive = Atomic(definition.scheme != .custom)
    }

    // MARK: Calls

    package var concernsCalls: Bool { isActive.load(ordering: .relaxed) }

    package func arrive(
        _ call: UInt64, on place: Executor, _ waiter: @escaping CredentialWaiter
    ) {
        act(on: place.forAnyCall) { state, now in
            state.waiters[call] = waiter
            return state.machine.arrive(call, now: now)
        }
    }

    package func refuse(sentWith credential: UInt64, replays: Int) -> Bool {
        state.withLock { $0.machine.refuse(sentWith: credential, replays: replays) }
    }

    /// The number of calls that wait for a credential.
    package var waitingCount: Int { state.withLock { $0.machine.waitingCount } }

    package func leave(_ call: UInt64) {
        let dropped = state.withLock { state in
            state.machine.leave(call)
            return state.waiters.removeValue(forKey: call)
        }
        _ = consume dropped
    }

    package func bypass() -> Permit {
        state.withLock { Self.permit($0) }
    }

    package func mayUse(_ permit: Permit) -> Bool {
        state.withLock { $0.machine.mayUse(permit.credentialNumber) }
    }

    package func authorize(_ exchange: inout Exchange, with permit: Permit) -> Failure? {
        exchange.isAuthorized = true
        definition.authorize(&exchange, with: permit.credential)
        guard let authorize = permit.authorize else { return nil }
        var changed = exchange
        let failure = CallbackScope.run { authorize(&changed) }
        exchange = changed
        return failure
    }

    /// Returns an exchange with the scheme's credential, for people to read, without asking the
    /// program.
    package func authorized(_ exchange: Exchange) -> Exchange {
        var authorized = exchange
        definition.authorize(&authorized, with: bypass().credential)
        return authorized
    }

    package func isRefusal(_ failure: Failure) -> Bool {
        let shouldReplay = state.withLock { $0.functions.shouldReplay }
        let answer = shouldReplay.flatMap { ask in CallbackScope.run { ask(failure) } }
        return answer
            ?? definition.isRefusal(status: failure.httpStatus, apiCode: failure.apiCode)
    }

    package var asksAboutFailures: Bool {
        concernsCalls && state.withLock { $0.functions.shouldReplay != nil }
    }

    package var isAskedToAuthorize: Bool {
        concernsCalls && state.withLock { $0.functions.authorize != nil }
    }

    // MARK: The program

    /// Replaces functions of the program.
    package func setFunctions(_ change: (inout AuthFunctions) -> Void) {
        // The previous functions may end here, which may run destroy functions of the program.
        let before = state.withLock { state in
            let before = state.functions
            change(&state.functions)
            Self.configure(&state, definition)
            let functions = state.functions
            isActive.store(
                definition.scheme != .custom || functions.authorize != nil
                    || functions.refresh != nil || functions.shouldReplay != nil,
                ordering: .relaxed)
            return before
        }
        _ = consume before
    }

    /// Refuses a credential of the program if one of its fields cannot be sent.
    package func check(_ credential: Credential) throws(Failure) {
        guard let problem = definition.scheme.problem(in: credential) else { return }
        let field = "credential.\(problem.field.rawValue)"
        throw Failure(.invalidArgument, "\(field) \(problem.text)", field: field)
    }

    /// Replaces the whole credential. `nil` removes it: nobody is signed in, unless the program
    /// keeps the credential itself and its authorize function has the new one.
    package func setCredential(_ given: Credential?) throws(Failure) {
        if let given { try check(given) }
        let life = life(of: given)
        act { state, now in
            // The secrets of the credential before it end here.
            state.credential = given.map(definition.replacing) ?? Credential()
            return state.machine.credentialChanged(
                hasCredential: Self.hasCredential(state, definition), refreshAt: life.refreshAt,
                expiresAt: life.expiresAt, now: now)
        }
    }

    /// Calls `renewed` on any thread whenever a refresh has brought another credential, before a
    /// call goes out with it.
    package func onRenewal(_ renewed: @escaping @Sendable () -> Void) {
        state.withLock { $0.renewed = renewed }
    }

    package var userName: String? {
        state.withLock { definition.userName(in: $0.credential) }
    }

    /// Stops authentication and drops secrets and functions. The client completes the calls that
    /// wait.
    package func close() {
        // The functions and secrets of the program end outside the lock.
        var waiters: [UInt64: CredentialWaiter] = [:]
        var functions = AuthFunctions()
        let (timeLimit, exchange) = state.withLock { state in
            _ = state.machine.close()
            swap(&waiters, &state.waiters)
            swap(&functions, &state.functions)
            state.credential = Credential()
            return (state.timeLimit.take(), state.exchange.take())
        }
        timeLimit?.cancel()
        if let exchange { transport.cancel(exchange) }
    }

    // MARK: Refreshes

    /// Returns when a token should be replaced and when it becomes useless.
    private func life(of fields: Credential?) -> (refreshAt: Deadline, expiresAt: Deadline) {
        guard let life = fields?.expiresInMilliseconds else { return (.never, .never) }
        let now = executors.clock.now()
        // A token with a shorter life would be replaced all the time.
        let early = min(definition.earlyMilliseconds, life / 2)
        return (now.advanced(milliseconds: life - early), now.advanced(milliseconds: life))
    }

    /// Takes the credential of a refresh. Returns false if it is no longer wanted.
    @discardableResult
    func refreshed(_ number: UInt64, _ fields: Credential?) -> Bool {
        let life = life(of: fields)
        let taken: (timeLimit: TimerTicket?, persist: AuthFunctions.Persist?, Credential)? =
            state.withLock { state in
                guard state.machine.isCurrent(refresh: number) else { return nil }
                // This happens at once, because a rotated token must not be lost, whatever follows.
                if let fields { state.credential = state.credential.updated(by: fields) }
                let persist = fields == nil ? nil : state.functions.persist
                return (state.timeLimit.take(), persist, state.credential)
            }
        taken?.timeLimit?.cancel()
        Log.shared.write(.debug, .auth, "refresh \(number) of the credential succeeded")
        let goOn = { @Sendable in
            self.state.withLock { $0.renewed }?()
            self.act { state, now in
                state.machine.refreshed(
                    number, refreshAt: life.refreshAt, expiresAt: life.expiresAt, now: now)
            }
        }
        if case (_, let persist?, let credential)? = taken {
            executors.pool.submit {
                CallbackScope.run { persist(credential) }
                goOn()
            }
        } else {
            goOn()
        }
        return taken != nil
    }

    @discardableResult
    func refreshFailed(_ number: UInt64, _ failure: AuthFailure) -> Bool {
        var isCurrent = false
        Log.shared.write(
            .warning, .auth, "refresh \(number) of the credential failed: \(failure.message)")
        act { state, now in
            isCurrent = state.machine.isCurrent(refresh: number)
            return state.machine.refreshFailed(number, failure, now: now)
        }
        return isCurrent
    }

    private func startRefresh(_ number: UInt64) {
        let (before, refresh, credential) = state.withLock { state in
            (state.timeLimit.take(), state.functions.refresh, state.credential)
        }
        before?.cancel()
        Log.shared.write(.debug, .auth, "refresh \(number) of the credential starts")
        if let refresh {
            watch(number)
            executors.pool.submit {
                let ticket = RefreshTicket(number: number, driver: self)
                // If the driver was closed meanwhile, no one is asked.
                guard self.state.withLock({ $0.machine.isCurrent(refresh: number) }) else {
                    return
                }
                CallbackScope.run { refresh(ticket) }
            }
        } else if case .oauth2(let settings) = definition.scheme {
            requestToken(number, settings, credential)
        } else {
            refreshFailed(number, .refused("no function is set that can get a new credential"))
        }
    }

    /// Limits the time of a refresh by the program, which may never end. The built-in refresh has a
    /// time limit of its own, and passing that limit does not refuse the
    /// credential.
    private func watch(_ number: UInt64) {
        let milliseconds = definition.refreshTimeoutMilliseconds
        let end = executors.clock.now().advanced(milliseconds: milliseconds)
        let limit = executors.timers.schedule(at: end) {
            self.act { state, now in
                state.machine.refreshTimedOut(number, milliseconds: milliseconds, now: now)
            }
        }
        let unneeded = state.withLock { state in
            guard state.machine.isUnderWay(refresh: number) else { return Optional(limit) }
            defer { state.timeLimit = limit }
            return state.timeLimit
        }
        unneeded?.cancel()
    }

    /// Requests a token from the token endpoint.
    private func requestToken(
        _ number: UInt64, _ settings: OAuthSettings, _ credential: Credential
    ) {
        let request: TokenRequest
        do {
            request = try TokenRequest(settings, credential)
        } catch {
            refreshFailed(number, error)
            return
        }
        let recorder = ExchangeRecorder(bodyBytesMax: TokenResponse.bytesMax) { recorder in
            self.executors.pool.submit { self.answered(number, recorder) }
        }
        let exchange = request.exchange(
            to: settings.tokenURL, options,
            timeoutMilliseconds: definition.refreshTimeoutMilliseconds)
        let id = transport.start(exchange, observer: recorder)
        let isWanted = state.withLock { state in
            guard state.machine.isCurrent(refresh: number) else { return false }
            state.exchange = id
            return true
        }
        if !isWanted { transport.cancel(id) }
    }

    private func answered(_ number: UInt64, _ recorder: ExchangeRecorder) {
        do throws(AuthFailure) {
            let fields = try TokenResponse.credential(recorder)
            if let problem = definition.scheme.problem(in: fields) {
                throw .refused(
                    "the token endpoint gave \(problem.field.title) that \(problem.text)")
            }
            refreshed(number, fields)
        } catch {
            refreshFailed(number, error)
        }
    }

    // MARK: Steps

    /// Gives the machine an event of a call, and performs its decisions on this thread.
    private func act(
        on place: Executor, _ event: (inout State, Deadline) -> [AuthMachine.Action]
    ) {
        for step in steps(event) { perform(step, on: place) }
    }

    /// Gives the machine an event that may let many calls go. One worker performs the decisions one
    /// after the other, so that the calls keep their order and the caller's thread is not held up.
    private func act(_ event: (inout State, Deadline) -> [AuthMachine.Action]) {
        let steps = steps(event)
        guard !steps.isEmpty else { return }
        executors.pool.submit {
            for step in steps { self.perform(step, on: .worker) }
        }
    }

    private func steps(_ event: (inout State, Deadline) -> [AuthMachine.Action]) -> [Step] {
        let now = executors.clock.now()
        return state.withLock { state in
            event(&state, now).compactMap { Self.step($0, &state) }
        }
    }

    private func perform(_ step: Step, on place: Executor) {
        switch step {
        case .tell(let waiter, let answer): waiter(answer, place)
        case .refresh(let number): startRefresh(number)
        case .cancel(let exchange): transport.cancel(exchange)
        }
    }

    private static func step(_ action: AuthMachine.Action, _ state: inout State) -> Step? {
        switch action {
        case .send(let call, _):
            return state.waiters.removeValue(forKey: call).map { .tell($0, .go(permit(state))) }
        case .fail(let call, let failure):
            let waiter = state.waiters.removeValue(forKey: call)
            return waiter.map { .tell($0, .fail(Failure(failure))) }
        case .refresh(let number):
            return .refresh(number)
        case .abandon:
            return state.exchange.take().map(Step.cancel)
        }
    }

    private static func permit(_ state: State) -> Permit {
        Permit(
            credentialNumber: state.machine.credential, credential: state.credential,
            authorize: state.functions.authorize)
    }

    private static func configure(_ state: inout State, _ definition: AuthDefinition) {
        var canRefresh = state.functions.refresh != nil
        if case .oauth2 = definition.scheme { canRefresh = true }
        state.machine.configure(
            canRefresh: canRefresh, hasCredential: hasCredential(state, definition))
    }

    private static func hasCredential(_ state: State, _ definition: AuthDefinition) -> Bool {
        state.functions.authorize != nil || definition.isComplete(state.credential)
    }
}

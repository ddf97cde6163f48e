import RestwayDocument
import RestwayThreads

/// Decides which credential each call is sent with, which calls wait, and when to refresh.
///
/// Calls have numbers in the order of their arrival; each new credential has a higher number. No
/// clock, no lock, no I/O: feed it an event, and perform the returned actions in order.
/// `AuthDriver` owns the rest.
struct AuthMachine: Sendable {
    enum Action: Equatable, Sendable {
        /// Send the call with this credential.
        case send(UInt64, credential: UInt64)
        /// End the call, because there is no credential.
        case fail(UInt64, AuthFailure)
        /// Get a new credential, and report the result with this number.
        case refresh(UInt64)
        /// The result of this refresh is no longer needed.
        case abandon(UInt64)
    }

    private enum State: Equatable {
        case valid
        /// Every call waits for a refresh.
        case refreshing
        /// The credential is dead or was never set. The next call starts a refresh.
        case stale
        /// The credential is dead and could not be replaced. The next refresh starts at `until` or
        /// later.
        case refused(AuthFailure, until: Deadline)
        case closed
    }

    /// A running refresh, and the credential that it replaces.
    private struct Refresh {
        let number: UInt64
        let credential: UInt64
    }

    private let limits: AuthDefinition.Limits
    /// Whether a new credential can be obtained. If not, a refusal by the server is the call's
    /// answer.
    private var canRefresh = false
    private var state = State.valid
    /// The number of the current credential.
    private(set) var credential: UInt64 = 1
    /// Whether a server has refused the current credential, or no credential is set.
    private var isDead = false
    /// Whether there is no credential, and no call has been refused yet.
    private var isMissing = false
    private var expiresAt = Deadline.never
    private var refreshAt = Deadline.never
    private var running: Refresh?
    private var waiting: Set<UInt64> = []
    private var lastRefresh: UInt64 = 0
    private var window: RefreshWindow

    /// - Parameter hasCredential: False if the first call must wait for a credential.
    init(
        _ limits: AuthDefinition.Limits, canRefresh: Bool = false, hasCredential: Bool = true
    ) {
        self.limits = limits
        window = RefreshWindow(
            refreshesMax: limits.refreshesMax, milliseconds: limits.windowMilliseconds)
        configure(canRefresh: canRefresh, hasCredential: hasCredential)
    }

    var waitingCount: Int { waiting.count }

    /// Whether a call may still be sent with this credential.
    func mayUse(_ credential: UInt64) -> Bool {
        credential == self.credential && state == .valid
    }

    /// Whether this refresh is running, for the current credential.
    func isCurrent(refresh: UInt64) -> Bool {
        running?.number == refresh && running?.credential == credential && state != .closed
    }

    /// Whether this refresh is running, for the current or an older credential.
    func isUnderWay(refresh: UInt64) -> Bool {
        running?.number == refresh && state != .closed
    }

    /// Sets whether new credentials can be obtained from now on.
    ///
    /// - Parameter hasCredential: False if calls must wait for a first credential.
    mutating func configure(canRefresh: Bool, hasCredential: Bool) {
        self.canRefresh = canRefresh
        if state == .valid, !hasCredential, canRefresh {
            (state, isDead, isMissing) = (.stale, true, true)
        } else if state == .stale, isMissing, hasCredential || !canRefresh {
            (state, isDead, isMissing) = (.valid, false, false)
        }
    }

    // MARK: Calls

    /// Decides about a call that is ready to be sent, for the first time or again.
    mutating func arrive(_ call: UInt64, now: Deadline) -> [Action] {
        switch state {
        case .closed:
            return [.fail(call, .closed)]
        case .refreshing:
            waiting.insert(call)
            return []
        case .valid where refreshAt <= now && canRefresh, .stale:
            waiting.insert(call)
            return startRefresh(now)
        case .valid:
            return [.send(call, credential: credential)]
        case .refused(let failure, let until):
            guard until <= now else { return [.fail(call, failure)] }
            waiting.insert(call)
            return startRefresh(now)
        }
    }

    /// Handles a credential that the server refused. Returns whether the call may be sent again; a
    /// call that is sent again arrives like any other call. False says that the server's answer is
    /// the call's answer.
    ///
    /// The call does not wait between its refusal and its arrival, so anything may happen in
    /// between, and the arrival decides by what is true then:
    ///
    /// - Another call has started the refresh: the call waits for it. If it has ended already, the
    ///   call gets its credential or its failure, as if it had waited.
    /// - The program has set another credential: the call is sent with it.
    /// - The program has removed the credential: the call waits for one that can be obtained. If
    ///   none can, it is sent without one, and a second refusal is its answer.
    /// - The program has removed its refresh function: the refresh fails, as it does if the
    ///   function is removed between the start of a refresh and its call.
    /// - The client was closed: the call fails.
    /// - The call has ended: it never arrives, and the next call that arrives starts the refresh.
    ///
    /// - Parameter replays: How often the call was sent again for this reason.
    mutating func refuse(sentWith credential: UInt64, replays: Int) -> Bool {
        guard replays < limits.replaysMax else { return false }
        // A newer credential exists or is being obtained.
        guard credential == self.credential else { return true }
        guard canRefresh else { return false }
        isDead = true
        isMissing = false
        if state == .valid { state = .stale }
        return true
    }

    /// Notes that a call has ended for another reason and no longer waits.
    mutating func leave(_ call: UInt64) {
        waiting.remove(call)
    }

    // MARK: Credentials

    /// Handles a refresh that brought a new credential.
    ///
    /// - Parameters:
    ///   - refreshAt: The time to replace the credential before it expires; `never` if it need not
    ///     be replaced.
    ///   - expiresAt: The time from which the credential is invalid.
    mutating func refreshed(
        _ refresh: UInt64, refreshAt: Deadline = .never, expiresAt: Deadline = .never,
        now: Deadline
    ) -> [Action] {
        guard let ended = end(refresh) else { return [] }
        guard ended.credential == credential else { return restart(now) }
        replaceCredential(refreshAt: refreshAt, expiresAt: expiresAt)
        return release()
    }

    /// Handles a refresh that failed.
    ///
    /// A final failure remains until there is a new credential. After any other failure, the first
    /// call that arrives after the pause starts the next refresh.
    mutating func refreshFailed(
        _ refresh: UInt64, _ failure: AuthFailure, now: Deadline
    ) -> [Action] {
        guard let ended = end(refresh) else { return [] }
        guard ended.credential == credential else { return restart(now) }
        if !isDead, now < expiresAt {
            // This was an early refresh; the current credential is still valid.
            refreshAt = expiresAt
            state = .valid
            return release()
        }
        if case .refused(_, isFinal: true, _) = failure { return giveUp(failure, until: .never) }
        return giveUp(failure, until: now.advanced(milliseconds: limits.pauseMilliseconds))
    }

    /// Handles a refresh by the host that took too long.
    mutating func refreshTimedOut(
        _ refresh: UInt64, milliseconds: Int64, now: Deadline
    ) -> [Action] {
        guard running?.number == refresh else { return [] }
        let failure = AuthFailure.timedOut(milliseconds: milliseconds)
        return [.abandon(refresh)] + refreshFailed(refresh, failure, now: now)
    }

    /// Handles a new credential that the host has set.
    ///
    /// - Parameter hasCredential: False if the host has removed the credential. Calls then wait
    ///   for another one, if it can be obtained.
    mutating func credentialChanged(
        hasCredential: Bool = true, refreshAt: Deadline = .never, expiresAt: Deadline = .never,
        now: Deadline = .past
    ) -> [Action] {
        guard state != .closed else { return [] }
        replaceCredential(refreshAt: refreshAt, expiresAt: expiresAt)
        configure(canRefresh: canRefresh, hasCredential: hasCredential)
        // The running refresh is for an older credential. No other refresh starts before it ends.
        let abandoned: [Action] = running.map { [.abandon($0.number)] } ?? []
        if state == .valid { return abandoned + release() }
        return abandoned + (waiting.isEmpty ? [] : startRefresh(now))
    }

    /// Stops sending. The client completes the waiting calls.
    mutating func close() -> [Action] {
        defer {
            state = .closed
            waiting = []
            running = nil
        }
        return running.map { [.abandon($0.number)] } ?? []
    }

    // MARK: Steps

    private mutating func replaceCredential(refreshAt: Deadline, expiresAt: Deadline) {
        credential += 1
        isDead = false
        isMissing = false
        state = .valid
        self.refreshAt = refreshAt
        self.expiresAt = expiresAt
    }

    private mutating func startRefresh(_ now: Deadline) -> [Action] {
        // A refresh of an older credential is still running. The new refresh starts when the
        // running refresh has ended.
        guard running == nil else {
            state = .refreshing
            return []
        }
        if let until = window.start(now) {
            if !isDead, now < expiresAt {
                refreshAt = expiresAt
                state = .valid
                return release()
            }
            let failure = AuthFailure.tooManyRefreshes(
                max: limits.refreshesMax, windowMilliseconds: limits.windowMilliseconds)
            return giveUp(failure, until: until)
        }
        lastRefresh += 1
        running = Refresh(number: lastRefresh, credential: credential)
        state = .refreshing
        return [.refresh(lastRefresh)]
    }

    /// Removes the refresh `number`; `nil` if it is not the running refresh.
    private mutating func end(_ number: UInt64) -> Refresh? {
        guard let running, running.number == number, state != .closed else { return nil }
        self.running = nil
        return running
    }

    /// Handles the end of a refresh of an older credential: starts a refresh for the calls that
    /// wait for the current credential.
    private mutating func restart(_ now: Deadline) -> [Action] {
        state == .refreshing ? startRefresh(now) : []
    }

    /// Sends the waiting calls, in the order of arrival.
    private mutating func release() -> [Action] {
        defer { waiting = [] }
        return waiting.sorted().map { .send($0, credential: credential) }
    }

    private mutating func giveUp(_ failure: AuthFailure, until: Deadline) -> [Action] {
        defer { waiting = [] }
        isDead = true
        state = .refused(failure, until: until)
        return waiting.sorted().map { .fail($0, failure) }
    }
}

/// Counts the refreshes in a sliding window, so that a server that refuses every fresh credential
/// is not asked for ever.
private struct RefreshWindow: Sendable {
    let refreshesMax: Int
    let milliseconds: Int64
    var starts: [Deadline] = []

    /// Counts a refresh that starts now. If there were too many, returns the time at which the next
    /// refresh may start.
    mutating func start(_ now: Deadline) -> Deadline? {
        starts.removeAll { $0.advanced(milliseconds: milliseconds) <= now }
        guard starts.count < refreshesMax else {
            return starts.first?.advanced(milliseconds: milliseconds) ?? .never
        }
        starts.append(now)
        return nil
    }
}

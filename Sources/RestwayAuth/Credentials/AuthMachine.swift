package import RestwaySupport

/// Decides which call goes out with which credential, which one waits, and when to refresh.
///
/// Calls and credentials have numbers: those of calls grow in the order of their arrival, those of
/// credentials with every new one. No clock, no lock, no I/O: feed it an event, perform the actions
/// that it returns, in their order. `AuthDriver` owns the rest.
package struct AuthMachine: Sendable {
    package struct Settings: Sendable, Equatable {
        /// False when nobody can get a new credential: a refusal is then the call's answer.
        package var canRefresh = false
        /// How often one call may be sent again with another credential.
        package var replaysMax = 1
        package var refreshesMax = 5
        package var windowMilliseconds: Int64 = 30_000

        package init() {}
    }

    package enum Action: Equatable, Sendable {
        /// The call goes out with this credential.
        case send(UInt64, credential: UInt64)
        /// The call ends, for want of a credential.
        case fail(UInt64, AuthFailure)
        /// What the server answered is the call's answer.
        case settle(UInt64)
        /// Get a new credential; tell how that ended with this number.
        case refresh(UInt64)
        /// Nobody wants the outcome of this refresh any more.
        case abandon(UInt64)
    }

    private enum State: Equatable {
        case valid
        /// Everybody waits.
        case refreshing
        /// Dead, or never there: the next call gets a refresh started.
        case stale
        /// Dead, and could not be replaced; asked again only from `until` on.
        case refused(AuthFailure, until: Deadline)
        case closed
    }

    /// A refresh under way, and the credential that it replaces.
    private struct Refresh {
        let number: UInt64
        let credential: UInt64
    }

    private var settings: Settings
    private var state = State.valid
    /// The number of the present credential.
    package private(set) var credential: UInt64 = 1
    /// A server has refused the present credential, or there is none.
    private var isDead = false
    /// There is none, and nobody has been refused yet.
    private var isMissing = false
    private var expiresAt = Deadline.never
    private var refreshAt = Deadline.never
    private var running: Refresh?
    private var waiting: Set<UInt64> = []
    private var lastRefresh: UInt64 = 0
    private var window: RefreshWindow

    /// - Parameter hasCredential: False when the first call has to wait for one.
    package init(_ settings: Settings, hasCredential: Bool = true) {
        self.settings = settings
        window = RefreshWindow(
            refreshesMax: settings.refreshesMax, milliseconds: settings.windowMilliseconds)
        configure(canRefresh: settings.canRefresh, hasCredential: hasCredential)
    }

    package var waitingCount: Int { waiting.count }

    /// Whether a call may still go out with this credential.
    package func mayUse(_ credential: UInt64) -> Bool {
        credential == self.credential && state == .valid
    }

    /// Whether this refresh is under way, and for the present credential.
    package func isCurrent(refresh: UInt64) -> Bool {
        running?.number == refresh && running?.credential == credential && state != .closed
    }

    /// Whether this refresh has not ended, be it for the present credential or for an older one.
    package func isUnderWay(refresh: UInt64) -> Bool {
        running?.number == refresh && state != .closed
    }

    /// Somebody can get new credentials from now on, or no longer.
    ///
    /// - Parameter hasCredential: False when calls have to wait for a first one.
    package mutating func configure(canRefresh: Bool, hasCredential: Bool) {
        settings.canRefresh = canRefresh
        if state == .valid, !hasCredential, canRefresh {
            (state, isDead, isMissing) = (.stale, true, true)
        } else if state == .stale, isMissing, hasCredential || !canRefresh {
            (state, isDead, isMissing) = (.valid, false, false)
        }
    }

    // MARK: Calls

    /// A call wants to go out: for the first time, or once more for a reason of its own.
    package mutating func arrive(_ call: UInt64, now: Deadline) -> [Action] {
        switch state {
        case .closed:
            return [.fail(call, .closed)]
        case .refreshing:
            waiting.insert(call)
            return []
        case .valid where refreshAt <= now && settings.canRefresh, .stale:
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

    /// A server refused the credential that a call was sent with.
    ///
    /// - Parameter replays: How often the call was sent again because of that.
    package mutating func refuse(
        _ call: UInt64, sentWith credential: UInt64, replays: Int, now: Deadline
    ) -> [Action] {
        guard replays < settings.replaysMax else { return [.settle(call)] }
        // There is a newer one, or one is on its way.
        guard credential == self.credential else { return arrive(call, now: now) }
        guard settings.canRefresh else { return [.settle(call)] }
        die()
        return arrive(call, now: now)
    }

    /// The same of a call that cannot be sent again; says whether it would have been.
    package mutating func refuseForGood(sentWith credential: UInt64, replays: Int) -> Bool {
        guard replays < settings.replaysMax else { return false }
        guard credential == self.credential else { return true }
        guard settings.canRefresh else { return false }
        die()
        return true
    }

    /// A call has ended for another reason: it waits no longer.
    package mutating func leave(_ call: UInt64) {
        waiting.remove(call)
    }

    // MARK: Credentials

    /// A refresh brought a new credential.
    ///
    /// - Parameters:
    ///   - refreshAt: When it should be replaced before it expires; `never` when it need not.
    ///   - expiresAt: From when on it is of no use.
    package mutating func refreshed(
        _ refresh: UInt64, refreshAt: Deadline = .never, expiresAt: Deadline = .never,
        now: Deadline
    ) -> [Action] {
        guard let ended = end(refresh) else { return [] }
        guard ended.credential == credential else { return restart(now) }
        replaceCredential(refreshAt: refreshAt, expiresAt: expiresAt)
        return release()
    }

    /// A refresh failed.
    ///
    /// After a refusal that is temporary the next call may try again; any other failure stands
    /// until there is a new credential.
    package mutating func refreshFailed(
        _ refresh: UInt64, _ failure: AuthFailure, now: Deadline
    ) -> [Action] {
        guard let ended = end(refresh) else { return [] }
        guard ended.credential == credential else { return restart(now) }
        if !isDead, now < expiresAt {
            // It was only meant to come early.
            refreshAt = expiresAt
            state = .valid
            return release()
        }
        isDead = true
        if case .refused(_, isTemporary: true) = failure { return giveUp(failure, .stale) }
        return giveUp(failure, .refused(failure, until: .never))
    }

    /// A refresh of the host's took too long.
    package mutating func refreshTimedOut(
        _ refresh: UInt64, milliseconds: Int64, now: Deadline
    ) -> [Action] {
        guard running?.number == refresh else { return [] }
        let failure = AuthFailure.timedOut(milliseconds: milliseconds)
        return [.abandon(refresh)] + refreshFailed(refresh, failure, now: now)
    }

    /// The host says that there is a new credential.
    package mutating func credentialChanged(
        refreshAt: Deadline = .never, expiresAt: Deadline = .never
    ) -> [Action] {
        guard state != .closed else { return [] }
        replaceCredential(refreshAt: refreshAt, expiresAt: expiresAt)
        // Its outcome is that of an older credential. Until it ends no other one starts.
        return (running.map { [.abandon($0.number)] } ?? []) + release()
    }

    /// Nothing goes out any more. Who waits is completed by the client.
    package mutating func close() -> [Action] {
        defer {
            state = .closed
            waiting = []
            running = nil
        }
        return running.map { [.abandon($0.number)] } ?? []
    }

    // MARK: Steps

    private mutating func die() {
        isDead = true
        isMissing = false
        if state == .valid { state = .stale }
    }

    private mutating func replaceCredential(refreshAt: Deadline, expiresAt: Deadline) {
        credential += 1
        isDead = false
        isMissing = false
        state = .valid
        self.refreshAt = refreshAt
        self.expiresAt = expiresAt
    }

    private mutating func startRefresh(_ now: Deadline) -> [Action] {
        // One of an older credential is still under way: this one starts when that has ended.
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
                max: settings.refreshesMax, windowMilliseconds: settings.windowMilliseconds)
            isDead = true
            return giveUp(failure, .refused(failure, until: until))
        }
        lastRefresh += 1
        running = Refresh(number: lastRefresh, credential: credential)
        state = .refreshing
        return [.refresh(lastRefresh)]
    }

    /// Forgets the refresh `number`; `nil` when that is not the one under way.
    private mutating func end(_ number: UInt64) -> Refresh? {
        guard let running, running.number == number, state != .closed else { return nil }
        self.running = nil
        return running
    }

    /// A refresh of an older credential has ended: who waits for the present one gets theirs.
    private mutating func restart(_ now: Deadline) -> [Action] {
        state == .refreshing ? startRefresh(now) : []
    }

    /// Who waits goes out, in the order of arrival.
    private mutating func release() -> [Action] {
        defer { waiting = [] }
        return waiting.sorted().map { .send($0, credential: credential) }
    }

    private mutating func giveUp(_ failure: AuthFailure, _ next: State) -> [Action] {
        defer { waiting = [] }
        state = next
        return waiting.sorted().map { .fail($0, failure) }
    }
}

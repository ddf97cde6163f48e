import RestwayThreads

/// Decides whether stored requests go out with the present credential.
///
/// After an answer that refuses the credential, nothing is sent with it any more. A request that
/// has already waited for this credential may be the only one that the server refuses. Then one
/// other request is sent: if the server accepts its credential, the first answer was a refusal of
/// the request.
///
/// It has no clock and no lock: `FlushMachine` gives it the results.
struct CredentialTrust: Equatable, Sendable {
    private enum State: Equatable {
        case untested
        /// The server has refused it for a request that had waited for it.
        case doubted
        /// The server has accepted it.
        case accepted
        /// Nothing is sent with it before `until`.
        case refused(until: Deadline)
    }

    /// A result that refuses the credential.
    enum Refusal: Equatable, Sendable {
        /// The server refused it.
        case byServer
        /// The server refused it again, for this request alone, after a change of the credential.
        case again
        /// There was none, so the request was not sent. Another attempt to get one may be made
        /// after this time.
        case missing(retryMilliseconds: Int64)
    }

    /// Counts the credentials. A result is about the credential with which the request was sent.
    private(set) var generation: UInt64 = 0
    private var state = State.untested

    /// Whether nothing may be sent.
    var isRefused: Bool {
        if case .refused = state { true } else { false }
    }

    /// The time at which a refused credential may be tried again; `nil` if it is not refused, or
    /// not before there is another one.
    var retryAt: Deadline? {
        if case .refused(let until) = state, until != .never { until } else { nil }
    }

    /// Whether the server has accepted this credential.
    func isAccepted(_ generation: UInt64) -> Bool {
        generation == self.generation && state == .accepted
    }

    /// There is another credential.
    mutating func changed() {
        generation += 1
        state = .untested
    }

    /// The program wants the present credential to be tried again.
    mutating func tryAgain() {
        if isRefused { state = .untested }
    }

    /// Tries the credential again if the time for that has come.
    mutating func timePassed(_ now: Deadline) {
        if let retryAt, retryAt <= now { state = .untested }
    }

    /// Takes the results of requests that were sent together.
    ///
    /// - Parameters:
    ///   - wasAccepted: Whether the server accepted the credential for one of them.
    ///   - hasOthers: Whether another request could show whether the server accepts it.
    mutating func take(
        _ refusals: [Refusal], wasAccepted: Bool, sentWith generation: UInt64, hasOthers: Bool,
        now: Deadline
    ) {
        guard generation == self.generation else { return }
        if wasAccepted, !isRefused { state = .accepted }
        guard !refusals.isEmpty else { return }
        if state == .untested, hasOthers, refusals.allSatisfy({ $0 == .again }) {
            state = .doubted
            return
        }
        let waits = refusals.map { refusal -> Deadline in
            guard case .missing(let milliseconds) = refusal else { return .never }
            return now.advanced(milliseconds: milliseconds)
        }
        state = .refused(until: waits.max() ?? .never)
    }
}

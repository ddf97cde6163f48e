import RestwayOutcome

/// The judgement of the stage `recover`: pure functions from an answer or a failure, and facts
/// about it, to what happens next. They call no other part and change nothing. `RecoverStage`
/// collects the facts before, and performs the judgement afterwards.
enum Judging {
    // MARK: Answers

    /// Facts about an answer whose body was decoded.
    struct AnswerFacts {
        /// Whether the request is safe (RFC 9110, section 9.2.1), so that it may be sent again
        /// after the server has answered it.
        var isSafe: Bool
        /// Why the body cannot be read; `nil` if it can.
        var damage: Failure?
        /// Whether the answer is a page of the network, as a captive portal shows it, to a request
        /// that the outbox may keep.
        var isPageOfNetwork: Bool
        /// Whether the status says that the request is done.
        var isDone: Bool
        /// Whether the status says that the object which the request deletes is gone already.
        var isGone: Bool
    }

    /// The judgement about an answer.
    enum AnswerVerdict {
        /// The answer is taken.
        case take
        /// The call fails because of the damage, which would be there again in the next answer.
        case fail(Failure)
        /// The body was damaged on its way, so that the request may be sent again.
        case sendAgain(Failure)
        /// The server has taken the request, but its answer cannot be read. The request must not be
        /// sent again by itself (RFC 9110, section 9.2.2).
        case takenUnread(Failure)
        /// The answer is not the server's. The request may be stored, but the network would answer
        /// it in the same way if it were sent again.
        case storeOnly
        /// The status says that the request has failed.
        case refused
    }

    static func judge(_ facts: AnswerFacts) -> AnswerVerdict {
        if facts.isSafe, let damage = facts.damage {
            return damage.reason.traits.isTemporary ? .sendAgain(damage) : .fail(damage)
        }
        if facts.isPageOfNetwork { return .storeOnly }
        guard facts.isDone else { return .refused }
        if let damage = facts.damage, !facts.isGone { return .takenUnread(damage) }
        return .take
    }

    // MARK: Failures

    /// The credential of the request after the failure.
    enum CredentialFact: Equatable, CaseIterable {
        /// The server has not refused the credential, or the request has no credential.
        case notRefused
        /// The server has refused the credential, and the client has no other.
        case refused
        /// The server has refused the credential, and the client has or can get a newer one.
        case renewable
    }

    /// Facts about a failure.
    struct FailureFacts: Equatable {
        var credential: CredentialFact
        /// Whether the body of the request can be sent again.
        var isRewindable: Bool
        /// Whether the outbox takes the request after this failure.
        var isStorable: Bool
        /// Whether the request may be sent again, and has a retry policy.
        var mayRetry: Bool
    }

    /// A recovery from a failure.
    enum Recovery: Equatable {
        /// The request is sent again with a newer credential.
        case replay
        /// The outbox takes the request.
        case store
        /// The request is sent again if its retry policy says so.
        case retry
    }

    /// Returns the recoveries to try after a failure, the best first. The caller tries them in this
    /// order until one succeeds: an outbox that closes takes no request, and a retry policy may
    /// refuse. If no recovery succeeds, the failure is final.
    static func recoveries(_ facts: FailureFacts) -> [Recovery] {
        if facts.credential == .renewable, facts.isRewindable { return [.replay] }
        return (facts.isStorable ? [.store] : []) + (facts.mayRetry ? [.retry] : [])
    }

    // MARK: Conflicts

    /// How the newest value of the server relates to a change.
    enum CellFact: Equatable, CaseIterable {
        /// The server has the value that the change gives.
        case isMine
        /// The server has the value that the change was made on.
        case isBase
        case isOther
    }

    /// Facts about a change that the server has refused, and about the newest object.
    struct ComparisonFacts {
        var isDelete: Bool
        /// The changed attributes and relationships; empty for a DELETE, and for a body of the
        /// program.
        var cells: [Int: CellFact]
        /// Whether the newest values of the server are known.
        var isKnown = false
        /// Whether the server has deleted the object.
        var isGone = false
        /// Whether the request changes these cells and nothing else.
        var changesOnlyCells = true
        /// Whether the program has written the body, which may change anything.
        var hasOwnBody = false
        /// Whether any value differs from those that the request has known.
        var othersDiffer = false
        /// Whether the library may send the request again by itself.
        var mayBeSent = false
        /// Whether the server may take the request with the version of the newest object.
        var hasUsableVersion = false
    }

    /// The judgement about a change that the server has refused.
    enum ComparisonVerdict: Equatable {
        /// The server has what the request asks for.
        case delivered
        /// The request is written and sent again, with the version of the newest object.
        case sendAgain
        case conflict(Conflict.Kind)
    }

    static func judge(_ facts: ComparisonFacts) -> ComparisonVerdict {
        if facts.isGone { return facts.isDelete ? .delivered : .conflict(.theyDeleted) }
        let kind: Conflict.Kind = facts.isDelete ? .iDelete : .attributes
        guard facts.isKnown else { return .conflict(kind) }
        if facts.changesOnlyCells, !facts.cells.isEmpty,
            facts.cells.values.allSatisfy({ $0 == .isMine })
        {
            return .delivered
        }
        let differs =
            facts.isDelete || facts.hasOwnBody
            ? facts.othersDiffer : facts.cells.values.contains(.isOther)
        if differs || !facts.mayBeSent || !facts.hasUsableVersion { return .conflict(kind) }
        return .sendAgain
    }
}

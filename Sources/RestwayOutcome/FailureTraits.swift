/// The meaning of a failure without an answer: for its request, for the server, and for other
/// calls.
///
/// No other table says this. Retries, the cache, event streams, the outbox and the check whether
/// the server can be reached read their column here, and nothing else classifies reasons.
/// `docs/ERRORS.md` has the same table for users. What an answer means stands in `AnswerMeaning`.
package struct FailureTraits: Equatable, Sendable {
    /// Which retry policies send the request again.
    package enum Retry: Equatable, Sendable {
        /// Every policy that does not list errors of its own. The failure is temporary.
        case usual
        /// A policy that lists the error. It may be permanent, as a wrong certificate is.
        case ifListed
        /// `AnswerMeaning` decides, because the server has answered.
        case byAnswer
        case never
    }

    /// Which kept answer stands in for the answer that is missing.
    package enum StandIn: Equatable, Sendable {
        /// Any answer of a route that is read offline, however old, and any answer within its
        /// `staleIfError`.
        case offline
        /// An answer within its `staleIfError`. The server could be reached.
        case onError
        /// As `onError`, if the status says that the server has failed.
        case byStatus
        case never
    }

    /// Whether the outbox stores the request of a call.
    package enum Storing: Equatable, Sendable {
        case always
        /// If the failure is retryable. A credential, or an answer in a batch, may come later.
        case ifRetryable
        /// If the statuses of the outbox or the retry policy of the call say so. The server has
        /// answered, and the program should hear of an answer that will not change.
        case byRules
        case never
    }

    /// The consequence of the failure for an item of the outbox.
    package enum Item: Equatable, Sendable {
        /// It stays, and so do all other items until its next attempt, which meets the same server.
        case waits
        /// It stays, if the failure is retryable. Otherwise it needs another credential.
        case byCredential
        /// Its answer decides. Without an answer it is a dead letter, because what it needs cannot
        /// be read or written.
        case byAnswer
        /// It is as it was, because the attempt was ended by this process.
        case untouched
    }

    /// Whether the failure of a batch call shows that the server can be reached but did not take
    /// the batch, so that the requests may go out one by one.
    package enum Batch: Equatable, Sendable {
        case refused
        /// If the server has answered. A mapper may have broken its contract, or a transport.
        case refusedIfAnswered
        case other
    }

    package let retry: Retry
    /// Whether the failure shows that the server cannot be reached.
    package let isUnreachable: Bool
    /// Whether the server may have got the request in the failed exchange.
    package let mayHaveArrived: Bool
    package let standIn: StandIn
    /// Whether it is the failure of all calls that share the exchange, and not of what one call has
    /// asked for, as a time limit is.
    package let isOfExchange: Bool
    /// Whether an event stream is opened again. It goes on behind its last event, so that a
    /// connection that breaks a rule of HTTP does no harm.
    package let reopensStream: Bool
    package let storing: Storing
    package let item: Item
    package let batch: Batch

    /// The default values are right for an error that comes back however often the request
    /// is sent.
    fileprivate init(
        retry: Retry = .never, isUnreachable: Bool = false, mayHaveArrived: Bool = true,
        standIn: StandIn = .never, isOfExchange: Bool = false, reopensStream: Bool = false,
        storing: Storing = .never, item: Item = .byAnswer, batch: Batch = .other
    ) {
        self.retry = retry
        self.isUnreachable = isUnreachable
        self.mayHaveArrived = mayHaveArrived
        self.standIn = standIn
        self.isOfExchange = isOfExchange
        self.reopensStream = reopensStream
        self.storing = storing
        self.item = item
        self.batch = batch
    }

    /// Whether the same request may succeed later.
    package var isTemporary: Bool { retry == .usual }
}

extension Failure.Reason {
    package var traits: FailureTraits {
        switch self {
        // MARK: No answer came
        case .resolve, .connect:
            FailureTraits(
                retry: .usual, isUnreachable: true, mayHaveArrived: false, standIn: .offline,
                isOfExchange: true, reopensStream: true, storing: .always, item: .waits)
        case .tls:
            // A network that wants a login shows its own certificate, so the request is kept. But a
            // certificate seldom becomes right by itself, so nothing tries it again at once.
            FailureTraits(
                retry: .ifListed, isUnreachable: true, mayHaveArrived: false, standIn: .offline,
                isOfExchange: true, storing: .always, item: .waits)
        case .connectionLost:
            FailureTraits(
                retry: .usual, isUnreachable: true, standIn: .offline, isOfExchange: true,
                reopensStream: true, storing: .always, item: .waits)
        case .timedOut:
            FailureTraits(
                retry: .usual, isUnreachable: true, standIn: .offline, reopensStream: true,
                storing: .always, item: .waits)
        case .noResources:
            // Nothing was sent, and this says nothing about the server.
            FailureTraits(
                retry: .usual, mayHaveArrived: false, standIn: .offline, isOfExchange: true,
                reopensStream: true, storing: .always, item: .waits)
        case .protocolViolation:
            FailureTraits(
                retry: .ifListed, standIn: .onError, isOfExchange: true, reopensStream: true,
                storing: .byRules, item: .waits)

        // MARK: An answer came that cannot be taken
        case .tooLarge: FailureTraits(isOfExchange: true)
        case .tooManyRedirects, .noObject: FailureTraits()
        case .http:
            FailureTraits(
                retry: .byAnswer, standIn: .byStatus, storing: .byRules, batch: .refused)
        case .mapping: FailureTraits(batch: .refused)
        case .batch: FailureTraits(storing: .ifRetryable, batch: .refused)

        // MARK: This process
        case .auth:
            FailureTraits(mayHaveArrived: false, storing: .ifRetryable, item: .byCredential)
        case .store: FailureTraits(item: .waits)
        case .plugin: FailureTraits(batch: .refusedIfAnswered)
        case .closed, .cancelled, .outOfMemory: FailureTraits(item: .untouched)
        // A redirect can lead to a URL that is not valid.
        case .internal, .io, .invalidURL, .interrupted, .queued, .outbox: FailureTraits()

        // MARK: Nothing was sent, because the program or the document is wrong
        case .invalidArgument, .wouldBlock, .forked, .frozen, .unknownEntity, .unknownAttribute,
            .config, .duplicate, .unknownEnvironment, .unknownRoute, .ambiguousRoute,
            .missingVariable, .methodNotAllowed:
            FailureTraits(mayHaveArrived: false)
        }
    }
}

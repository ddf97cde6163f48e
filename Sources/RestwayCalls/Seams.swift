package import RestwayDocument
package import RestwayHTTP
package import RestwayObjects
package import RestwayOutcome
package import RestwayRequests
package import RestwayThreads

// The seams of the stages: the parts of a call that other modules perform. `RestwayClient` joins
// them.

// MARK: Credentials

/// Gives calls their credentials. `RestwayAuth` implements it; a client has one.
///
/// Every function may be called on any thread, and several at the same time. The program is asked
/// only on a worker.
package protocol CredentialSource: AnyObject, Sendable {
    /// False while the client uses no authentication. Calls then skip it.
    var concernsCalls: Bool { get }
    /// Whether the program is asked what a failed answer means.
    var asksAboutFailures: Bool { get }
    /// Whether a function of the program changes requests before they are sent. It may sign in
    /// another user at any time.
    var isAskedToAuthorize: Bool { get }
    /// The user in whose name requests go now; `nil` if the credential does not tell.
    var userName: String? { get }

    /// Asks whether a call may go out. `waiter` is called once, now or later and on any thread,
    /// unless the call leaves.
    ///
    /// - Parameter place: This thread.
    func arrive(_ call: UInt64, on place: Executor, _ waiter: @escaping CredentialWaiter)
    /// Reports that a server refused the credential of a call. Returns false if the refusal is the
    /// final answer of the call. Otherwise the call may be sent again, and then asks with `arrive`
    /// for the newer credential.
    ///
    /// - Parameter replays: How often the call was sent again for this reason.
    func refuse(sentWith credential: UInt64, replays: Int) -> Bool
    /// Removes a call that has ended from the waiting calls.
    func leave(_ call: UInt64)

    /// Returns the permit of a call that neither waits nor is replayed.
    func bypass() -> Permit
    func mayUse(_ permit: Permit) -> Bool
    /// Puts the credential into an exchange. It may ask the program, so it runs on a worker if the
    /// permit has a function.
    func authorize(_ exchange: inout Exchange, with permit: Permit) -> Failure?
    /// Whether a failed answer says that the credential is no longer valid. It may ask the program.
    func isRefusal(_ failure: Failure) -> Bool
}

/// Receives the answer for a call that asked for a credential. `place` is the thread on which it is
/// called.
package typealias CredentialWaiter =
    @Sendable (_ answer: CredentialAnswer, _ place: Executor) -> Void

/// The answer to a call that asked to go out.
///
/// It is indirect because several functions pass it on. Also, valgrind reports the tag of a large
/// enum, which lies in padding, as uninitialized.
package indirect enum CredentialAnswer: Sendable {
    case go(Permit)
    case fail(Failure)
}

/// The credential and the function with which a call goes out.
package struct Permit: Sendable {
    /// Changes an exchange before it is sent; a failure completes the call. It is a question.
    package typealias Authorize = @Sendable (inout Exchange) -> Failure?

    /// The number of the credential, by which a refusal names it.
    package let credentialNumber: UInt64
    package let credential: Credential
    package let authorize: Authorize?

    package init(credentialNumber: UInt64, credential: Credential, authorize: Authorize?) {
        self.credentialNumber = credentialNumber
        self.credential = credential
        self.authorize = authorize
    }
}

// MARK: Retries

/// Decides whether a request is sent again. `RestwayPacing` implements it; a client has one.
///
/// Every function may be called on any thread, and returns at once.
package protocol RetryDecider: AnyObject, Sendable {
    /// Returns the policy that the program has set or, if the program has set no policy, the
    /// document's.
    func policy(of api: LoadedAPI) -> RetryPolicy?
    func decide(
        _ policy: RetryPolicy, _ outcome: RetryOutcome, after attempt: RetryPolicy.Attempt,
        to url: String
    ) -> RetryDecision
    /// Records a successful exchange.
    func succeeded(_ url: String, afterRetry: Bool)
}

/// The decision about a call whose attempt failed.
package enum RetryDecision: Equatable, Sendable {
    package enum Reason: String, Equatable, Sendable {
        case notTemporary = "the failure is not temporary"
        case attemptsUsed = "all attempts are used"
        case unsafeMethod = "the request is not safe to repeat"
        case bodyCannotRewind = "the body cannot be sent twice"
        case budgetUsed = "the origin's retry budget is used up"
        case deadline = "the deadline of the call would pass"
        case retryAfterTooLong = "the server asks to wait longer than allowed"
    }

    case retry(afterMilliseconds: Int64)
    case stop(Reason)
}

extension RetryPolicy {
    /// An attempt that may be followed by another attempt.
    package struct Attempt: Sendable {
        /// The number of the attempt; 1 for the first.
        package var number: Int
        package var method: String
        package var hasIdempotencyKey: Bool
        package var isRewindable: Bool
        /// The time since the call started.
        package var elapsedMilliseconds: Int64

        package init(
            number: Int, method: String, hasIdempotencyKey: Bool = false,
            isRewindable: Bool = true, elapsedMilliseconds: Int64 = 0
        ) {
            self.number = number
            self.method = method
            self.hasIdempotencyKey = hasIdempotencyKey
            self.isRewindable = isRewindable
            self.elapsedMilliseconds = elapsedMilliseconds
        }
    }
}

// MARK: Rates

/// Lets requests wait until the rate of their origin admits them. `RestwayPacing` implements it; a
/// client has one.
///
/// Every function may be called on any thread, and returns at once.
package protocol RateGate: AnyObject, Sendable {
    /// False while no rate is limited. Calls then skip the stage.
    var concernsCalls: Bool { get }
    /// Asks whether a call may send its request to the origin of `url`. If it has to wait, `waiter`
    /// is called once on a worker, unless the call leaves before.
    func arrive(
        _ call: UInt64, at url: String, priority: Int32, deadline: Deadline,
        _ waiter: @escaping @Sendable () -> Void
    ) -> RateAnswer
    /// The call no longer waits, or its exchange has ended with the answer `head`. It may be called
    /// again, and for a call that never came.
    func leave(_ call: UInt64, _ head: ResponseHead?)
}

/// The answer to a call that wants to send its request.
package enum RateAnswer: Equatable, Sendable {
    case go
    case wait
    /// No request may go for this long, which is longer than the call's time limit.
    case tooLate(milliseconds: Int64)
}

// MARK: Batches

/// The place of one call in a batch, which is sent in another call. `RestwayBatch` implements it.
///
/// Every function may be called on any thread.
package protocol BatchPlace: AnyObject, Sendable {
    /// The call is ready to go out. The place gives the answer to `recorder`, on a worker, unless
    /// the call ends before. This throws if a batch cannot hold the request.
    func send(_ request: PreparedRequest, to recorder: ExchangeRecorder) throws(Failure)
    /// The call waits for its lane in the outbox, so that the batch must not wait for it.
    func stepAside()
    /// Tells that the call has ended, once for each call. The threads that wait for the call have
    /// been woken before; the program is told later.
    func ended(_ outcome: Call.Outcome)
}

/// Several requests that are sent in as few calls as possible. `RestwayBatch` implements it, and
/// the outbox sends stored requests with it.
///
/// Every function may be called on any thread.
package protocol RequestBatch: AnyObject, Sendable {
    /// Adds a request whose end is reported to `follower` in place of the program. If this throws,
    /// nothing was added.
    func add(
        _ spec: RequestSpec, follower: @escaping @Sendable (Call.Outcome) -> Void
    ) throws(Failure)
    /// Sends the requests that were added.
    ///
    /// - Parameter place: This thread. A worker makes the batch call itself.
    func send(on place: Executor) throws(Failure)
    /// Ends every request that has not completed.
    func cancel()
}

/// One request of a batch, as it appears in the body of the batch call.
package struct BatchItem: Equatable, Sendable {
    package var method: String
    /// The URI relative to the base URL, with a leading slash. Parameters of a GET are in its
    /// query.
    package var uri: String
    /// The item's own headers. The headers of the batch call apply to all items.
    package var headers: [HeaderField]
    /// The body; `nil` for a request without a body.
    package var body: [UInt8]?

    package init(
        method: String, uri: String, headers: [HeaderField] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.uri = uri
        self.headers = headers
        self.body = body
    }
}

/// A server's answer to one request of a batch.
package struct BatchAnswer: Equatable, Sendable {
    /// The status codes of a final answer. An interim answer does not count.
    package static let codes = 200...599

    package var code: Int
    package var headers: [HeaderField]
    package var body: [UInt8]

    package init(code: Int, headers: [HeaderField] = [], body: [UInt8] = []) {
        self.code = code
        self.headers = headers
        self.body = body
    }
}

// MARK: The outbox

/// A function of the program that decides conflicts. It chooses in the conflict that it is given.
/// An attribute that it leaves without a choice is parked, and so is everything if it fails.
package typealias ConflictResolver = @Sendable (Conflict) throws(HostRefusal) -> Void

/// Stores requests that cannot be sent now. The outbox implements it; a client has at most one.
package protocol RequestStorage: AnyObject, Sendable {
    /// The section of the API document that says which requests may be stored.
    var definition: OutboxDefinition { get }
    /// Returns the identities that one request uses.
    func identities() -> any LocalIdentities
    /// The server has given an object another identity. Stored requests hold the new identity from
    /// now on, in their paths, their lanes and the bodies that were written from objects. It may
    /// write the file.
    ///
    /// - Parameter key: The idempotency key of the request whose answer says so, which stays as it
    ///   is; `nil` if it has none.
    func rename(
        _ entity: Entity, from old: Identity, to new: Identity, besides key: String?
    ) throws(Failure)
    /// An exchange has shown that the server can be reached again.
    func exchangeWentWell()
    /// The client was closed and its last call has ended.
    func end()
}

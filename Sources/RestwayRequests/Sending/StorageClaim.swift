package import RestwayDocument
package import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
package import RestwayThreads

// The seams between requests and the outbox, which implements them.

/// A request that may be stored, as it was prepared.
package struct StorableRequest {
    package let spec: RequestSpec
    package let destination: RequestDestination
    package let settings: RouteSettings
    package let content: RequestContent
    /// The retry policy of the route or the client. The outbox takes its place.
    package let retry: RetryPolicy?
    /// Whether the request is stored before it is sent.
    package let isStoredFirst: Bool
}

/// The identities that one request uses for objects that the server may not have named yet: their
/// present identities or, for objects without an identity, local identities of the outbox.
///
/// Only the thread that prepares the request uses it.
package protocol LocalIdentities: AnyObject {
    /// Why the request cannot go out as it is; `nil` while it uses no local identity.
    var missing: Failure? { get }
    /// Returns the claim of a request that used these identities; `nil` if it cannot be stored.
    ///
    /// - Parameter idempotencyKey: The key that the request has; `nil` if the claim makes one.
    func claim(
        _ request: StorableRequest, _ api: LoadedAPI, idempotencyKey: String?
    ) -> (any StorageClaim)?
    /// Returns the value for an attribute of the identity of an object that a path names.
    func valueInPath(_ entity: Entity, _ storeKey: Int64, attribute: Int) -> Value?
    /// Notes that the request holds the present identity of an object, which the server may not
    /// have yet.
    func noteNamed(_ entity: Entity, _ storeKey: Int64)
    func value(_ entity: Entity, _ storeKey: Int64) -> IdentityForNow?
    /// Returns the identity of an object that is written whole inside another object.
    func valueInside(_ entity: Entity, _ storeKey: Int64) -> IdentityForNow?
    /// Returns the identity of the object that the request is about.
    ///
    /// - Parameters:
    ///   - mayCreate: Whether the method can create objects.
    ///   - mayWait: Whether the request can be stored until the server has named the object.
    func valueOutermost(
        _ entity: Entity, _ storeKey: Int64, mayCreate: Bool, mayWait: Bool
    ) -> IdentityForNow?
}

/// The claim of one request to be stored, and its place in a lane of the outbox.
///
/// Every function may be called on any thread. A function that reads or writes the file says so.
package protocol StorageClaim: AnyObject, Sendable {
    var idempotencyKey: String { get }
    /// The request from which this one is prepared again when its turn comes; `nil` if it need not
    /// be.
    var deferred: RequestSpec? { get }
    /// Whether the request is stored before it is sent.
    var isStoredFirst: Bool { get }
    /// Whether the call may wait for the answer of the stored request.
    var mayBeFollowed: Bool { get }

    /// Notes the local identity of the object that a call is about to create. Preparing a request
    /// notes nothing.
    func adopt(_ request: PreparedRequest)
    /// Shows in the store what the request of a call changes, before it is sent or stored. It may
    /// write a file.
    func show(_ request: PreparedRequest) throws(Failure) -> OptimisticEdit
    /// The call has ended. Its edit ends, too, unless the outbox has stored the request with it.
    func endShowing(_ edit: OptimisticEdit)
    /// Adds a call to its lane. Returns whether it is the first of the lane; if not, `go` runs
    /// once, on the thread that it is given, when the call becomes the first.
    func enterLane(_ call: UInt64, go: @escaping @Sendable (Executor) -> Void) -> Bool
    /// Removes a call from its lane, if it is there, and lets the next call of the lane go.
    func leaveLane(_ call: UInt64)
    /// Returns why the first request of a lane is stored if this is known without reading the file;
    /// otherwise `nil`.
    func reasonToStoreAtOnce(_ request: PreparedRequest) -> String?
    /// Returns why the first request of a lane is stored; `nil` if it is sent. It may read the
    /// file.
    func reasonToStore() throws(Failure) -> String?
    /// Deletes an object that never left this machine, and its stored requests, without asking the
    /// server. Returns `nil` if the server may know the object. It may write the file.
    func withdraw(_ request: PreparedRequest) throws(Failure) -> Answer?

    /// Whether the request is stored after this failure.
    func takes(_ failure: Failure) -> Bool
    /// Counts the request as being stored if `judge` returns true. A close of the client
    /// waits for the counted requests.
    func beginStoring(if judge: () -> Bool) -> Bool
    /// The client was closed while the call waits in its lane: a close waits until the call has
    /// left the lane, if `isInLane` says that the call still has to leave it.
    func awaitTurn(_ call: UInt64, if isInLane: () -> Bool)
    /// Stores a request that was counted, and then calls `ended` once.
    func store(_ order: StoringOrder, _ ended: @escaping @Sendable (StoringResult) -> Void)

    // A request whose call waits for the answer:

    /// Has the outbox send the request when its turn comes. `ended` is called once with the answer,
    /// or with `queued` if the request cannot be delivered now, unless the call lets go before.
    func follow(_ item: Int64, _ ended: @escaping @Sendable (Result<Response, Failure>) -> Void)
    /// Whether the item is on its way to the server, with the time limits of its own call.
    func isOnItsWay(_ item: Int64) -> Bool
    /// The call no longer waits for the answer. The item stays in the outbox.
    func letGo(_ item: Int64)
    /// The program has cancelled the call. The item is dropped if it was never sent, and `ended` is
    /// called with the failure of the call when that is on the disk.
    func cancel(
        _ item: Int64, of call: UInt64, title: String,
        _ ended: @escaping @Sendable (Failure) -> Void)
}

/// The result of storing a request.
package enum StoringResult: Sendable {
    /// The call ends: with `queued` if the request is durable, or with the reason why it could not
    /// be stored.
    case ended(Failure)
    /// The request is durable as the item with this number, and the call goes on with it.
    case kept(Int64)
}

/// A request that the outbox is to store.
package struct StoringOrder: Sendable {
    /// The reason why a request is stored.
    package enum Cause: Sendable {
        /// It is stored before it is sent, and the call waits for the answer.
        case first
        /// It was not sent.
        case notSent
        /// An attempt has failed.
        case failed(Failure)
        /// Its object has changed at the server. The outbox compares and sends it, and the call
        /// waits for the answer.
        indirect case conflict(ConflictReport)
        /// The client was closed.
        case closed(mayHaveArrived: Bool)
    }

    /// Whether the call waits for the answer.
    package var isFollowed: Bool {
        switch cause {
        case .first, .conflict: true
        case .notSent, .failed, .closed: false
        }
    }

    /// The number of the call.
    package let call: UInt64
    /// The method and the URL of the call, for messages.
    package let title: String
    /// The request before any redirect.
    package let request: PreparedRequest
    package let claim: any StorageClaim
    package var cause: Cause
    /// A text for people that says why the request is stored.
    package let reason: String
    /// The thread that stores it. A thread that waits for the call may wait for the file, too.
    package let place: Executor
    /// The edit of the call, if the store shows what the request changes.
    package let optimistic: OptimisticEdit?

    package init(
        call: UInt64, title: String, request: PreparedRequest, claim: any StorageClaim,
        cause: Cause, reason: String, place: Executor, optimistic: OptimisticEdit? = nil
    ) {
        self.call = call
        self.title = title
        self.request = request
        self.claim = claim
        self.cause = cause
        self.reason = reason
        self.place = place
        self.optimistic = optimistic
    }
}

/// A request that was stored and goes out now.
package protocol StoredItem: Sendable {
    /// Prepares the request with the present headers of the document.
    func prepare(
        _ spec: RequestSpec, by preparation: RequestPreparation
    ) throws -> PreparedRequest
}

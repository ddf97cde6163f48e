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

    /// Notes the local identity of the object that a call is about to create. Preparing a request
    /// notes nothing.
    func adopt(_ request: PreparedRequest)
    /// Shows in the store what the request of a call changes, before it is sent or stored. It may
    /// write a file.
    func show(_ request: PreparedRequest) throws(Failure) -> OptimisticEdit
    /// The call has ended, and so has its edit, unless it is that of an item now.
    func endShowing(_ edit: OptimisticEdit)
    /// Adds a call to its lane. Returns whether it is the first of the lane; if not, `go` runs
    /// once, on any thread, when it becomes the first.
    func enterLane(_ call: UInt64, go: @escaping @Sendable () -> Void) -> Bool
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
    /// Counts the request as being stored if `judge` returns true. A close of the client waits for
    /// the counted requests.
    func beginStoring(if judge: () -> Bool) -> Bool
    /// Stores a request that was counted, and then calls `ended` once: with `queued` if the request
    /// is durable, or with the reason why it could not be stored.
    func store(_ order: StoringOrder, _ ended: @escaping @Sendable (Failure) -> Void)
}

/// A request that the outbox is to store.
package struct StoringOrder: Sendable {
    /// The number of the call.
    package let call: UInt64
    /// The method and the URL of the call, for messages.
    package let title: String
    /// The request before any redirect.
    package let request: PreparedRequest
    package let claim: any StorageClaim
    /// The failure of the attempt; `nil` if the request was not sent.
    package let failure: Failure?
    /// A text for people that says why the request is stored.
    package let reason: String
    /// The thread that stores it. A thread that waits for the call may wait for the file, too.
    package let place: Executor
    /// The edit of the call, if the store shows what the request changes.
    package let optimistic: OptimisticEdit?

    package init(
        call: UInt64, title: String, request: PreparedRequest, claim: any StorageClaim,
        failure: Failure?, reason: String, place: Executor, optimistic: OptimisticEdit?
    ) {
        self.call = call
        self.title = title
        self.request = request
        self.claim = claim
        self.failure = failure
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

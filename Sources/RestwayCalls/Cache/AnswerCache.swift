package import RestwayHTTP
package import RestwayOutcome
package import RestwayRequests

/// The response cache: it keeps answers and gives them again in place of the server. `RestwayCache`
/// implements it; a client has at most one.
///
/// Every function may be called on any thread. A function that may wait for the file says so.
package protocol AnswerCache: AnyObject, Sendable {
    /// The owner of the entries for requests that start now. Its holder changes when the program
    /// sets another credential, and not when the library refreshes one.
    var owner: EntryOwner { get }
    /// The number of the last removal of entries.
    var lastRemoval: Int64 { get }

    /// Asks only what is in memory; `nil` if the answer may be in the file.
    ///
    /// - Parameter isOffline: Whether the program says that the server cannot be reached, and the
    ///   route may be read offline. An answer is then given however old it is, and without one the
    ///   request is sent all the same.
    func findInMemory(_ request: PreparedRequest, isOffline: Bool) -> CacheFinding?
    /// Asks memory and the file. It may wait for the file.
    func find(_ request: PreparedRequest, isOffline: Bool) -> CacheFinding
    /// Takes note of the answer to a request for which the cache was not asked, for example an
    /// unsafe request. The answer may make entries invalid (RFC 9111, section 4.4), and the answer
    /// to a POST may be kept for GET (RFC 9110, section 9.3.3). This may wait for the file.
    func observed(_ answer: Answer, to request: PreparedRequest)
    /// Removes the entries for the URL of a request, because the rules of the request, or the
    /// program, have refused an answer that the cache has kept or given.
    func refused(_ request: PreparedRequest)
}

/// The reply of the cache to a request.
package indirect enum CacheFinding: Sendable {
    /// The answer, without an exchange.
    case answer(Answer)
    /// The answer, which is stale, and a request that brings a newer one in the background.
    case staleAnswer(Answer, refresh: any CacheTicket)
    /// The server is asked. The ticket takes its answer.
    case send(any CacheTicket)
    /// There is no answer, and the server must not be asked.
    case nothing
}

/// One exchange that the cache knows of, from the lookup in the cache to the answer.
package protocol CacheTicket: AnyObject, Sendable {
    /// The header fields that make the request conditional, and the fields that tell other caches
    /// how they may answer.
    var conditions: [HeaderField] { get }
    /// Requests with equal keys can share one exchange; `nil` if this request cannot share. The key
    /// changes after an invalidation, so that a request shares no exchange that was sent before.
    var flightKey: FlightKey? { get }
    /// Notes that the exchange is about to be sent. The age of the answer counts from this time.
    func noteSent()
    /// Takes an answer of the server, and keeps it if it may be kept. This is called for each
    /// attempt of the request, and may wait for the file.
    ///
    /// The body of a download is in `saved.content`, whose descriptor is valid until this returns;
    /// a cache that reads it later duplicates it. If `saved` has no `content`, the body cannot be
    /// read, and the answer cannot be kept. The answer always describes the whole body, also if the
    /// download went on from a part.
    ///
    /// - Returns: The answer of the call, with `Cache-Status` and `isShareable`: the kept answer
    ///   after a 304, otherwise the same answer.
    func answered(_ answer: Answer) -> Answer
    /// Returns the answer of another exchange for the request of this ticket, which has waited for
    /// that exchange; see `Answer.shared`.
    func shared(_ answer: Answer) -> Answer
    /// Returns the kept answer that stands in for a failure; `nil` if the failure stands. It may
    /// wait for the file.
    func failed(_ failure: Failure) -> Answer?
}

/// The seam that performs exchanges. All functions may be called from any thread, also from inside
/// an observer, and never block, but for `drive`.
package protocol Transport: AnyObject, Sendable {
    /// Whether it tells whoever made it when all exchanges that came together have completed.
    /// `false` unless declared.
    var tellsRounds: Bool { get }

    /// Starts `exchange`, or queues it; `observer` is kept until it was told of the completion.
    ///
    /// After `close` the observer is told `.closed` on the caller's thread, before this returns.
    func start(_ exchange: Exchange, observer: any ExchangeObserver) -> ExchangeID

    /// Ends an exchange: it completes with `.cancelled`, unless it completed before or completes
    /// meanwhile. An unknown id is fine.
    func cancel(_ id: ExchangeID)

    /// Goes on with an exchange whose observer answered `.pause`. May come before that answer. An
    /// unknown id is fine.
    func resume(_ id: ExchangeID)

    /// Lends the calling thread, which waits for an exchange whose observer `isAwaited`, to the
    /// transport: it performs what there is to do. Unlike the others this blocks, as long as
    /// `isWanted`, which is asked again when the exchange has completed or was cancelled. It may
    /// return earlier, or at once: then the transport gets on by itself.
    func drive(while isWanted: () -> Bool)

    /// Running and queued exchanges complete with `.closed`, and so does every later start. Closing
    /// twice is fine. A transport whose last reference goes away closes itself.
    func close()
}

extension Transport {
    package var tellsRounds: Bool { false }
    package func resume(_ id: ExchangeID) {}
    package func drive(while isWanted: () -> Bool) {}
}

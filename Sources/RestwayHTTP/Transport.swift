/// The interface that performs exchanges. All functions may be called from any thread, also inside
/// an observer call, and never block. `drive` is the exception.
package protocol Transport: AnyObject, Sendable {
    /// Starts `exchange`, or queues it. `observer` is kept until it has received the completion.
    ///
    /// After `close` the observer receives `.closed` on the caller's thread, before this returns.
    func start(_ exchange: Exchange, observer: any ExchangeObserver) -> ExchangeID

    /// Ends an exchange. It completes with `.cancelled`, unless it has already completed or
    /// completes at the same time. An unknown id is ignored.
    func cancel(_ id: ExchangeID)

    /// Resumes an exchange whose observer replied `.pause`. It may be called before that reply. An
    /// unknown id is ignored.
    func resume(_ id: ExchangeID)

    /// Lends the calling thread to the transport, which performs its work there. The thread waits
    /// for an exchange whose observer `isAwaited`. Unlike the other functions this blocks, while
    /// `isWanted` returns true; it is called again when the exchange has completed or was
    /// cancelled. `drive` may return earlier, or at once: then the transport works by itself.
    func drive(while isWanted: () -> Bool)

    /// Closes the transport. Running and queued exchanges and every later start complete with
    /// `.closed`. Closing twice is allowed. A transport closes itself when its last reference is
    /// released.
    func close()
}

extension Transport {
    package func resume(_ id: ExchangeID) {}
    package func drive(while isWanted: () -> Bool) {}
}

import RestwayCalls

/// A function that the outbox calls, and the function that ends its context afterwards.
struct OutboxReceiver: Sendable {
    let told: OutboxObserver.Told
    let end: @Sendable () -> Void

    func notice(
        _ kind: GroupNotice.Kind, _ requests: StoredRequests, _ token: UInt64
    ) -> Notice {
        .group(
            GroupNotice(
                kind, token: token, failure: requests.failure,
                payload: { told.payload(requests) }, told: { told.run(requests) }, ended: end))
    }
}

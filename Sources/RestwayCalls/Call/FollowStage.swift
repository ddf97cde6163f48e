import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayThreads

/// The stage in which the outbox sends a request that it has stored first, and the call waits for
/// the answer.
enum FollowStage {
    static func enter(_ entry: StageEntry, _ item: Int64, _ claim: any StorageClaim) {
        let call = entry.call
        // The request does not go out with the others of its batch.
        call.state.withLock { $0.resources.batchPlace }?.stepAside()
        claim.follow(item) { entry.report(.answeredItem($0), on: .worker) }
        watchDeadline(entry, item, claim)
    }

    /// Ends the wait of the call when its time limit has passed and the item is not on its way. The
    /// call of an item that is on its way has time limits of its own.
    private static func watchDeadline(
        _ entry: StageEntry, _ item: Int64, _ claim: any StorageClaim
    ) {
        let (call, now) = (entry.call, entry.context.clock.now())
        let deadline = entry.request.deadline(from: now, of: call.started)
        guard deadline != .never, entry.isCurrent else { return }
        entry.schedule(at: deadline) {
            guard !claim.isOnItsWay(item) else { return }
            let limit = entry.request.statedTimeouts.totalText
            let failure = Failure.timedOut("\(call.description) timed out: \(limit)")
            entry.report(.interrupted(failure), on: .worker)
        }
    }
}

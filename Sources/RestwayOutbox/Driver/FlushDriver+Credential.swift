import RestwayDocument
import RestwayOutcome
import RestwayThreads

/// Waits for another credential, and lets other processes send with theirs.
extension FlushDriver {
    /// Flushes because the program has set another credential. Items that have waited for it go out
    /// at once.
    func credentialChanged() {
        state.withLock { $0.machine.credentialChanged() }
        if !isRuledOut { flush(.eager) }
    }

    /// Flushes if the items wait for the credential that a refresh has brought.
    func credentialWasRenewed() {
        let now = around.clock.now()
        let isAwaited = state.withLock { $0.machine.awaitsCredential(now) }
        if isAwaited { credentialChanged() }
    }

    var awaitsCredential: Bool {
        let now = around.clock.now()
        return state.withLock { $0.machine.awaitsCredential(now) }
    }

    static let awaitsCredentialFailure = Failure(
        .auth, "the stored requests wait for another credential, because the last one was refused")

    /// Lets another process send the items that this client may not send: those of another user,
    /// and all of them when its credential was refused. The other process may have the credential.
    func letOthersSend() {
        let holdsOthers = (try? journal.holdsItemsOfOthers()) == true
        let now = around.clock.now()
        state.withLock { state in
            let awaits = state.machine.awaitsCredential(now)
            // No flush begins meanwhile, so no thread is between becoming the sender and taking.
            guard awaits || holdsOthers, state.machine.isIdle, !state.machine.isActive
            else { return }
            journal.resignAtRest()
            // The ends of items that another process delivers are noticed by looking at the file.
            if awaits { state.machine.isSentByAnother = true }
        }
    }

    /// Whether an item of another lane could show whether the server accepts the credential that it
    /// has refused for these items.
    func holdsOthers(besides results: [AttemptResult]) -> Bool {
        let refused = results.filter { $0.attempt.refusal == .again }
        guard !refused.isEmpty, definition.order.isStrict == false else { return false }
        let lanes = Set(refused.map { $0.item.entry.lane })
        return (try? journal.holdsReadyItem(besides: lanes)) == true
    }
}

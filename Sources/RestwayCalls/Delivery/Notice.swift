package import RestwayOutcome

/// A callback that tells the program something.
///
/// The cases hold classes, so that a queue moves one word and valgrind sees no uninitialized bits.
package enum Notice: Sendable {
    /// A call has completed.
    case completion(CompletionNotice)
    /// The store has changed.
    case changes(ChangeNotice)
    /// A call has made progress.
    case progress(ProgressNotice)
    /// An attempt of a call has ended, and another one follows.
    case attempt(AttemptNotice)
    /// A batch session has completed, or something has happened in the outbox.
    case group(GroupNotice)

    /// Calls the function of the program. Returns false if the notice is no longer wanted.
    package func run() -> Bool {
        switch self {
        case .completion(let notice): notice.run()
        case .changes(let notice): return notice.run()
        case .progress(let notice): return notice.run()
        case .attempt(let notice): notice.run()
        case .group(let notice): notice.run()
        }
        return true
    }

    /// Drops the notice without calling the function, because the program has released the client.
    package func drop() {
        switch self {
        case .completion(let notice): notice.end()
        case .changes(let notice): notice.drop()
        case .progress(let notice): _ = notice.take()
        case .attempt: break
        case .group(let notice): notice.end()
        }
    }

    func isFor(_ observer: Observer) -> Bool {
        if case .changes(let notice) = self { notice.observer === observer } else { false }
    }
}

/// The notice that a call has completed.
package final class CompletionNotice: Sendable {
    package let call: Call
    package let outcome: Call.Outcome
    /// The number by which the program recognises the call; it gave the number when it sent the
    /// request.
    package let token: UInt64
    private let receiver: Call.Receiver

    package init(call: Call, outcome: Call.Outcome, token: UInt64, receiver: Call.Receiver) {
        self.call = call
        self.outcome = outcome
        self.token = token
        self.receiver = receiver
    }

    /// Calls the function of the program and then ends its context.
    package func run() {
        receiver.completion(call, outcome)
        receiver.end()
    }

    /// Ends the context without calling the function: the program took the notice itself, or has
    /// released the client.
    package func end() {
        receiver.end()
    }
}

/// The notice that an attempt of a call has ended and another one follows.
package final class AttemptNotice: Sendable {
    package let call: Call
    /// How the attempt ended. It is the last of the attempts in this failure.
    package let failure: Failure
    /// The number by which the program recognises the call; it gave the number when it sent the
    /// request.
    package let token: UInt64
    private let observer: CallFunctions.AttemptObserver

    init(
        call: Call, failure: Failure, token: UInt64,
        observer: @escaping CallFunctions.AttemptObserver
    ) {
        self.call = call
        self.failure = failure
        self.token = token
        self.observer = observer
    }

    /// Calls the function of the program.
    package func run() {
        guard let attempt = failure.attempts.last else { return }
        observer(call, failure.attempts.count, attempt)
    }
}

/// The notice that a call has made progress. It looks the progress up when the program is told.
package struct ProgressNotice: Sendable {
    package let call: Call
    /// The number by which the program recognises the call; it gave the number when it sent the
    /// request.
    package let token: UInt64
    package let function: ProgressRequest.Function?
    /// Returns the progress of the call, and allows the next notice.
    package let take: @Sendable () -> CallProgress

    /// Calls the function of the program. Returns false if the call has failed meanwhile, so that a
    /// program that cancels the call in that function gets no more progress.
    package func run() -> Bool {
        let progress = take()
        guard !call.hasFailed else { return false }
        function?(call, progress)
        return true
    }
}

/// The notice that the store has changed something that an observer wants to know.
package final class ChangeNotice: Sendable {
    package let changes: ChangeList
    package let observer: Observer

    package init(changes: ChangeList, observer: Observer) {
        self.changes = changes
        self.observer = observer
    }

    package var token: UInt64 { observer.token }

    /// Calls the function of the program. Returns false if the observer has been removed.
    package func run() -> Bool {
        take { $0(changes) }
    }

    /// Gives the function of the program to `body`, unless the observer has been removed. Returns
    /// false in that case.
    package func take(_ body: (Observer.Changed) -> Void) -> Bool {
        guard let changed = observer.begin() else { return false }
        body(changed)
        observer.finish()
        return true
    }

    package func drop() {
        observer.forgo()
    }
}

/// The notice that several requests have come to an end: a batch session, an item of the outbox, or
/// a flush of the outbox.
package final class GroupNotice: Sendable {
    package enum Kind: Sendable {
        case batch, outboxItem, outboxFlushed
    }

    package let kind: Kind
    /// The number by which the program recognises the notice.
    package let token: UInt64
    /// Why not all requests succeeded.
    package let failure: Failure?
    /// Makes the object that an event has in place of a callback, if it has one.
    package let payload: (@Sendable () -> any HandleObject)?
    private let told: @Sendable () -> Void
    private let ended: @Sendable () -> Void

    /// - Parameters:
    ///   - told: Calls the function of the program.
    ///   - ended: Ends the context of that function.
    package init(
        _ kind: Kind, token: UInt64, failure: Failure?,
        payload: (@Sendable () -> any HandleObject)? = nil, told: @escaping @Sendable () -> Void,
        ended: @escaping @Sendable () -> Void
    ) {
        self.kind = kind
        self.token = token
        self.failure = failure
        self.payload = payload
        self.told = told
        self.ended = ended
    }

    /// Calls the function of the program and then ends its context.
    package func run() {
        told()
        ended()
    }

    /// Ends the context without calling the function: the program took the notice itself, or has
    /// released the client.
    package func end() {
        ended()
    }
}

/// An object to which a handle of the program can point.
///
/// In a forked child, a thread of the parent may have left the lock of such an object held for
/// ever. So each object knows in which process it was made, and the child refuses the parent's
/// objects.
package protocol HandleObject: AnyObject, Sendable {
    /// `ProcessGeneration.current` when the object was made.
    var generation: Int { get }
}

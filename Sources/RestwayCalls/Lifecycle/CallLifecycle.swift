import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayThreads

/// An event in the life of a call, for one or several observers.
package final class LifecycleEvent: Sendable {
    package let kind: LifecycleKind
    package let call: Call
    /// The call as it was when the event happened.
    package let info: CallInfo
    /// Microseconds since 1970.
    package let time: Int64
    /// The outcome of the call; `nil` before its end.
    package let outcome: Call.Outcome?
    /// The place of the observer among those of the call, for progress.
    private let listener: Int?

    init(
        _ kind: LifecycleKind, of call: Call, _ info: CallInfo, outcome: Call.Outcome? = nil,
        listener: Int? = nil
    ) {
        self.kind = kind
        self.call = call
        self.info = info
        time = call.context.clock.wallMicroseconds()
        self.outcome = outcome
        self.listener = listener
    }

    /// Tells the call that the event leaves the queue. Later progress is told by another event.
    package func leavesQueue() {
        guard let listener else { return }
        call.state.withLock { state in
            state.lifecycle?.noteTold(kind, by: listener, state.progress.progress)
        }
    }
}

/// The part of a call that tells its events to observers. It is a class because most calls have no
/// observers, and should not reserve memory for it.
///
/// `@unchecked Sendable`: only used under the lock of its call.
final class CallLifecycle: @unchecked Sendable {
    /// When the progress in one direction may be told again.
    private struct Pace {
        /// Whether an event is in the queue. It tells the progress at the time when it is read.
        var isQueued = false
        var next = Deadline.past
        /// The bytes that were told last.
        var told: Int64 = 0
    }

    private struct Listener {
        let observer: Observer
        let wishes: LifecycleWishes
        private var uploaded = Pace()
        private var downloaded = Pace()

        init(_ member: LifecycleObservers.Member) {
            observer = member.observer
            wishes = member.wishes
        }

        /// The pace of `uploaded` or `downloaded`.
        subscript(kind: LifecycleKind) -> Pace {
            get { kind == .uploaded ? uploaded : downloaded }
            set { if kind == .uploaded { uploaded = newValue } else { downloaded = newValue } }
        }
    }

    private var listeners: [Listener]
    private var info: CallInfo
    private var order = LifecycleOrder()
    /// Reports that the call is too slow.
    var timer: TimerTicket?

    /// - Parameter members: The observers of the call, at least one.
    init(_ members: [LifecycleObservers.Member], _ info: CallInfo) {
        listeners = members.map(Listener.init)
        self.info = info
    }

    func isWanted(_ kind: LifecycleKind) -> Bool {
        listeners.contains { $0.wishes.contains(kind) }
    }

    /// Appends the notices of an event.
    ///
    /// - Returns: Whether the caller must start the delivery.
    func tell(
        _ kind: LifecycleKind, of call: Call, _ state: Call.State,
        _ outcome: Call.Outcome? = nil
    ) -> Bool {
        if kind == .didBegin {
            // The bytes of each exchange are counted anew.
            for index in listeners.indices {
                listeners[index][.uploaded] = Pace()
                listeners[index][.downloaded] = Pace()
            }
        }
        var owesStart = false
        for kind in order.happened(kind) where isWanted(kind) {
            info.update(call, state)
            let event = LifecycleEvent(
                kind, of: call, info, outcome: kind == .willBegin ? nil : outcome)
            for listener in listeners where listener.wishes.contains(kind) {
                if listener.observer.append(.lifecycle(event)) { owesStart = true }
            }
        }
        return owesStart
    }

    /// Appends the notices of progress in one direction.
    ///
    /// - Parameters:
    ///   - done: The bytes before and now.
    ///   - isLast: Whether all bytes of the exchange have moved. This is told at once.
    /// - Returns: Whether the caller must start the delivery.
    func tellProgress(
        _ kind: LifecycleKind, of call: Call, _ state: Call.State,
        done: (before: Int64, now: Int64), at now: Deadline, isLast: Bool
    ) -> Bool {
        guard done.now != done.before || isLast, !order.happened(kind).isEmpty else { return false }
        var owesStart = false
        for index in listeners.indices where listeners[index].wishes.contains(kind) {
            let pace = listeners[index][kind]
            let isDue = isLast ? pace.told != done.now : pace.next <= now
            guard isDue, !pace.isQueued else { continue }
            listeners[index][kind].isQueued = true
            listeners[index][kind].next = now.advanced(
                milliseconds: listeners[index].wishes.progressIntervalMilliseconds)
            info.update(call, state)
            let event = LifecycleEvent(kind, of: call, info, listener: index)
            if listeners[index].observer.append(.lifecycle(event)) { owesStart = true }
        }
        return owesStart
    }

    /// Records that an observer learns of progress now.
    func noteTold(_ kind: LifecycleKind, by listener: Int, _ progress: CallProgress) {
        listeners[listener][kind].isQueued = false
        listeners[listener][kind].told =
            kind == .uploaded ? progress.upload.done : progress.download.done
    }
}

extension Call.State {
    /// Tells an event of the call to its observers.
    ///
    /// - Returns: Whether the caller must start the delivery.
    func tell(_ kind: LifecycleKind, of call: Call, _ outcome: Call.Outcome? = nil) -> Bool {
        lifecycle?.tell(kind, of: call, self, outcome) ?? false
    }

    /// Tells the end of the call to its observers.
    func tellEnd(_ outcome: Call.Outcome, of call: Call) -> Bool {
        switch outcome {
        case .success: tell(.didSucceed, of: call, outcome)
        case .failure(let failure) where failure.reason == .cancelled:
            tell(.didCancel, of: call, outcome)
        case .failure: tell(.didFail, of: call, outcome)
        }
    }

    /// Tells progress of the call to its observers.
    ///
    /// - Parameter before: The progress before the last bytes moved.
    func tellProgress(
        since before: CallProgress, of call: Call, at now: Deadline, isLast: Bool
    ) -> Bool {
        guard let lifecycle else { return false }
        let progress = progress.progress
        let uploads = lifecycle.tellProgress(
            .uploaded, of: call, self, done: (before.upload.done, progress.upload.done), at: now,
            isLast: isLast)
        let downloads = lifecycle.tellProgress(
            .downloaded, of: call, self, done: (before.download.done, progress.download.done),
            at: now, isLast: isLast)
        return uploads || downloads
    }
}

// Each of these functions returns at once if there are no observers, so that a client without
// observers pays nothing.
extension LifecycleObservers {
    /// Gives a call its observers. This happens before other code knows the call.
    func follow(_ call: Call) {
        guard !isEmpty, let request = call.request else { return }
        let members = members(wanting: request.destination.route?.name)
        guard !members.isEmpty else { return }
        let lifecycle = CallLifecycle(members, CallInfo(call, request))
        call.state.withLock { $0.lifecycle = lifecycle }
    }

    /// Tells that a call begins, and sets the timer after which it is too slow.
    func begins(_ call: Call) {
        guard !isEmpty else { return }
        let (owesStart, limit) = call.state.withLock { state -> (Bool, Int64) in
            let isTimed = state.lifecycle?.isWanted(.tooSlow) == true
            let limit = state.journey.request?.exchange.timeouts.tooSlowMilliseconds ?? 0
            return (state.tell(.willBegin, of: call), isTimed ? limit : 0)
        }
        if owesStart { call.context.delivery.start(on: .caller) }
        guard limit > 0 else { return }
        let deadline = call.started.advanced(milliseconds: limit)
        let ticket = call.context.timers.schedule(at: deadline) { [weak call] in
            if let call { self.tell(.tooSlow, of: call) }
        }
        let isOver = call.state.withLock { state in
            if !state.journey.isComplete { state.lifecycle?.timer = ticket }
            return state.journey.isComplete
        }
        if isOver { ticket.cancel() }
    }

    /// Tells an event that does not end the call.
    func tell(_ kind: LifecycleKind, of call: Call) {
        guard !isEmpty else { return }
        let owesStart = call.state.withLock { state in
            state.journey.isComplete ? false : state.tell(kind, of: call)
        }
        if owesStart { call.context.delivery.start(on: .caller) }
    }

    /// Whether the request or an observer wants to know how many bytes have moved.
    func wantProgress(of call: Call, _ request: PreparedRequest) -> Bool {
        if request.sending.progress != nil { return true }
        guard !isEmpty else { return false }
        return call.state.withLock { state in
            guard let lifecycle = state.lifecycle else { return false }
            return lifecycle.isWanted(.uploaded) || lifecycle.isWanted(.downloaded)
        }
    }
}

import RestwaySupport
import Synchronization

/// Brings the notices of one client to its host: one at a time, in order, where its mode says.
package final class Delivery: Sendable {
    private enum Way {
        case thread(SerialQueue)
        case process(NoticeQueue)
        case drain(NoticeQueue)
    }

    /// Where a notice was appended that has to be started.
    enum Place {
        /// On a worker, which can run the notices right there.
        case worker
        /// On a worker too, which has more to do first, and says when that is done.
        case round
        case elsewhere

        var isWorker: Bool { self != .elsewhere }
    }

    private let way: Way
    private let clock: any Clock
    /// Notices of a round are to be started behind it.
    private let owesStart = Atomic<Bool>(false)

    init(
        _ mode: ClientOptions.Delivery, pool: WorkerPool, clock: any Clock
    ) throws(Failure) {
        way =
            switch mode {
            case .thread: .thread(SerialQueue(pool: pool))
            case .process: .process(try NoticeQueue())
            case .drain: .drain(try NoticeQueue())
            }
        self.clock = clock
    }

    /// Gives a notice its place behind those before it. It may be called under a lock: nothing
    /// runs before `start`, which the caller owes when this is true.
    func append(_ notice: Notice) -> Bool {
        switch way {
        case .thread(let queue):
            return queue.append { _ = CallbackScope.run(notice.run) }
        case .process(let queue), .drain(let queue):
            queue.append(notice)
            return false
        }
    }

    func start(_ place: Place) {
        guard case .thread(let queue) = way else { return }
        switch place {
        case .worker: queue.start(mayRunHere: true)
        case .round: owesStart.store(true, ordering: .relaxed)
        case .elsewhere: queue.start(mayRunHere: false)
        }
    }

    func start(isOnWorker: Bool) {
        start(isOnWorker ? .worker : .elsewhere)
    }

    /// A round is over, on this worker, which runs its notices.
    func roundEnded() {
        guard owesStart.load(ordering: .relaxed),
            owesStart.exchange(false, ordering: .relaxed)
        else { return }
        start(.worker)
    }

    /// Takes out the notices that wait for an observer. With `thread` they stay, and tell nothing.
    func discard(for observer: Observer) {
        switch way {
        case .thread: break
        case .process(let queue), .drain(let queue): queue.discard { $0.isFor(observer) }
        }
    }

    /// Nothing more will be posted.
    func end() {
        switch way {
        case .thread: break
        case .process(let queue), .drain(let queue): queue.end()
        }
    }

    /// Drops what the host never asked for: it has let go of its client.
    package func drop() {
        switch way {
        case .thread: break
        case .process(let queue), .drain(let queue): queue.drop()
        }
    }

    /// Readable while notices wait; `nil` when they come by themselves.
    package var descriptor: Int32? {
        switch way {
        case .thread: nil
        case .process(let queue), .drain(let queue): queue.descriptor
        }
    }

    package var isDrained: Bool {
        if case .drain = way { true } else { false }
    }

    /// Runs the notices that are due on this thread, and says how many; waits up to `milliseconds`
    /// (-1: without end) for the first.
    package func process(milliseconds: Int64) throws(Failure) -> Int {
        guard case .process(let queue) = way else {
            throw Self.wrongMode("RESTWAY_DELIVERY_PROCESS")
        }
        try Call.refuseToBlockInsideCallbacks()
        let deadline =
            milliseconds < 0 ? .never : clock.now().advanced(milliseconds: milliseconds)
        return queue.process(until: deadline)
    }

    /// Takes out up to `max` notices, oldest first.
    package func drain(max: Int) throws(Failure) -> [Notice] {
        guard case .drain(let queue) = way else {
            throw Self.wrongMode("RESTWAY_DELIVERY_DRAIN")
        }
        return queue.take(max: max)
    }

    private static func wrongMode(_ name: String) -> Failure {
        Failure(.invalidArgument, "the client's delivery mode is not \(name)", field: "client")
    }
}

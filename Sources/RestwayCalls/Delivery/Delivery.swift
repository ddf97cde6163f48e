package import RestwayOutcome
package import RestwayThreads

/// Delivers the notices of one client to the program, one at a time and in order, in the way that
/// the delivery mode says.
package final class Delivery: Sendable {
    /// Where notices run.
    package enum Mode: Sendable {
        case thread, process, drain
    }

    private enum Way {
        case thread(SerialQueue)
        case process(NoticeQueue)
        case drain(NoticeQueue)
    }

    private let way: Way
    private let clock: any Clock

    package init(
        _ mode: Mode, pool: WorkerPool, clock: any Clock
    ) throws(Failure) {
        way =
            switch mode {
            case .thread: .thread(SerialQueue(pool: pool))
            case .process: .process(try NoticeQueue())
            case .drain: .drain(try NoticeQueue())
            }
        self.clock = clock
    }

    /// Appends a notice behind those that wait. It may be called under a lock, because no notice
    /// runs before `start`. The caller must call `start` if this returns true.
    package func append(_ notice: Notice) -> Bool {
        switch way {
        case .thread(let queue):
            return queue.append { _ = CallbackScope.run(notice.run) }
        case .process(let queue), .drain(let queue):
            queue.append(notice)
            return false
        }
    }

    /// Starts the notices that were appended.
    ///
    /// - Parameter isOnWorker: Whether this thread is a worker, which can run them itself.
    package func start(isOnWorker: Bool) {
        if case .thread(let queue) = way { queue.start(mayRunHere: isOnWorker) }
    }

    /// Removes the waiting notices of an observer. In the mode `thread`, they stay in the queue but
    /// call nothing.
    func discard(for observer: Observer) {
        switch way {
        case .thread: break
        case .process(let queue), .drain(let queue): queue.discard { $0.isFor(observer) }
        }
    }

    /// Ends the delivery: no more notices come.
    package func end() {
        switch way {
        case .thread: break
        case .process(let queue), .drain(let queue): queue.end()
        }
    }

    /// Drops the notices that the program never asked for, as it has released its client.
    package func drop() {
        switch way {
        case .thread: break
        case .process(let queue), .drain(let queue): queue.drop()
        }
    }

    /// A descriptor that is readable while notices wait; `nil` if the notices run by themselves.
    package var descriptor: Int32? {
        switch way {
        case .thread: nil
        case .process(let queue), .drain(let queue): queue.descriptor
        }
    }

    package var isDrained: Bool {
        if case .drain = way { true } else { false }
    }

    /// Runs the waiting notices on this thread and returns how many ran. It waits up to
    /// `milliseconds` for the first one; -1 is no limit.
    package func process(milliseconds: Int64) throws(Failure) -> Int {
        guard case .process(let queue) = way else {
            throw Self.wrongMode("RESTWAY_DELIVERY_PROCESS")
        }
        try Call.refuseToBlockInsideCallbacks()
        let deadline =
            milliseconds < 0 ? .never : clock.now().advanced(milliseconds: milliseconds)
        return queue.process(until: deadline)
    }

    /// Removes and returns up to `max` notices, oldest first.
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

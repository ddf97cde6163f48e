import Glibc
import RestwayHTTP
import RestwayThreads

// A thread that waits for an exchange can drive the loop itself, so that no thread has to be woken.
//
// When no exchange is running, and a thread waited for the last one, the I/O thread rests. The next
// thread that waits drives the loop until its exchange is complete. The I/O thread takes over if
// more exchanges run, or if no thread has waited for a while, because idle connections must be
// watched too.
//
// TLS libraries keep storage for each thread that uses them and clean up when the process exits. So
// exchanges over TLS stay on the I/O thread, for which the exit waits. The exit waits for other
// drivers too, because the I/O thread ends only when it has the loop back.

/// Which thread drives the loop. It is a part of the inbox's state.
struct DriverTurn {
    enum Driver {
        /// No thread drives: no exchange is running, and the I/O thread rests.
        case nobody
        case ioThread
        /// A thread of the host drives while it waits for an exchange.
        case waitingThread
    }

    var driver = Driver.ioThread
    /// Whether only the I/O thread may drive from now on.
    var isForIOThreadAlone = false
    /// The loop that waiting threads drive. It is set when the I/O thread rests for the first time.
    fileprivate var loop: IOLoop?
    /// The number of times that a waiting thread has driven.
    fileprivate var count = 0

    /// Whether the thread that waits for `exchange` will drive, so that no other thread need be
    /// woken for it.
    mutating func isLeftToWaitingThread(_ exchange: ActiveExchange) -> Bool {
        if !exchange.isPlainHTTP { isForIOThreadAlone = true }
        return exchange.isAwaited && !isForIOThreadAlone
    }
}

extension Inbox {
    /// How long the I/O thread rests if no thread waits.
    private static let restMilliseconds: Int64 = 1_000

    /// Lets the I/O thread rest while `loop` has no work. Returns when the I/O thread must drive
    /// again; false if it cannot rest.
    func rest(_ loop: IOLoop) -> Bool {
        let mayRest = state.withLock { state in
            guard state.mayBeLeft else { return false }
            state.turn.driver = .nobody
            state.turn.loop = loop
            return true
        }
        let clock = SystemClock()
        var countBefore = -1
        while mayRest {
            let until = clock.now().advanced(milliseconds: Self.restMilliseconds)
            let isItsTurn: Bool? = state.wait(until: until) { state in
                if case .ioThread = state.turn.driver { true } else { nil }
            }
            if isItsTurn == true { break }
            let noThreadCame = state.withLock { state in
                defer { countBefore = state.turn.count }
                guard case .nobody = state.turn.driver, countBefore == state.turn.count else {
                    return false
                }
                state.turn.driver = .ioThread
                return true
            }
            if noThreadCame { break }
        }
        return mayRest
    }

    /// Lets the calling thread drive while `isWanted`, if no other thread drives.
    func drive(while isWanted: () -> Bool) {
        let isItsTurn = state.withLock { state in
            guard case .nobody = state.turn.driver, state.mayBeDrivenByWaitingThread else {
                return false
            }
            state.turn.driver = .waitingThread
            state.turn.count &+= 1
            return true
        }
        if isItsTurn { giveBack(isIdle: driveLoop(while: isWanted)) }
    }

    /// A separate function makes sure that the thread holds no reference when it gives the loop
    /// back: only the I/O thread may free the loop.
    @inline(never)
    private func driveLoop(while isWanted: () -> Bool) -> Bool {
        state.withLock { $0.turn.loop }?.drive(while: isWanted) ?? true
    }

    /// Works like `take` for a waiting thread; false if the thread must give the loop back.
    fileprivate func takeAsWaitingThread(_ commands: inout [Command]) -> Bool {
        state.withLock { state in
            state.isSleeping = false
            guard state.mayBeDrivenByWaitingThread else { return false }
            swap(&state.commands, &commands)
            return true
        }
    }

    /// Ends the turn of a waiting thread. The I/O thread does the remaining work.
    private func giveBack(isIdle: Bool) {
        let wakeUp: WakeUp = state.withLock { state in
            state.isSleeping = false
            state.turn.driver = .nobody
            return isIdle && state.mayBeLeft ? .none : Self.wakeUp(&state)
        }
        perform(wakeUp)
    }

    /// Releases the loop when the I/O thread ends.
    func forgetLoop() {
        // The loop is released outside the lock.
        _ = state.withLock { $0.turn.loop.take() }
    }
}

extension Inbox.State {
    fileprivate var mayBeDrivenByWaitingThread: Bool { isRunning && !turn.isForIOThreadAlone }
    /// Whether the loop may be left without a driver once no exchange is running.
    fileprivate var mayBeLeft: Bool { commands.isEmpty && mayBeDrivenByWaitingThread }
}

extension IOLoop {
    /// Drives the loop on a waiting thread while `isWanted`, or until the I/O thread needs the
    /// loop. Returns whether no exchange is left.
    fileprivate func drive(while isWanted: () -> Bool) -> Bool {
        removeEndedConnections()
        while isWanted(), inbox.takeAsWaitingThread(&commands) {
            work()
            guard isWanted() else { break }
            sleep()
        }
        return exchanges.isEmpty
    }
}

extension ActiveExchange {
    /// Whether a waiting thread may drive it: plain HTTP only, because TLS stays on the I/O thread.
    fileprivate var isPlainHTTP: Bool {
        var url = exchange.url
        return url.withUTF8 { url in
            guard url.count >= 5, let start = url.baseAddress else { return false }
            return memcmp(start, "http:", 5) == 0 || memcmp(start, "HTTP:", 5) == 0
        }
    }
}

import RestwayThreads

/// Decides which thread drives the loop: the I/O thread, or a thread that waits for an exchange,
/// called a guest.
///
/// A waiting thread that drives the loop itself needs no wake-up. So when no exchange is running,
/// and a thread waited for the last one, the I/O thread rests. The next waiting thread becomes the
/// guest and drives the loop until its exchange is complete. The I/O thread takes over if more
/// exchanges run, or if no guest has come for a while, because idle connections must be watched
/// too.
///
/// TLS libraries keep storage for each thread that uses them and clean up when the process exits.
/// So exchanges over TLS stay on the I/O thread, for which the exit waits. The exit waits for
/// guests too, because the I/O thread ends only when it has the loop back.
extension Inbox {
    /// How long the I/O thread rests if no guest comes.
    private static let restMilliseconds: Int64 = 1_000

    /// Lets the I/O thread rest while `loop` has no work. Returns when the I/O thread must drive
    /// again; false if it cannot rest.
    func rest(_ loop: IOLoop) -> Bool {
        let mayRest = state.withLock { state in
            guard state.isRunning, state.commands.isEmpty, !state.isForThreadAlone else {
                return false
            }
            state.driver = .nobody
            state.loop = loop
            return true
        }
        let clock = SystemClock()
        var guestTurns = -1
        while mayRest {
            let until = clock.now().advanced(milliseconds: Self.restMilliseconds)
            let isItsTurn: Bool? = state.wait(until: until) { state in
                if case .thread = state.driver { true } else { nil }
            }
            if isItsTurn == true { break }
            let hasNoGuests = state.withLock { state in
                defer { guestTurns = state.guestTurns }
                guard case .nobody = state.driver, guestTurns == state.guestTurns else {
                    return false
                }
                state.driver = .thread
                return true
            }
            if hasNoGuests { break }
        }
        return mayRest
    }

    /// Lets the calling thread drive while `isWanted`, if no other thread drives.
    func drive(while isWanted: () -> Bool) {
        let isItsTurn = state.withLock { state in
            guard case .nobody = state.driver, state.isRunning, !state.isForThreadAlone else {
                return false
            }
            state.driver = .guest
            state.guestTurns &+= 1
            return true
        }
        if isItsTurn { giveBack(isIdle: driveLoop(while: isWanted)) }
    }

    /// A separate function makes sure that the guest holds no reference when it gives the loop
    /// back: only the I/O thread may free the loop.
    @inline(never)
    private func driveLoop(while isWanted: () -> Bool) -> Bool {
        state.withLock { $0.loop }?.drive(while: isWanted) ?? true
    }

    /// Works like `take` for a guest; false if the guest must give the loop back.
    func takeAsGuest(_ commands: inout [Command]) -> Bool {
        state.withLock { state in
            state.isSleeping = false
            guard state.isRunning, !state.isForThreadAlone else { return false }
            swap(&state.commands, &commands)
            return true
        }
    }

    /// Ends the guest's turn. The I/O thread does the remaining work.
    private func giveBack(isIdle: Bool) {
        let wakeUp: WakeUp = state.withLock { state in
            state.isSleeping = false
            state.driver = .nobody
            let isDone =
                isIdle && state.commands.isEmpty && state.isRunning && !state.isForThreadAlone
            return isDone ? .none : Self.wakeUp(&state)
        }
        perform(wakeUp)
    }

    /// Releases the loop when the I/O thread ends.
    func forgetLoop() {
        // The loop is released outside the lock.
        _ = state.withLock { $0.loop.take() }
    }
}

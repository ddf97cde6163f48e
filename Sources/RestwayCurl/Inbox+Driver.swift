import RestwaySupport

/// Who drives the loop: the I/O thread, or in its place a thread that waits for an exchange.
///
/// A waiting thread that drives by itself needs nobody to wake it. So when nothing is under way and
/// the last exchange was one that somebody waited for, the I/O thread rests, and the next thread
/// that waits is its guest. It gives the loop back when it has what it waits for; the I/O thread
/// takes over when more is under way, or when no guest has come for a while, since idle
/// connections have to be watched too.
///
/// TLS libraries keep storage for each thread that uses them, and end with the process: exchanges
/// over TLS stay with the I/O thread, which the exit waits for. It waits for guests as well, as the
/// I/O thread only ends when it has the loop back.
extension Inbox {
    /// How long the I/O thread rests without a guest.
    private static let restMilliseconds: Int64 = 1_000

    /// The I/O thread lets go of `loop`, which has nothing to do, and returns when it is its turn
    /// again. False when it cannot.
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

    /// Lets the calling thread drive while `isWanted`, when it is nobody else's turn.
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

    /// In a function of its own: when the loop is given back the guest holds it no more, as its end
    /// must be the I/O thread's.
    @inline(never)
    private func driveLoop(while isWanted: () -> Bool) -> Bool {
        state.withLock { $0.loop }?.drive(while: isWanted) ?? true
    }

    /// As `take`; false when the guest has to give the loop back.
    func takeAsGuest(_ commands: inout [Command]) -> Bool {
        state.withLock { state in
            state.isSleeping = false
            guard state.isRunning, !state.isForThreadAlone else { return false }
            swap(&state.commands, &commands)
            return true
        }
    }

    /// The guest drives no more. What is left to do is the I/O thread's.
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

    /// The I/O thread ends, and the loop with it.
    func forgetLoop() {
        // Given back outside of the lock.
        _ = state.withLock { $0.loop.take() }
    }
}

import Glibc
import RestwayHTTP
import RestwayThreads

/// Passes commands of other threads to the thread that drives the loop, and wakes it.
///
/// A wake-up is written only if the driver has announced that it is about to sleep, and only once.
/// A burst of commands costs one system call, and no system call while the driver is busy. The
/// inbox also decides which single thread drives: see `DriverTurn`.
final class Inbox: Sendable {
    enum Command {
        case start(ActiveExchange)
        case cancel(ExchangeID)
        case resume(ExchangeID)
        /// A piece of a body that the driver asked for.
        case body(ExchangeID, BodyPiece)
    }

    /// The result of submitting an exchange.
    enum Acceptance {
        case accepted
        /// The exchange is accepted, and the caller must start the I/O thread.
        case acceptedFirst
        case refused(TransportError)
    }

    enum Phase {
        case idle
        case running
        /// The I/O thread completes all exchanges with the error, frees all resources and ends.
        case closed(TransportError)
        /// The process is exiting. The I/O thread ends at once and leaves everything unchanged.
        case abandoned
    }

    /// The way to wake the thread that must handle the commands.
    enum WakeUp {
        case none
        case set(EventDescriptor)
        case signal
    }

    struct State {
        var phase = Phase.idle
        var turn = DriverTurn()
        var commands: [Command] = []
        var isSleeping = false
        /// Wakes the driver when it sleeps. It is never read, so it must be watched edge-triggered.
        var event: EventDescriptor?

        var isRunning: Bool {
            if case .running = phase { true } else { false }
        }
    }

    private static var exiting: TransportError {
        TransportError(.closed, "the process is exiting")
    }

    let state = Monitor(State())

    /// The descriptor for wake-ups.
    var eventDescriptor: Int32 { state.withLock { $0.event?.descriptor ?? -1 } }

    func submit(_ exchange: ActiveExchange) -> Acceptance {
        let (acceptance, wakeUp): (Acceptance, WakeUp) = state.withLock { state in
            switch state.phase {
            case .closed(let error):
                return (.refused(error), .none)
            case .abandoned:
                return (.refused(Self.exiting), .none)
            case .running:
                state.commands.append(.start(exchange))
                let isLeft = state.turn.isLeftToWaitingThread(exchange)
                return (.accepted, isLeft ? Self.wakeUpDriver(&state) : Self.wakeUp(&state))
            case .idle:
                state.event = EventDescriptor()
                guard state.event != nil else {
                    return (.refused(.noResources("an event descriptor", errno)), .none)
                }
                state.phase = .running
                state.commands.append(.start(exchange))
                _ = state.turn.isLeftToWaitingThread(exchange)
                return (.acceptedFirst, .none)
            }
        }
        perform(wakeUp)
        return acceptance
    }

    /// Passes a command that follows a start; it is dropped if the transport is closed.
    func send(_ command: Command) {
        let wakeUp: WakeUp = state.withLock { state in
            guard state.isRunning else { return .none }
            state.commands.append(command)
            return Self.wakeUp(&state)
        }
        perform(wakeUp)
    }

    /// Lets the driver look again whether it is wanted, and makes sure that a thread drives.
    func wake() {
        let wakeUp: WakeUp = state.withLock { $0.isRunning ? Self.wakeUp(&$0) : .none }
        perform(wakeUp)
    }

    /// Refuses every later start with `error`. The first error is kept.
    func close(_ error: TransportError) {
        end(.closed(error))
    }

    /// Refuses every later start because the process is exiting. Running exchanges never complete.
    func abandon() {
        end(.abandoned)
    }

    private func end(_ phase: Phase) {
        let wakeUp: WakeUp = state.withLock { state in
            let wasRunning: Bool
            switch state.phase {
            case .idle: wasRunning = false
            case .running: wasRunning = true
            case .closed, .abandoned: return .none
            }
            state.phase = phase
            return wasRunning ? Self.wakeUp(&state) : .none
        }
        perform(wakeUp)
    }

    /// Completes all exchanges with `error` on this thread, because there is no I/O thread. The
    /// next exchange tries to start one again, unless the transport was closed.
    func fail(_ error: TransportError) {
        let (commands, reason) = state.withLock { state in
            var reason = error
            switch state.phase {
            case .idle, .running: state.phase = .idle
            case .closed(let earlier): reason = earlier
            case .abandoned: reason = Self.exiting
            }
            state.turn = DriverTurn()
            state.isSleeping = false
            state.event = nil
            defer { state.commands = [] }
            return (state.commands, reason)
        }
        for case .start(let active) in commands { active.end()?.completed(.failure(reason)) }
    }

    /// Moves the commands into `commands`, which is empty. The driver counts as awake from now on.
    func take(_ commands: inout [Command]) -> Phase {
        state.withLock { state in
            state.isSleeping = false
            swap(&state.commands, &commands)
            return state.phase
        }
    }

    /// Notes that the driver is about to sleep; false if commands have come and it must not.
    func willSleep() -> Bool {
        state.withLock { state in
            guard state.isRunning else { return false }
            state.isSleeping = state.commands.isEmpty
            return state.isSleeping
        }
    }

    // MARK: Wake-ups

    /// Makes sure that a thread drives soon. If no thread drives, this is the I/O thread.
    static func wakeUp(_ state: inout State) -> WakeUp {
        guard case .nobody = state.turn.driver else { return wakeUpDriver(&state) }
        state.turn.driver = .ioThread
        return .signal
    }

    /// Wakes the driver if it sleeps.
    private static func wakeUpDriver(_ state: inout State) -> WakeUp {
        guard state.isSleeping, let event = state.event else { return .none }
        state.isSleeping = false
        return .set(event)
    }

    /// Wakes the thread. Call it outside the lock, or the woken thread would wait for the lock.
    func perform(_ wakeUp: WakeUp) {
        switch wakeUp {
        case .none: break
        case .signal: state.wakeAll()
        case .set(let event): event.set()
        }
    }
}

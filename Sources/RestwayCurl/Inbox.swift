import CLinux
import Glibc
import RestwayHTTP
import RestwaySupport

/// What other threads tell the thread that drives the loop, and how they wake it.
///
/// A wake-up is written only when the driver said that it is about to sleep, and only once: a burst
/// of commands costs one system call, and none while the driver is busy. Who drives is decided here
/// too, so that there is one at a time: see `Inbox+Driver`.
final class Inbox: Sendable {
    enum Command {
        case start(ActiveExchange)
        case cancel(ExchangeID)
        case resume(ExchangeID)
        /// A piece of a body that was asked for.
        case body(ExchangeID, BodyPiece)
    }

    /// What a submitted exchange met.
    enum Acceptance {
        case accepted
        /// Accepted, and the caller must start the I/O thread.
        case acceptedFirst
        case refused(TransportError)
    }

    enum Phase {
        case idle
        case running
        case closed(TransportError)
        /// The process is exiting.
        case abandoned
    }

    /// Who may touch the loop.
    enum Driver {
        /// Nobody: nothing is under way, and the I/O thread rests.
        case nobody
        case thread
        /// A thread of the host, which waits for an exchange.
        case guest
    }

    /// What the I/O thread is to do.
    enum Order {
        case goOn
        /// Complete everything with the error, give everything back and end.
        case shutDown(TransportError)
        /// End at once and leave everything as it is: the process is exiting.
        case abandon
    }

    /// How the one that has to see to what has come is woken.
    enum WakeUp {
        case none
        case write(Int32)
        case signal
    }

    struct State {
        var phase = Phase.idle
        var driver = Driver.thread
        var commands: [Command] = []
        var isSleeping = false
        var eventDescriptor: Int32 = -1
        /// Guests may not drive any more.
        var isForThreadAlone = false
        /// What guests drive: there once the I/O thread has rested for the first time.
        var loop: IOLoop?
        /// How often a guest has driven.
        var guestTurns = 0

        var isRunning: Bool {
            if case .running = phase { true } else { false }
        }
    }

    private static var exiting: TransportError {
        TransportError(.closed, "the process is exiting")
    }

    let state = Monitor(State())

    deinit {
        let descriptor = state.withLock { $0.eventDescriptor }
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// The descriptor of the wake-ups; never read, so it must be watched edge-triggered.
    var eventDescriptor: Int32 { state.withLock { $0.eventDescriptor } }

    func submit(_ exchange: ActiveExchange) -> Acceptance {
        let (acceptance, wakeUp): (Acceptance, WakeUp) = state.withLock { state in
            switch state.phase {
            case .closed(let error):
                return (.refused(error), .none)
            case .abandoned:
                return (.refused(Self.exiting), .none)
            case .running:
                state.commands.append(.start(exchange))
                if !exchange.mayBeDrivenByGuests { state.isForThreadAlone = true }
                // Who waits for it comes and drives.
                let isLeft = exchange.isAwaited && !state.isForThreadAlone
                return (.accepted, isLeft ? Self.wakeUpDriver(&state) : Self.wakeUp(&state))
            case .idle:
                state.eventDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
                guard state.eventDescriptor >= 0 else {
                    return (.refused(.noResources("an event descriptor")), .none)
                }
                state.phase = .running
                state.commands.append(.start(exchange))
                if !exchange.mayBeDrivenByGuests { state.isForThreadAlone = true }
                return (.acceptedFirst, .none)
            }
        }
        perform(wakeUp)
        return acceptance
    }

    func cancel(_ id: ExchangeID) {
        send(.cancel(id))
    }

    func resume(_ id: ExchangeID) {
        send(.resume(id))
    }

    func deliver(_ piece: BodyPiece, to id: ExchangeID) {
        send(.body(id, piece))
    }

    private func send(_ command: Command) {
        let wakeUp: WakeUp = state.withLock { state in
            guard state.isRunning else { return .none }
            state.commands.append(command)
            return Self.wakeUp(&state)
        }
        perform(wakeUp)
    }

    /// Refuses every later start with `error`. The first reason stays.
    func close(_ error: TransportError) {
        end(.closed(error))
    }

    /// The process is exiting: refuses every later start, and what is under way never completes.
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

    /// There is no I/O thread: everything completes with `error`, here and now.
    func fail(_ error: TransportError) {
        close(error)
        var commands: [Command] = []
        var reason = error
        if case .shutDown(let earlier) = take(&commands) { reason = earlier }
        for case .start(let active) in commands { active.end()?.completed(.failure(reason)) }
    }

    /// Moves what has come into `commands`, which is empty. The driver is awake from now on.
    func take(_ commands: inout [Command]) -> Order {
        state.withLock { state in
            state.isSleeping = false
            swap(&state.commands, &commands)
            return switch state.phase {
            case .idle, .running: .goOn
            case .closed(let error): .shutDown(error)
            case .abandoned: .abandon
            }
        }
    }

    /// Says that the driver is about to sleep; false when it must not, as something has come.
    func willSleep() -> Bool {
        state.withLock { state in
            guard state.isRunning else { return false }
            state.isSleeping = state.commands.isEmpty
            return state.isSleeping
        }
    }

    // MARK: Wake-ups

    /// Sees to it that somebody drives, and soon: the I/O thread, when it is nobody else's turn.
    static func wakeUp(_ state: inout State) -> WakeUp {
        guard case .nobody = state.driver else { return wakeUpDriver(&state) }
        state.driver = .thread
        return .signal
    }

    /// Wakes who drives, when that is needed.
    private static func wakeUpDriver(_ state: inout State) -> WakeUp {
        guard state.isSleeping else { return .none }
        state.isSleeping = false
        return .write(state.eventDescriptor)
    }

    /// Outside of the lock: who wakes would run right into it.
    func perform(_ wakeUp: WakeUp) {
        switch wakeUp {
        case .none: break
        case .signal: state.wakeAll()
        case .write(let descriptor):
            var one: UInt64 = 1
            _ = Glibc.write(descriptor, &one, MemoryLayout<UInt64>.size)
        }
    }
}

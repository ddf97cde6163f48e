import Glibc
import RestwayHTTP
import RestwayThreads

/// Passes commands of other threads to the I/O thread, and wakes it.
///
/// A wake-up is written only if the I/O thread has announced that it is about to sleep, and only
/// once. A burst of commands costs one system call, and no system call while that thread is busy.
final class Inbox: Sendable {
    enum Command {
        case start(ActiveExchange)
        case cancel(ExchangeID)
        case resume(ExchangeID)
        /// A piece of a body that the I/O thread asked for.
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

    private struct State {
        var phase = Phase.idle
        var commands: [Command] = []
        var isSleeping = false
        /// Wakes the I/O thread when it sleeps. It is never read, so it must be watched
        /// edge-triggered.
        var event: EventDescriptor?

        var isRunning: Bool {
            if case .running = phase { true } else { false }
        }

        /// Adds a command. Returns the descriptor that wakes the I/O thread, if the thread sleeps.
        mutating func append(_ command: Command) -> EventDescriptor? {
            commands.append(command)
            return wakeUp()
        }

        /// Returns the descriptor that wakes the I/O thread; `nil` if the thread does not sleep. It
        /// is set outside the lock, or the woken thread would wait for the lock.
        mutating func wakeUp() -> EventDescriptor? {
            guard isSleeping else { return nil }
            isSleeping = false
            return event
        }
    }

    private static var exiting: TransportError {
        TransportError(.closed, "the process is exiting")
    }

    private let state = Lock(State())

    /// The descriptor for wake-ups.
    var eventDescriptor: Int32 { state.withLock { $0.event?.descriptor ?? -1 } }

    func submit(_ exchange: ActiveExchange) -> Acceptance {
        let (acceptance, wakeUp): (Acceptance, EventDescriptor?) = state.withLock { state in
            switch state.phase {
            case .closed(let error):
                return (.refused(error), nil)
            case .abandoned:
                return (.refused(Self.exiting), nil)
            case .running:
                return (.accepted, state.append(.start(exchange)))
            case .idle:
                state.event = EventDescriptor()
                guard state.event != nil else {
                    return (.refused(.noResources("an event descriptor", errno)), nil)
                }
                state.phase = .running
                return (.acceptedFirst, state.append(.start(exchange)))
            }
        }
        wakeUp?.set()
        return acceptance
    }

    /// Passes a command that follows a start; it is dropped if the transport is closed.
    func send(_ command: Command) {
        let wakeUp = state.withLock { $0.isRunning ? $0.append(command) : nil }
        wakeUp?.set()
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
        let wakeUp: EventDescriptor? = state.withLock { state in
            switch state.phase {
            case .closed, .abandoned: return nil
            case .idle, .running: state.phase = phase
            }
            return state.wakeUp()
        }
        wakeUp?.set()
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
            state.isSleeping = false
            state.event = nil
            defer { state.commands = [] }
            return (state.commands, reason)
        }
        for case .start(let active) in commands { active.end()?.completed(.failure(reason)) }
    }

    /// Moves the commands into `commands`, which is empty. The I/O thread counts as awake from now
    /// on.
    func take(_ commands: inout [Command]) -> Phase {
        state.withLock { state in
            state.isSleeping = false
            swap(&state.commands, &commands)
            return state.phase
        }
    }

    /// Notes that the I/O thread is about to sleep. Returns false if commands have come and it must
    /// not.
    func noteSleep() -> Bool {
        state.withLock { state in
            guard state.isRunning else { return false }
            state.isSleeping = state.commands.isEmpty
            return state.isSleeping
        }
    }
}

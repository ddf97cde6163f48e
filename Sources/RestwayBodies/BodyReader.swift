package import RestwayHTTP
package import RestwayOutcome
import RestwayThreads

/// A body that the program gives piece by piece through its functions.
///
/// One call at a time reads it. One of its functions runs at a time, on a worker for bodies, even
/// if the call that asked has ended meanwhile. Each exchange that sends the body has a number, its
/// *turn*. A read or a rewind of an earlier turn does not run any more.
package final class BodyReader: Sendable {
    /// Fills a buffer and returns the number of bytes; 0 is the end.
    package typealias Read = @Sendable (UnsafeMutableRawBufferPointer) -> Result<Int, Failure>
    /// Goes back to the start of the body.
    package typealias Rewind = @Sendable () -> Result<Void, Failure>
    package typealias Job = @Sendable () -> Void

    /// The state of the body for a call that wants to send it.
    package enum Beginning: Equatable {
        /// The body is at its start; the call has this turn.
        case ready(turn: UInt64)
        /// The body was read before and must be rewound.
        case needsRewind(turn: UInt64)
        /// Another call reads the body.
        case taken
        /// The body was read before and cannot be rewound.
        case spent
    }

    private struct State {
        /// The call that reads the body.
        var owner: UInt64?
        var turn: UInt64 = 0
        /// Whether something was read since the body was at its start.
        var hasBegun = false
        /// Whether a function of the body runs or is about to run.
        var isAsked = false
        /// The job that runs next.
        var next: Job?
        /// The number of bytes that a request states in its headers.
        var statedLength: Int64?
    }

    private let knownLength: Int64?
    /// The number of bytes; `nil` if it is not known.
    package var length: Int64? { knownLength ?? state.withLock { $0.statedLength } }
    package let read: Read
    private let rewind: Rewind?
    private let state = Lock(State())

    package init(length: Int64?, read: @escaping Read, rewind: Rewind?) {
        knownLength = length
        self.read = read
        self.rewind = rewind
    }

    /// Gives a body of unknown length the length that the request states.
    package func state(length: Int64) { state.withLock { $0.statedLength = length } }

    /// Whether the body can be sent from its start now.
    package var isRewindable: Bool { rewind != nil || !state.withLock { $0.hasBegun } }

    /// Begins a turn for a call that wants to send the body, for the first time or again.
    package func begin(for call: UInt64) -> Beginning {
        let (beginning, dropped): (Beginning, Job?) = state.withLock { state in
            guard state.owner == nil || state.owner == call else { return (.taken, nil) }
            guard !state.hasBegun || rewind != nil else { return (.spent, nil) }
            state.owner = call
            state.turn += 1
            let beginning: Beginning =
                state.hasBegun ? .needsRewind(turn: state.turn) : .ready(turn: state.turn)
            return (beginning, state.next.take())
        }
        _ = consume dropped
        return beginning
    }

    /// Ends the turn of a call that has ended, so that another call may read. Returns the job that
    /// does not run any more; the job holds the call.
    package func leave(_ call: UInt64) -> Job? {
        state.withLock { state in
            guard state.owner == call else { return nil }
            state.owner = nil
            state.turn += 1
            return state.next.take()
        }
    }

    /// Calls the program's rewind function, and then `tell` with the result. Neither runs if the
    /// turn has ended by then.
    package func rewind(
        _ turn: UInt64, _ tell: @escaping @Sendable (Result<Void, Failure>) -> Void
    ) {
        guard let rewind else { return }
        ask(turn, isReading: false) { [self] in
            let result = CallbackScope.run(rewind)
            if case .success = result { state.withLock { $0.hasBegun = false } }
            tell(result)
        }
    }

    /// Runs `job`, which calls a function of the program, when no other job runs. It never runs if
    /// the turn has ended by then.
    package func ask(_ turn: UInt64, isReading: Bool, _ job: @escaping Job) {
        let mayRun = state.withLock { state in
            guard state.turn == turn else { return false }
            let asked: Job = { [self] in
                guard starts(turn, isReading: isReading) else { return }
                job()
            }
            guard !state.isAsked else {
                state.next = asked
                return false
            }
            state.isAsked = true
            state.next = asked
            return true
        }
        if mayRun { WorkerPool.forBodies.submit { self.runNext() } }
    }

    private func starts(_ turn: UInt64, isReading: Bool) -> Bool {
        state.withLock { state in
            guard state.turn == turn else { return false }
            if isReading { state.hasBegun = true }
            return true
        }
    }

    private func runNext() {
        while true {
            let job: Job? = state.withLock { state in
                let job = state.next.take()
                if job == nil { state.isAsked = false }
                return job
            }
            guard let job else { return }
            job()
        }
    }
}

/// The body of one exchange, which the program's reader gives piece by piece. It makes sure that
/// the reader keeps to its length.
package final class BodyFeed: BodySource {
    /// Each piece wakes a worker and then the thread of the transport. With pieces of 64 KiB, this
    /// takes more time than moving the bytes.
    private static let pieceBytesMax = 256 << 10

    private let reader: BodyReader
    private let turn: UInt64
    /// Completes the call.
    private let fail: @Sendable (Failure) -> Void
    private let given = Lock(Int64(0))

    package init(_ reader: BodyReader, turn: UInt64, fail: @escaping @Sendable (Failure) -> Void) {
        self.reader = reader
        self.turn = turn
        self.fail = fail
    }

    package var length: Int64? { reader.length }

    package func next(_ deliver: @escaping @Sendable (BodyPiece) -> Void) {
        reader.ask(turn, isReading: true) { deliver(self.piece()) }
    }

    /// Returns the next piece. If the length is known, the last piece is returned only after the
    /// reader has reported its end; otherwise a server would take a cut-off body for the whole.
    private func piece() -> BodyPiece {
        do throws(Failure) {
            let piece = try ask()
            let total = given.withLock { given in
                given += Int64(piece.count)
                return given
            }
            guard let length else { return piece.isEmpty ? .end : .bytes(piece) }
            guard total <= length else { throw Self.wrongLength("more than its \(length)") }
            guard !piece.isEmpty else {
                guard total == length else {
                    throw Self.wrongLength("\(total) of its \(length)")
                }
                return .end
            }
            if total == length, try !ask().isEmpty {
                throw Self.wrongLength("more than its \(length)")
            }
            return .bytes(piece)
        } catch {
            fail(error)
            return .failed(TransportError(.cancelled, "the body's reader failed"))
        }
    }

    private func ask() throws(Failure) -> [UInt8] {
        var count: Result<Int, Failure> = .success(0)
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceBytesMax) { buffer, written in
            let room = UnsafeMutableRawBufferPointer(buffer)
            count = CallbackScope.run { reader.read(room) }
            written = (try? count.get()) ?? 0
        }
        _ = try count.get()
        return bytes
    }

    private static func wrongLength(_ what: String) -> Failure {
        Failure(.invalidArgument, "the body's reader gave \(what) bytes", field: "length")
    }
}

import RestwayCalls
import RestwayOutcome
import RestwayThreads

/// Gives the pieces of an asynchronous sequence to the workers that send a body.
///
/// A task reads the sequence. It begins when the first piece is asked for, and is one piece ahead.
final class PieceSource: Sendable {
    private struct State {
        /// The reading that is under way; `nil` before the first piece is asked for.
        var channel: PieceChannel?
        /// The calls that may use the pieces.
        var users = 0
        var thrown: (any Error)?
    }

    private let begin: @Sendable (PieceChannel) -> Task<Void, Never>
    private let state = Lock(State())

    init<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces
    ) where Pieces.Element: Collection<UInt8> {
        begin = { channel in
            Task {
                do {
                    for try await piece in pieces {
                        guard await channel.give(Array(piece)) else { return }
                    }
                    channel.end(nil)
                } catch {
                    channel.end(error)
                }
            }
        }
    }

    deinit { state.withLock { $0.channel }?.stop() }

    /// The error that the sequence has thrown.
    var thrown: (any Error)? { state.withLock { $0.thrown } }

    /// Fills a buffer, and returns the number of bytes; 0 is the end. It waits for the sequence.
    func read(into room: UnsafeMutableRawBufferPointer) -> Result<Int, Failure> {
        let (channel, isNew) = state.withLock { state in
            if let channel = state.channel { return (channel, false) }
            let channel = PieceChannel()
            state.channel = channel
            return (channel, true)
        }
        if isNew { channel.start(begin(channel)) }
        do {
            return .success(try channel.read(into: room))
        } catch is PieceChannel.Stopped {
            return .failure(Failure(.cancelled, "the call that sends the body has ended"))
        } catch {
            state.withLock { $0.thrown = error }
            if let own = error as? RestwayError { return .failure(own.failure) }
            return .failure(
                Failure(.io, "the sequence of the body has thrown an error: \(error)"))
        }
    }

    /// Goes back to the start of the sequence.
    func rewind() {
        state.withLock { $0.channel.take() }?.stop()
    }

    /// A call that may use the pieces begins.
    func enter() {
        state.withLock { $0.users += 1 }
    }

    /// A call that may have used the pieces has ended. The last one ends the reading.
    func leave() {
        let channel: PieceChannel? = state.withLock { state in
            state.users -= 1
            return state.users == 0 ? state.channel : nil
        }
        channel?.stop()
    }
}

/// One reading of a sequence: a task gives pieces, and a worker takes their bytes.
final class PieceChannel: Sendable {
    /// The error that ends the task, because the call needs no more pieces.
    struct Stopped: Error {}

    private struct State {
        var task: Task<Void, Never>?
        /// The bytes of the present piece that the worker has not taken.
        var bytes: ArraySlice<UInt8> = []
        /// The task, which waits until the present piece was taken.
        var giver: CheckedContinuation<Bool, Never>?
        var isOver = false
        var error: (any Error)?
    }

    private let state = Monitor(State())

    func start(_ task: Task<Void, Never>) {
        let isStopped = state.update { state in
            state.task = task
            return state.error is Stopped
        }
        if isStopped { task.cancel() }
    }

    // MARK: The task's side

    /// Gives a piece, and waits until it was taken. Returns false if no more pieces are wanted.
    func give(_ piece: [UInt8]) async -> Bool {
        await withCheckedContinuation { continuation in
            let isWanted: Bool? = state.update { state in
                if state.isOver { return false }
                if piece.isEmpty { return true }
                state.bytes = piece[...]
                state.giver = continuation
                return nil
            }
            if let isWanted { continuation.resume(returning: isWanted) }
        }
    }

    /// Ends the pieces.
    func end(_ error: (any Error)?) {
        state.update { state in
            if !state.isOver { state.error = error }
            state.isOver = true
            state.task = nil
        }
    }

    // MARK: The worker's side

    /// Waits for a piece, and copies as much of it as there is room for; 0 bytes are the end.
    func read(into room: UnsafeMutableRawBufferPointer) throws -> Int {
        let found = state.wait { state -> Result<Int, any Error>? in
            if let error = state.error { return .failure(error) }
            guard !state.bytes.isEmpty else { return state.isOver ? .success(0) : nil }
            let taken = state.bytes.prefix(room.count)
            room.copyBytes(from: taken)
            state.bytes = state.bytes.dropFirst(taken.count)
            return .success(taken.count)
        }
        let giver: CheckedContinuation<Bool, Never>? = state.withLock { state in
            state.bytes.isEmpty ? state.giver.take() : nil
        }
        giver?.resume(returning: true)
        return try found?.get() ?? 0
    }

    /// Ends the reading: the task is cancelled, and a worker that waits goes on.
    func stop() {
        let (task, giver): (Task<Void, Never>?, CheckedContinuation<Bool, Never>?) =
            state.update { state in
                if !state.isOver { state.error = Stopped() }
                state.isOver = true
                state.bytes = []
                return (state.task.take(), state.giver.take())
            }
        task?.cancel()
        giver?.resume(returning: false)
    }
}

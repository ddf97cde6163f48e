import RestwayCalls
import RestwayRequests
import RestwayThreads

/// Tells how far a piece of work is: a call, the mapping of bytes, a flush of the outbox.
///
///     let progress = ProgressReporter()
///     async let film = client.download("films/7", to: "film.mp4", progress: progress)
///     for await state in progress { print(Int(state.fraction * 100), "%") }
///     print(try await film.length)
///
/// Any number of loops may read a reporter. A loop gets the present state first, then the newest
/// state whenever it asks, and ends with the work. Use a new reporter for each piece of work.
public final class ProgressReporter: AsyncSequence, Sendable {
    public typealias Element = State
    public typealias Failure = Never
    public typealias AsyncIterator = AsyncStream<State>.Iterator

    /// A count, and the number at which it is complete.
    public struct Part: Sendable, Hashable {
        /// The number that is done.
        public let done: Int64
        /// `nil` if it is not known.
        public let total: Int64?

        package init(done: Int64 = 0, total: Int64? = nil) {
            self.done = done
            self.total = total
        }
    }

    /// How far the work is at one moment.
    public struct State: Sendable, Hashable {
        /// The finished part of the work, from 0 to 1. It never goes back.
        public internal(set) var fraction = 0.0
        /// The bytes of the request that were sent.
        public internal(set) var upload = Part()
        /// The bytes of the answer that were received.
        public internal(set) var download = Part()
        /// The objects that were mapped.
        public internal(set) var objects = Part()
        /// The stored requests that have come to their end, for a flush of the outbox.
        public internal(set) var requests = Part()
    }

    private struct Progress {
        var state = ProgressReporter.State()
        var isOver = false
        var isCancelled = false
        var cancel: (@Sendable () -> Void)?
        var watchers: [Int: AsyncStream<ProgressReporter.State>.Continuation] = [:]
        var lastWatcher = 0
    }

    /// The shortest time between two states.
    public let interval: Duration
    private let progress = Lock(Progress())

    /// - Parameter interval: The shortest time between two states of a call. Zero and negative
    ///   times tell each step.
    public init(interval: Duration = .milliseconds(100)) {
        self.interval = interval
    }

    /// The present state.
    public var state: State { progress.withLock { $0.state } }

    /// Cancels the work, now or when it begins. Work that has ended stays as it is.
    public func cancel() {
        let cancel = progress.withLock { progress in
            progress.isCancelled = true
            return progress.cancel
        }
        cancel?()
    }

    public func makeAsyncIterator() -> AsyncStream<State>.Iterator {
        let (stream, continuation) = AsyncStream.makeStream(
            of: State.self, bufferingPolicy: .bufferingNewest(1))
        let (state, number): (State, Int?) = progress.withLock { progress in
            guard !progress.isOver else { return (progress.state, nil) }
            progress.lastWatcher += 1
            progress.watchers[progress.lastWatcher] = continuation
            // Under the lock, so that no newer state comes before it.
            continuation.yield(progress.state)
            return (progress.state, progress.lastWatcher)
        }
        guard let number else {
            continuation.yield(state)
            continuation.finish()
            return stream.makeAsyncIterator()
        }
        continuation.onTermination = { [weak self] _ in
            self?.progress.withLock { _ = $0.watchers.removeValue(forKey: number) }
        }
        return stream.makeAsyncIterator()
    }
}

/// The side of the work.
extension ProgressReporter {
    /// The work has begun.
    ///
    /// - Parameter cancel: Ends the work early.
    func begin(cancel: @escaping @Sendable () -> Void) {
        let isCancelled = progress.withLock { progress in
            if !progress.isOver { progress.cancel = cancel }
            return progress.isCancelled
        }
        if isCancelled { cancel() }
    }

    /// Tells a new state.
    func update(_ change: (inout State) -> Void) {
        progress.withLock { progress in
            guard !progress.isOver else { return }
            let fraction = progress.state.fraction
            change(&progress.state)
            progress.state.fraction = Swift.max(fraction, progress.state.fraction)
            for watcher in progress.watchers.values { watcher.yield(progress.state) }
        }
    }

    /// The work has ended.
    ///
    /// - Parameter isDone: Whether it has succeeded.
    func end(isDone: Bool) {
        let watchers = progress.withLock { progress in
            defer {
                progress.watchers = [:]
                progress.cancel = nil
                progress.isOver = true
            }
            if isDone { progress.state.fraction = 1 }
            for watcher in progress.watchers.values { watcher.yield(progress.state) }
            return Array(progress.watchers.values)
        }
        for watcher in watchers { watcher.finish() }
    }

    /// Has the core report a call.
    func attach(to spec: inout RequestSpec) {
        spec.reception.progress = ProgressRequest(
            intervalMilliseconds: interval.intervalMilliseconds
        ) { [weak self] _, progress in
            self?.update { $0.take(progress) }
        }
    }
}

extension ProgressReporter.State {
    init(_ progress: CallProgress) { take(progress) }

    fileprivate mutating func take(_ progress: CallProgress) {
        fraction = progress.fraction
        upload = .init(done: progress.upload.done, total: progress.upload.total)
        download = .init(done: progress.download.done, total: progress.download.total)
        objects = .init(done: progress.mapping.done, total: progress.mapping.total)
    }
}

import RestwayClient
import RestwayOutbox
import RestwayOutcome
import RestwayThreads

/// Something that has happened in the outbox.
public enum OutboxEvent: Sendable {
    /// A stored request was delivered, or has become dead.
    case item(OutboxItem)
    /// A flush has ended in which something was sent, with the requests that it has sent and the
    /// error with which it ended early.
    case flushed([OutboxItem], RestwayError?)
}

extension Outbox {
    /// The events of the outbox from now on, until the client is closed. A loop that ends stops
    /// the watch.
    ///
    ///     for await event in try client.outbox.events() {
    ///         if case .item(let item) = event { print(item.id, item.state) }
    ///     }
    public func events() throws(RestwayError) -> AsyncStream<OutboxEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: OutboxEvent.self)
        let watchers = client.outboxWatchers
        try watchers.begin(self)
        let number = watchers.add(
            tell: { continuation.yield($0) }, end: { continuation.finish() })
        continuation.onTermination = { _ in watchers.remove(number) }
        return stream
    }

    /// Waits until a stored request has come to its end: it was delivered, it is dead, or it is
    /// gone, because it was dropped or another process has sent it.
    ///
    ///     } catch {
    ///         guard error.kind == .queued else { throw error }
    ///         let item = try await client.outbox.wait(for: error.outboxID!)
    ///         if item.state == .dead { print(item.deathReason!, item.lastError ?? "") }
    ///     }
    ///
    /// - Returns: The request with its `state`; its `error` says why it was not delivered.
    /// - Throws: A `RestwayError`: `cancelled` if the task was cancelled, `closed` if the client
    ///   was closed, or `invalidArgument` if the outbox does not know the request.
    public func wait(for id: Int64) async throws(RestwayError) -> OutboxItem {
        let outbox = try using { outbox throws(Failure) in outbox }
        let source = client.source
        let waiting = OneAnswer<Result<OutboxItem, Failure>>()
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting.wait(continuation)
                let told = OutboxReceiver { requests in
                    guard let item = requests.all.first, requests.failure?.reason != .closed else {
                        return waiting.give(.failure(requests.failure ?? .closed))
                    }
                    waiting.give(.success(OutboxItem(item, source, requests.failure)))
                }
                do throws(Failure) {
                    try outbox.tellEnd(of: id, to: told)
                } catch {
                    waiting.give(.failure(error))
                }
            }
        } onCancel: {
            waiting.give(
                .failure(
                    Failure(
                        .cancelled, "the wait for item \(id) of the outbox was cancelled",
                        domain: .cancelled)))
        }
        return try RestwayError.explaining(source) { () throws(Failure) in try answer.get() }
    }
}

/// A continuation that takes the first of several answers.
final class OneAnswer<Answer: Sendable>: Sendable {
    private struct State {
        var answer: Answer?
        var continuation: CheckedContinuation<Answer, Never>?
    }

    private let state = Lock(State())

    /// Takes the continuation. Returns false if there is an answer already, which it resumes with.
    @discardableResult
    func wait(_ continuation: CheckedContinuation<Answer, Never>) -> Bool {
        let answer: Answer? = state.withLock { state in
            if state.answer == nil { state.continuation = continuation }
            return state.answer
        }
        if let answer { continuation.resume(returning: answer) }
        return answer == nil
    }

    /// Gives an answer. Later ones are left out.
    func give(_ answer: Answer) {
        let continuation: CheckedContinuation<Answer, Never>? = state.withLock { state in
            guard state.answer == nil else { return nil }
            state.answer = answer
            return state.continuation.take()
        }
        continuation?.resume(returning: answer)
    }
}

/// Passes the one observer of an outbox on to all loops.
final class OutboxWatchers: Sendable {
    private struct Watcher {
        let tell: @Sendable (OutboxEvent) -> Void
        let end: @Sendable () -> Void
    }

    private struct State {
        var hasBegun = false
        var isOver = false
        var watchers: [Int: Watcher] = [:]
        var lastNumber = 0
    }

    /// Ends the watchers when the outbox has let go of its observer.
    private final class Reference: Sendable {
        private let watchers: OutboxWatchers

        init(_ watchers: OutboxWatchers) {
            self.watchers = watchers
        }

        deinit { watchers.end() }

        func tell(_ event: OutboxEvent) { watchers.tell(event) }
    }

    private let state = Lock(State())

    /// Becomes the observer of the outbox, once.
    func begin(_ outbox: Outbox) throws(RestwayError) {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        guard isFirst else { return }
        let reference = Reference(self)
        let source = outbox.client.source
        do throws(RestwayError) {
            try outbox.using { core throws(Failure) in
                try core.setObserver(
                    OutboxObserver(
                        item: OutboxReceiver { requests in
                            guard let item = requests.all.first else { return }
                            reference.tell(.item(OutboxItem(item, source, requests.failure)))
                        },
                        flushed: OutboxReceiver { requests in
                            reference.tell(
                                .flushed(
                                    requests.all.map { OutboxItem($0, source) },
                                    requests.failure.map { RestwayError($0, of: source) }))
                        }))
            }
        } catch {
            state.withLock { $0.hasBegun = false }
            throw error
        }
    }

    /// Adds functions that are called for each event, and at the end. Returns their number.
    func add(
        tell: @escaping @Sendable (OutboxEvent) -> Void, end: @escaping @Sendable () -> Void
    ) -> Int {
        let (number, isOver) = state.withLock { state in
            state.lastNumber += 1
            if !state.isOver { state.watchers[state.lastNumber] = Watcher(tell: tell, end: end) }
            return (state.lastNumber, state.isOver)
        }
        if isOver { end() }
        return number
    }

    func remove(_ number: Int) {
        let removed = state.withLock { $0.watchers.removeValue(forKey: number) }
        _ = consume removed
    }

    private func tell(_ event: OutboxEvent) {
        for watcher in state.withLock({ Array($0.watchers.values) }) { watcher.tell(event) }
    }

    private func end() {
        let watchers = state.withLock { state in
            state.isOver = true
            defer { state.watchers = [:] }
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher.end() }
    }
}

/// Counts the requests of a flush that have come to their end.
final class FlushCounting: Sendable {
    private let progress: ProgressReporter
    private let watchers: OutboxWatchers
    private let number: Int

    init(_ progress: ProgressReporter, _ outbox: Outbox) throws(RestwayError) {
        let counts = try outbox.counts()
        let total = Int64(counts.waiting + counts.sending + counts.blocked)
        watchers = outbox.client.outboxWatchers
        self.progress = progress
        try watchers.begin(outbox)
        number = watchers.add(
            tell: { event in
                guard case .item = event else { return }
                progress.update { $0.countRequest(of: total) }
            }, end: {})
        progress.update { $0.countRequest(of: total, by: 0) }
    }

    func end(isDone: Bool) {
        watchers.remove(number)
        progress.end(isDone: isDone)
    }
}

extension ProgressReporter.State {
    fileprivate mutating func countRequest(of total: Int64, by count: Int64 = 1) {
        let done = requests.done + count
        requests = .init(done: done, total: max(total, done))
        // Only the end of the flush makes the fraction 1.
        fraction = total > 0 ? min(0.999, Double(done) / Double(total)) : 0
    }
}

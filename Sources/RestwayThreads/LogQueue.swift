/// Gives records to the sink of the program on a thread of its own, so that no other thread waits
/// for the sink.
final class LogQueue: Sendable {
    /// A sink, and the numbers of records that are meant for it and that it has received.
    ///
    /// `@unchecked Sendable`: the monitor of the queue guards the variables.
    final class Entry: @unchecked Sendable {
        let generation = ProcessGeneration.current
        /// `nil` after the sink was replaced and runs no more.
        fileprivate var sink: Log.Sink?
        fileprivate var appendedCount = 0
        fileprivate var givenCount = 0

        fileprivate init(_ sink: @escaping Log.Sink) {
            self.sink = sink
        }
    }

    fileprivate struct State {
        /// The present sink.
        var entry: Entry?
        var records: [(Entry, LogRecord)] = []
        var droppedCount: UInt64 = 0
        /// The process whose thread serves the queue; `nil` if no thread does.
        var thread: Int?
    }

    /// The number of records that may wait.
    static let recordsMax = 4096

    private let state = ForkBarrier.guarded(Monitor<State>(State()))

    /// Replaces the sink and calls `change` before another record is appended. Returns the old
    /// sink.
    func replace(_ sink: Log.Sink?, _ change: () -> Void) -> Entry? {
        let entry = sink.map(Entry.init)
        return state.update { state in
            defer { state.entry = entry }
            change()
            return state.entry
        }
    }

    /// Waits until a replaced sink has received its records, and frees it. Inside a callback, it
    /// does not wait, and the sink receives no further record.
    func finish(_ entry: Entry) {
        if !CallbackScope.isActive { wait(for: entry) }
        // The sink may hold the last reference to an object of the program, so it is freed outside
        // of the lock.
        _ = state.withLock { _ in entry.sink.take() }
    }

    /// Waits until the present sink has received the records that were appended before.
    func flush() {
        if let entry = state.withLock({ $0.entry }) { wait(for: entry) }
    }

    private func wait(for entry: Entry) {
        // The thread that serves the parent's sink does not exist in a forked child.
        guard entry.generation == ProcessGeneration.current else { return }
        let count = state.withLock { _ in entry.appendedCount }
        _ = state.wait { _ in entry.givenCount >= count ? () : nil }
    }

    func append(_ record: LogRecord) {
        let process = ProcessGeneration.current
        let isServed = state.update { state in
            if let thread = state.thread, thread != process {
                // The records belong to the parent of this process.
                state.records = []
                state.droppedCount = 0
                state.thread = nil
                if let entry = state.entry { entry.givenCount = entry.appendedCount }
            }
            guard let entry = state.entry else { return true }
            guard entry.appendedCount - entry.givenCount < Self.recordsMax else {
                state.droppedCount += 1
                return true
            }
            var record = record
            record.dropped = state.droppedCount
            state.droppedCount = 0
            state.records.append((entry, record))
            entry.appendedCount += 1
            defer { state.thread = process }
            return state.thread != nil
        }
        guard !isServed else { return }
        let isStarted = Thread.start("restway-log") {
            while let records = self.state.wait(for: { $0.next(endsWhenOff: true) }) {
                if records.isEmpty { return }
                self.give(records)
            }
        }
        guard !isStarted else { return }
        // Without a thread the records would wait for ever.
        while let records = state.withLock({ $0.next(endsWhenOff: false) }), !records.isEmpty {
            give(records)
        }
    }

    private func give(_ records: [(Entry, LogRecord)]) {
        for (entry, record) in records {
            give(record, to: state.withLock { _ in entry.sink })
            // The sink is no longer referred to here, so `finish` frees it.
            state.update { _ in entry.givenCount += 1 }
        }
    }

    @inline(never)
    private func give(_ record: LogRecord, to sink: consuming Log.Sink?) {
        if let sink { CallbackScope.run { sink(record) } }
    }
}

extension LogQueue.State {
    /// Returns the records that wait; no records if the thread ends; `nil` if the thread waits.
    fileprivate mutating func next(endsWhenOff: Bool) -> [(LogQueue.Entry, LogRecord)]? {
        if !records.isEmpty {
            defer { records = [] }
            return records
        }
        if endsWhenOff, entry != nil { return nil }
        thread = nil
        return []
    }
}

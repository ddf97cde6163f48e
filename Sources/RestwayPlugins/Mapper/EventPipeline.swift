import RestwayMapping
import RestwaySupport

/// A mapper that reads on a worker while the thread that maps runs the machine (decision 0018).
///
/// The mapper's events are written on tapes, of which there are few: whoever is ahead waits. The
/// machine stays where its questions and its memory belong.
///
/// `@unchecked Sendable`: `writer` is the worker's while the mapper reads, `machine` the mapping
/// thread's; all that both touch is behind the monitor.
final class EventPipeline: @unchecked Sendable {
    /// Lets the mapper push into the writer.
    typealias Read = (UnsafeMutablePointer<TapeWriter>) -> Result<Void, MapperError>

    private struct State {
        var full = Fifo<EventTape>()
        var empty: [EventTape] = []
        var tapeCount = 1
        /// The machine wants nothing more.
        var isStopped = false
        /// The mapper has returned.
        var result: Result<Void, MapperError>?
    }

    private let machine: MappingMachine
    private let pipelining: Pipelining
    private let read: Read
    private let writer = UnsafeMutablePointer<TapeWriter>.allocate(capacity: 1)
    private let state = Monitor(State())

    /// What came of the mapper, when the machine has taken everything; nil, and nothing has been
    /// read, when no worker is free.
    static func run(
        _ machine: MappingMachine, _ body: UnsafeRawBufferPointer, _ pipelining: Pipelining,
        read: @escaping Read
    ) -> Result<Void, MapperError>? {
        let pipeline = EventPipeline(machine, body, pipelining, read)
        guard pipelining.submit({ pipeline.write() }) else { return nil }
        return pipeline.runMachine()
    }

    private init(
        _ machine: MappingMachine, _ body: UnsafeRawBufferPointer, _ pipelining: Pipelining,
        _ read: @escaping Read
    ) {
        self.machine = machine
        self.pipelining = pipelining
        self.read = read
        let first = EventTape(recordsMax: pipelining.recordsPerTape)
        writer.initialize(
            to: TapeWriter(for: machine, lasting: body, first: first) { [unowned(unsafe) self] in
                exchange($0)
            })
    }

    deinit {
        writer.pointee.destroy()
        writer.deinitialize(count: 1)
        writer.deallocate()
    }

    // MARK: The worker

    private func write() {
        let result = read(writer)
        let last = writer.pointee.finish()
        state.update { state in
            if let last { state.full.append(last) }
            state.result = result
        }
    }

    /// Hands on a full tape and gets an empty one; nil when the machine wants nothing more.
    private func exchange(_ tape: EventTape) -> EventTape? {
        state.updateWakingOne { $0.full.append(tape) }
        let next = state.wait { [pipelining] state -> EventTape?? in
            if state.isStopped { return .some(nil) }
            if let tape = state.empty.popLast() { return tape }
            guard state.tapeCount < pipelining.tapesMax else { return nil }
            state.tapeCount += 1
            return EventTape(recordsMax: pipelining.recordsPerTape)
        }
        return next ?? nil
    }

    // MARK: The thread that maps

    private func runMachine() -> Result<Void, MapperError> {
        while let tape = nextTape() {
            let isWanted = machine.run(tape)
            state.updateWakingOne { state in
                state.empty.append(tape)
                if !isWanted { state.isStopped = true }
            }
        }
        return state.withLock { $0.result ?? .success(()) }
    }

    /// nil when the mapper has returned, and nothing is left.
    private func nextTape() -> EventTape? {
        let next = state.wait { state -> EventTape?? in
            if let tape = state.full.popFirst() { return tape }
            return state.result == nil ? nil : .some(nil)
        }
        return next ?? nil
    }
}

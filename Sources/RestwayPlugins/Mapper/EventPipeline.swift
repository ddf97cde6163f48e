import RestwayMapping
import RestwayThreads

/// Runs the mapper on a worker while the calling thread runs the mapping machine (decision 0018).
///
/// The worker writes the mapper's events on a few tapes. The faster of the two threads waits for
/// the other. The machine stays on the calling thread, where its questions and its memory belong.
///
/// `@unchecked Sendable`: the worker uses `writer` while the mapper reads, and the calling thread
/// uses `machine`. The monitor guards everything that both use.
final class EventPipeline: @unchecked Sendable {
    /// Lets the mapper push events into the writer.
    typealias Read = (UnsafeMutablePointer<TapeWriter>) -> Result<Void, MapperError>

    private struct State {
        var full = Fifo<EventTape>()
        var empty: [EventTape] = []
        var tapeCount = 1
        /// The machine needs no more events.
        var isStopped = false
        /// The result of the mapper, once it has returned.
        var result: Result<Void, MapperError>?
    }

    private let machine: MappingMachine
    private let pipelining: Pipelining
    private let read: Read
    private let writer = UnsafeMutablePointer<TapeWriter>.allocate(capacity: 1)
    private let state = Monitor(State())

    /// The mapper's result, once the machine has taken all events. If no worker is free, this reads
    /// nothing and returns nil.
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

    /// Hands over a full tape and returns an empty one; nil if the machine needs no more events.
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

    /// The next tape; nil if the mapper has returned and no tape is left.
    private func nextTape() -> EventTape? {
        let next = state.wait { state -> EventTape?? in
            if let tape = state.full.popFirst() { return tape }
            return state.result == nil ? nil : .some(nil)
        }
        return next ?? nil
    }
}

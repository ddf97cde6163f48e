package import RestwayObjects

/// Turns the events of one response into rows of a change set.
///
/// Made for one response and one thread; changes no store.
package final class MappingMachine: EventSink {
    /// Behind a pointer: Swift checks each access to a class's own storage at run time.
    private let core: UnsafeMutablePointer<MachineCore>

    /// - Parameters:
    ///   - isCancelled: Asked once for each object; true stops the mapping.
    ///   - progress: Told how far it is.
    ///   - isAnswer: To objects that were sent: each place that tells about one has its own row.
    ///   - glance: How to look at objects of the store that the rows are for: one that says the
    ///     same as a row becomes the row.
    package init(
        plan: MappingPlan, limits: MappingLimits = MappingLimits(),
        isCancelled: (@Sendable () -> Bool)? = nil, progress: MappingProgress? = nil,
        isAnswer: Bool = false, glance: (Entity) -> Glance? = { _ in nil }
    ) {
        core = .allocate(capacity: 1)
        core.initialize(to: MachineCore(plan, limits, isCancelled, progress, isAnswer: isAnswer))
        core.pointee.look(with: glance)
    }

    deinit {
        core.pointee.destroy()
        core.deinitialize(count: 1)
        core.deallocate()
    }

    /// For callers that push through C.
    package var pointer: MachinePointer { MachinePointer(core) }

    var plan: MappingPlan { core.pointee.plan }
    var limits: MappingLimits { core.pointee.limits }

    /// Takes the events of `tape`, which is then empty; false when nothing more is wanted.
    package func run(_ tape: EventTape) -> Bool {
        defer { tape.clear() }
        return core.pointee.run(tape)
    }

    /// Whether it has ended early: `finish` says why.
    package var hasFailed: Bool { core.pointee.failure != nil }

    /// Text of events that lies within `bytes` stays there until this is called again: the machine
    /// need not copy it at once.
    package func relies(on bytes: UnsafeRawBufferPointer) {
        core.pointee.lasting = bytes
    }

    package func beginObject() -> EventAnswer { core.pointee.beginObject() }
    package func key(_ text: UnsafeRawBufferPointer) -> EventAnswer { core.pointee.key(text) }
    package func endObject() -> EventAnswer { core.pointee.end(isArray: false) }
    package func beginArray(count: Int?) -> EventAnswer { core.pointee.beginArray(count) }
    package func endArray() -> EventAnswer { core.pointee.end(isArray: true) }
    package func string(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        core.pointee.string(text)
    }
    package func int64(_ value: Int64) -> EventAnswer { core.pointee.int64(value) }
    package func double(_ value: Double) -> EventAnswer { core.pointee.double(value) }
    package func bool(_ value: Bool) -> EventAnswer { core.pointee.bool(value) }
    package func null() -> EventAnswer { core.pointee.scalar(.null) }
    package func bytes(_ content: UnsafeRawBufferPointer) -> EventAnswer {
        core.pointee.scalar(.bytes(content))
    }
    package func date(_ microseconds: Int64) -> EventAnswer {
        core.pointee.scalar(.date(microseconds))
    }
    package func unrepresentableNumber(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        core.pointee.scalar(.unrepresentable(text))
    }

    /// What came of the events; call it once, when the mapper has returned. A machine that saw no
    /// value at all found nothing.
    package func finish() throws(MappingFailure) -> MappingResult {
        try core.pointee.finish()
    }
}

package import RestwayObjects

/// Turns the events of one response into rows of a change set.
///
/// A machine serves one response on one thread. It changes no store.
package final class MappingMachine: EventSink {
    /// The state is behind a pointer because Swift checks each access to a class's storage at run
    /// time.
    private let core: UnsafeMutablePointer<MachineCore>

    /// - Parameters:
    ///   - isCancelled: Called once for each object; true stops the mapping.
    ///   - progress: Receives the progress of the mapping.
    ///   - isAnswer: Whether this is an answer to sent objects. Each place in it has its own row.
    ///   - glance: Returns how to look up stored objects of an entity. A stored object that equals
    ///     a row takes the place of the row.
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

    /// The pointer for callers that push through C.
    package var pointer: MachinePointer { MachinePointer(core) }

    var plan: MappingPlan { core.pointee.plan }
    var limits: MappingLimits { core.pointee.limits }

    /// Takes the events of `tape`, which is empty afterwards; false if no more events are needed.
    package func run(_ tape: EventTape) -> Bool {
        defer { tape.clear() }
        return core.pointee.run(tape)
    }

    /// Whether the mapping has ended early. `finish` throws the reason.
    package var hasFailed: Bool { core.pointee.failure != nil }

    /// Promises that text of events within `bytes` stays valid until this is called again. The
    /// machine need not copy this text at once.
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

    /// The result of the mapping. Call it once, after the mapper has returned.
    package func finish() throws(MappingFailure) -> MappingResult {
        try core.pointee.finish()
    }
}

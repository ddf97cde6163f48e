/// Turns the events of one response into rows of a change set.
///
/// A machine serves one response on one thread. It changes no store.
package final class MappingMachine: EventSink {
    /// The state is behind a pointer because Swift checks each access to a class's storage at run
    /// time.
    fileprivate let core: UnsafeMutablePointer<MachineCore>

    /// - Parameters:
    ///   - isCancelled: Called once for each object; true stops the mapping.
    ///   - progress: Receives the progress of the mapping.
    ///   - isAnswer: Whether this is an answer to sent objects. Each place in it has its own row.
    package init(
        plan: MappingPlan, limits: MappingLimits = MappingLimits(),
        isCancelled: (@Sendable () -> Bool)? = nil, progress: MappingProgress? = nil,
        isAnswer: Bool = false
    ) {
        core = .allocate(capacity: 1)
        core.initialize(to: MachineCore(plan, limits, isCancelled, progress, isAnswer: isAnswer))
    }

    deinit {
        core.pointee.destroy()
        core.deinitialize(count: 1)
        core.deallocate()
    }

    /// Whether the mapping has ended early. `finish` throws the reason.
    package var hasFailed: Bool { core.pointee.failure != nil }

    /// Promises that text of events within `bytes` stays valid until this is called again. The
    /// machine need not copy this text at once.
    package func relies(on bytes: UnsafeRawBufferPointer) {
        core.pointee.relies(on: bytes)
    }

    package var machine: MappingMachine? { self }
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

/// Gives C access to a machine without counting references: its functions take the address of an
/// entry as their context.
///
/// The functions are in this module, beside the machine, so that no event crosses a module
/// boundary.
package struct MachineEntry {
    package typealias Context = UnsafeMutableRawPointer
    package typealias Late = @convention(c) (Context) -> Int32
    package typealias Plain = @convention(c) (Context?) -> Int32
    package typealias OfText = @convention(c) (Context?, UnsafePointer<CChar>?, Int) -> Int32
    package typealias OfInteger = @convention(c) (Context?, Int64) -> Int32

    /// The machine's state; nil if no more events may come.
    private var core: UnsafeMutablePointer<MachineCore>?
    /// Answers events that come too late.
    private let late: Late

    /// The entry of `machine`, valid as long as the machine lives; closed if there is none.
    package init(_ machine: MappingMachine?, late: @escaping Late) {
        core = machine?.core
        self.late = late
    }

    package var isOpen: Bool { core != nil }

    package mutating func close() {
        core = nil
    }

    package static let beginObject: Plain = { push($0) { $0.beginObject() } }
    package static let endObject: Plain = { push($0) { $0.end(isArray: false) } }
    package static let beginArray: OfInteger = { context, count in
        push(context) { $0.beginArray(count >= 0 ? Int(count) : nil) }
    }
    package static let endArray: Plain = { push($0) { $0.end(isArray: true) } }
    package static let key: OfText = { context, text, length in
        push(context) { $0.key(UnsafeRawBufferPointer(start: text, count: length)) }
    }
    package static let string: OfText = { context, text, length in
        push(context) { $0.string(UnsafeRawBufferPointer(start: text, count: length)) }
    }
    package static let integer: OfInteger = { context, value in
        push(context) { $0.int64(value) }
    }
    package static let real: @convention(c) (Context?, Double) -> Int32 = { context, value in
        push(context) { $0.double(value) }
    }
    package static let boolean: @convention(c) (Context?, Int32) -> Int32 = { context, truth in
        push(context) { $0.bool(truth != 0) }
    }
    package static let null: Plain = { push($0) { $0.scalar(.null) } }
    package static let bytes: @convention(c) (Context?, UnsafeRawPointer?, Int) -> Int32 = {
        context, content, length in
        push(context) {
            $0.scalar(.bytes(UnsafeRawBufferPointer(start: content, count: length)))
        }
    }
    package static let date: OfInteger = { context, microseconds in
        push(context) { $0.scalar(.date(microseconds)) }
    }
    package static let numberOutOfRange: OfText = { context, text, length in
        push(context) {
            $0.scalar(.unrepresentable(UnsafeRawBufferPointer(start: text, count: length)))
        }
    }

    @inline(__always)
    private static func push(
        _ context: Context?, _ event: (inout MachineCore) -> EventAnswer
    ) -> Int32 {
        let entry = context.unsafelyUnwrapped.assumingMemoryBound(to: MachineEntry.self)
        guard let core = entry.pointee.core else {
            return entry.pointee.late(context.unsafelyUnwrapped)
        }
        return event(&core.pointee).rawValue
    }
}

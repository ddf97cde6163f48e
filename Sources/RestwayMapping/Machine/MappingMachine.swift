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
    package var keepsDigits: Bool { core.pointee.plan.keepsDigits }
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
    package func numberText(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        core.pointee.scalar(.digits(text))
    }
    package func broke(_ breach: EventBreach) -> EventAnswer { core.pointee.broke(breach) }

    /// Takes a string in which U+FFFD replaces what was not Unicode.
    package func repairedString(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        let answer = core.pointee.string(text)
        if answer != .stop {
            core.pointee.issue("expected text, found text that is not Unicode; U+FFFD replaces it")
        }
        return answer
    }

    // A machine can map several values into one result, for example events that arrived together.
    // The caller reports the end of each value, and the start of each further value.

    /// Checks that the mapper has pushed one whole value.
    package func checkValue() throws(MappingFailure) { try core.pointee.checkValue() }

    /// Prepares for another value, whose objects follow those of the values before.
    package func beginNextValue() { core.pointee.beginNextValue() }

    /// The number of results of a descriptor so far.
    ///
    /// - Parameter descriptor: Its position in the plan.
    package func resultCount(of descriptor: Int) -> Int {
        core.pointee.resultCount(of: DescriptorIndex(descriptor))
    }

    /// The first value that did not fit.
    package var firstIssue: MappingIssue? { core.pointee.firstIssue }

    /// The result of the mapping. Call it once, after the mapper has returned.
    package func finish() throws(MappingFailure) -> MappingResult {
        try core.pointee.finish()
    }
}

/// Asks a function that may be missing. It stands here so that the closure is lent to it without
/// counting a reference.
@inline(never)
func asks(_ question: borrowing (@Sendable () -> Bool)?) -> Bool {
    switch question {
    case .none: false
    case .some(let question): question()
    }
}

/// Gives C access to a sink: its functions take the address of an entry as their context. A mapping
/// machine is called without counting references.
///
/// The functions are in this module, beside the machine, so that no event crosses a module
/// boundary.
package struct SinkEntry {
    package typealias Context = UnsafeMutableRawPointer
    package typealias Late = @convention(c) (Context) -> Int32
    package typealias Plain = @convention(c) (Context?) -> Int32
    package typealias OfText = @convention(c) (Context?, UnsafePointer<CChar>?, Int) -> Int32
    package typealias OfInteger = @convention(c) (Context?, Int64) -> Int32

    /// The sink; nil if no more events may come.
    private var sink: (any EventSink)?
    /// The state of the sink, if it is a machine and events may come.
    private var core: UnsafeMutablePointer<MachineCore>?
    /// Answers events that come too late.
    private let late: Late

    package init(_ sink: any EventSink, late: @escaping Late) {
        self.sink = sink
        core = sink.machine?.core
        self.late = late
    }

    package mutating func close() {
        (sink, core) = (nil, nil)
    }

    package static let beginObject: Plain = {
        push($0, { $0.beginObject() }, { $0.beginObject() })
    }
    package static let endObject: Plain = {
        push($0, { $0.end(isArray: false) }, { $0.endObject() })
    }
    package static let beginArray: OfInteger = { context, number in
        let count = number >= 0 ? Int(number) : nil
        return push(context, { $0.beginArray(count) }, { $0.beginArray(count: count) })
    }
    package static let endArray: Plain = {
        push($0, { $0.end(isArray: true) }, { $0.endArray() })
    }
    package static let key: OfText = { context, text, length in
        guard isMemory(text, length) else { return refuse(context) }
        let text = UnsafeRawBufferPointer(start: text, count: length)
        return push(context, { $0.key(text) }, { $0.key(text) })
    }
    package static let string: OfText = { context, text, length in
        guard isMemory(text, length) else { return refuse(context) }
        let text = UnsafeRawBufferPointer(start: text, count: length)
        return push(context, { $0.string(text) }, { $0.string(text) })
    }
    package static let integer: OfInteger = { context, value in
        push(context, { $0.int64(value) }, { $0.int64(value) })
    }
    package static let real: @convention(c) (Context?, Double) -> Int32 = { context, value in
        push(context, { $0.double(value) }, { $0.double(value) })
    }
    package static let boolean: @convention(c) (Context?, Int32) -> Int32 = { context, truth in
        push(context, { $0.bool(truth != 0) }, { $0.bool(truth != 0) })
    }
    package static let null: Plain = { push($0, { $0.scalar(.null) }, { $0.null() }) }
    package static let bytes: @convention(c) (Context?, UnsafeRawPointer?, Int) -> Int32 = {
        context, content, length in
        guard isMemory(content, length) else { return refuse(context) }
        let content = UnsafeRawBufferPointer(start: content, count: length)
        return push(context, { $0.scalar(.bytes(content)) }, { $0.bytes(content) })
    }
    package static let date: OfInteger = { context, date in
        push(context, { $0.scalar(.date(date)) }, { $0.date(date) })
    }
    package static let numberText: OfText = { context, text, length in
        guard isMemory(text, length) else { return refuse(context) }
        let text = UnsafeRawBufferPointer(start: text, count: length)
        return push(
            context, { $0.scalar(.digits(text)) }, { $0.numberText(text) })
    }

    /// No memory is as long: the length of a text beyond this is a mistake, such as `SIZE_MAX`.
    package static let memoryBytesMax = 1 << 56

    /// Whether bytes of this length may lie at this place.
    @inline(__always)
    private static func isMemory(_ start: UnsafeRawPointer?, _ length: Int) -> Bool {
        UInt(bitPattern: length) <= UInt(memoryBytesMax) && (start != nil || length == 0)
    }

    /// Refuses a text that cannot be read.
    @inline(never)
    private static func refuse(_ context: Context?) -> Int32 {
        push(context, { $0.broke(.unusableText) }, { $0.broke(.unusableText) })
    }

    @inline(__always)
    private static func push(
        _ context: Context?, _ toMachine: (inout MachineCore) -> EventAnswer,
        _ toSink: (any EventSink) -> EventAnswer
    ) -> Int32 {
        let context = context.unsafelyUnwrapped
        let entry = context.assumingMemoryBound(to: SinkEntry.self)
        guard let core = entry.pointee.core else { return pushToSink(context, entry, toSink) }
        return toMachine(&core.pointee).rawValue
    }

    /// Not inlined: each event would save more registers than a machine needs.
    @inline(never)
    private static func pushToSink(
        _ context: Context, _ entry: UnsafePointer<SinkEntry>,
        _ toSink: (any EventSink) -> EventAnswer
    ) -> Int32 {
        guard let sink = entry.pointee.sink else { return entry.pointee.late(context) }
        return toSink(sink).rawValue
    }
}

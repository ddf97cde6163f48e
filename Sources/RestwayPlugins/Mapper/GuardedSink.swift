import CRestwayPlugin
import RestwayMapping
import RestwayThreads

/// Gives a plugin an event sink, as functions and a context.
///
/// If a plugin pushes events after `decode` has returned, it is told to stop, and the call is
/// reported. To detect this, the last few sinks are kept.
///
/// `@unchecked Sendable`: only the decoding thread uses the sink. Later calls read only `plugin`.
final class GuardedSink: @unchecked Sendable {
    /// The context that C receives. Calls reach the machine without counting references.
    private struct Context {
        /// The first field, because its functions take the address of this context. It has a writer
        /// if the machine runs on another thread, until `decode` has returned.
        var tape: TapeEntry
        /// The mapping machine; nil for other sinks and after `decode` has returned.
        var machine: MachinePointer?
        unowned(unsafe) let guarded: GuardedSink
    }

    private let context: UnsafeMutablePointer<Context>
    /// The sink; nil after `decode` has returned.
    private var sink: (any EventSink)?
    private let plugin: String

    private static let recent = ForkBarrier.guarded(Lock<Fifo<GuardedSink>>(Fifo()))
    private static let recentMax = 64

    init(
        _ sink: any EventSink, plugin: String, writer: UnsafeMutablePointer<TapeWriter>? = nil
    ) {
        self.sink = sink
        self.plugin = plugin
        context = .allocate(capacity: 1)
        let machine = (sink as? MappingMachine)?.pointer
        let tape = TapeEntry(writer) { context in
            context.assumingMemoryBound(to: Context.self).pointee.guarded.late()
        }
        context.initialize(to: Context(tape: tape, machine: machine, guarded: self))
    }

    deinit {
        context.deinitialize(count: 1)
        context.deallocate()
    }

    var table: restway_plugin_sink {
        var table =
            context.pointee.tape.writer != nil
            ? Self.writerTable
            : context.pointee.machine == nil ? Self.anyTable : Self.machineTable
        table.context = UnsafeMutableRawPointer(context)
        return table
    }

    func end() {
        sink = nil
        context.pointee.machine = nil
        context.pointee.tape.writer = nil
        Self.recent.withLock { recent in
            recent.append(self)
            if recent.count > Self.recentMax { _ = recent.popFirst() }
        }
    }

    private func late() -> Int32 {
        Log.shared.write(
            .error, .plugin, "plugin \"\(plugin)\": pushes values although decode has returned")
        return RESTWAY_PLUGIN_STOP
    }

    // MARK: From C

    @inline(__always)
    private static func toMachine(
        _ context: UnsafeMutableRawPointer?, _ push: (MachinePointer) -> EventAnswer
    ) -> Int32 {
        let context = context!.assumingMemoryBound(to: Context.self)
        guard let machine = context.pointee.machine else { return context.pointee.guarded.late() }
        return push(machine).rawValue
    }

    @inline(__always)
    private static func toWriter(
        _ context: UnsafeMutableRawPointer?, _ push: (inout TapeWriter) -> EventAnswer
    ) -> Int32 {
        let context = context!.assumingMemoryBound(to: Context.self)
        guard let writer = context.pointee.tape.writer else {
            return context.pointee.guarded.late()
        }
        return push(&writer.pointee).rawValue
    }

    @inline(__always)
    private static func toAny(
        _ context: UnsafeMutableRawPointer?, _ push: (any EventSink) -> EventAnswer
    ) -> Int32 {
        let guarded = context!.assumingMemoryBound(to: Context.self).pointee.guarded
        guard let sink = guarded.sink else { return guarded.late() }
        return push(sink).rawValue
    }

    nonisolated(unsafe) private static let machineTable: restway_plugin_sink = {
        var table = restway_plugin_sink()
        table.struct_size = MemoryLayout<restway_plugin_sink>.size
        table.begin_object = { context in toMachine(context) { $0.beginObject() } }
        table.key = { context, text, length in
            toMachine(context) { $0.key(UnsafeRawBufferPointer(start: text, count: length)) }
        }
        table.end_object = { context in toMachine(context) { $0.endObject() } }
        table.begin_array = { context, count in
            toMachine(context) { $0.beginArray(count: count >= 0 ? Int(count) : nil) }
        }
        table.end_array = { context in toMachine(context) { $0.endArray() } }
        table.null_value = { context in toMachine(context) { $0.null() } }
        table.bytes = { context, content, length in
            toMachine(context) { $0.bytes(UnsafeRawBufferPointer(start: content, count: length)) }
        }
        table.date = { context, microseconds in toMachine(context) { $0.date(microseconds) } }
        table.boolean = { context, truth in toMachine(context) { $0.bool(truth != 0) } }
        table.integer = { context, value in toMachine(context) { $0.int64(value) } }
        table.real = { context, value in toMachine(context) { $0.double(value) } }
        table.string = { context, text, length in
            toMachine(context) { $0.string(UnsafeRawBufferPointer(start: text, count: length)) }
        }
        table.number_out_of_range = { context, text, length in
            toMachine(context) {
                $0.unrepresentableNumber(UnsafeRawBufferPointer(start: text, count: length))
            }
        }
        return table
    }()

    nonisolated(unsafe) private static let anyTable: restway_plugin_sink = {
        var table = restway_plugin_sink()
        table.struct_size = MemoryLayout<restway_plugin_sink>.size
        table.begin_object = { context in toAny(context) { $0.beginObject() } }
        table.key = { context, text, length in
            toAny(context) { $0.key(UnsafeRawBufferPointer(start: text, count: length)) }
        }
        table.end_object = { context in toAny(context) { $0.endObject() } }
        table.begin_array = { context, count in
            toAny(context) { $0.beginArray(count: count >= 0 ? Int(count) : nil) }
        }
        table.end_array = { context in toAny(context) { $0.endArray() } }
        table.null_value = { context in toAny(context) { $0.null() } }
        table.bytes = { context, content, length in
            toAny(context) { $0.bytes(UnsafeRawBufferPointer(start: content, count: length)) }
        }
        table.date = { context, microseconds in toAny(context) { $0.date(microseconds) } }
        table.boolean = { context, truth in toAny(context) { $0.bool(truth != 0) } }
        table.integer = { context, value in toAny(context) { $0.int64(value) } }
        table.real = { context, value in toAny(context) { $0.double(value) } }
        table.string = { context, text, length in
            toAny(context) { $0.string(UnsafeRawBufferPointer(start: text, count: length)) }
        }
        table.number_out_of_range = { context, text, length in
            toAny(context) {
                $0.unrepresentableNumber(UnsafeRawBufferPointer(start: text, count: length))
            }
        }
        return table
    }()

    nonisolated(unsafe) private static let writerTable: restway_plugin_sink = {
        var table = restway_plugin_sink()
        table.struct_size = MemoryLayout<restway_plugin_sink>.size
        table.begin_object = TapeEntry.beginObject
        table.key = TapeEntry.key
        table.end_object = TapeEntry.endObject
        table.begin_array = { context, count in
            toWriter(context) { $0.beginArray(count: count >= 0 ? Int(count) : nil) }
        }
        table.end_array = { context in toWriter(context) { $0.endArray() } }
        table.null_value = { context in toWriter(context) { $0.null() } }
        table.bytes = { context, content, length in
            toWriter(context) { $0.bytes(UnsafeRawBufferPointer(start: content, count: length)) }
        }
        table.date = { context, microseconds in toWriter(context) { $0.date(microseconds) } }
        table.boolean = TapeEntry.boolean
        table.integer = TapeEntry.integer
        table.real = TapeEntry.real
        table.string = TapeEntry.string
        table.number_out_of_range = { context, text, length in
            toWriter(context) {
                $0.unrepresentableNumber(UnsafeRawBufferPointer(start: text, count: length))
            }
        }
        return table
    }()
}

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
    /// The context that C receives.
    private struct Context {
        /// The first field, because its functions take the address of this context. It is closed
        /// for sinks that are not mapping machines.
        var machine: MachineEntry
        unowned(unsafe) let guarded: GuardedSink
    }

    private let context: UnsafeMutablePointer<Context>
    /// The sink; nil after `decode` has returned.
    private var sink: (any EventSink)?
    private let plugin: String

    init(_ sink: any EventSink, plugin: String) {
        self.sink = sink
        self.plugin = plugin
        context = .allocate(capacity: 1)
        let machine = MachineEntry(sink.machine) { context in
            context.assumingMemoryBound(to: Context.self).pointee.guarded.late()
        }
        context.initialize(to: Context(machine: machine, guarded: self))
    }

    deinit {
        context.deinitialize(count: 1)
        context.deallocate()
    }

    var table: restway_plugin_sink {
        var table = context.pointee.machine.isOpen ? Self.machineTable : Self.anyTable
        table.context = UnsafeMutableRawPointer(context)
        return table
    }

    func end() {
        sink = nil
        context.pointee.machine.close()
        RecentGuards.keep(self)
    }

    private func late() -> Int32 {
        Log.shared.write(
            .error, .plugin, "plugin \"\(plugin)\": pushes values although decode has returned")
        return RESTWAY_PLUGIN_STOP
    }

    // MARK: From C

    nonisolated(unsafe) private static let machineTable: restway_plugin_sink = {
        var table = restway_plugin_sink()
        table.struct_size = MemoryLayout<restway_plugin_sink>.size
        table.begin_object = MachineEntry.beginObject
        table.key = MachineEntry.key
        table.end_object = MachineEntry.endObject
        table.begin_array = MachineEntry.beginArray
        table.end_array = MachineEntry.endArray
        table.null_value = MachineEntry.null
        table.bytes = MachineEntry.bytes
        table.date = MachineEntry.date
        table.boolean = MachineEntry.boolean
        table.integer = MachineEntry.integer
        table.real = MachineEntry.real
        table.string = MachineEntry.string
        table.number_out_of_range = MachineEntry.numberOutOfRange
        return table
    }()

    @inline(__always)
    private static func toAny(
        _ context: UnsafeMutableRawPointer?, _ push: (any EventSink) -> EventAnswer
    ) -> Int32 {
        let guarded = context!.assumingMemoryBound(to: Context.self).pointee.guarded
        guard let sink = guarded.sink else { return guarded.late() }
        return push(sink).rawValue
    }

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
}

/// The sinks and readers whose calls have ended last. They are kept because a plugin may still
/// call their functions.
enum RecentGuards {
    private static let recent = ForkBarrier.guarded(Lock<Fifo<any AnyObject & Sendable>>(Fifo()))
    private static let countMax = 128

    static func keep(_ ended: any AnyObject & Sendable) {
        recent.withLock { recent in
            recent.append(ended)
            if recent.count > countMax { _ = recent.popFirst() }
        }
    }
}

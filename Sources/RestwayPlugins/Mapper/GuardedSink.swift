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
        /// after `decode` has returned.
        var entry: SinkEntry
        unowned(unsafe) let guarded: GuardedSink
    }

    private let context: UnsafeMutablePointer<Context>
    private let plugin: String

    init(_ sink: any EventSink, plugin: String) {
        self.plugin = plugin
        context = .allocate(capacity: 1)
        let entry = SinkEntry(sink) { context in
            context.assumingMemoryBound(to: Context.self).pointee.guarded.late()
        }
        context.initialize(to: Context(entry: entry, guarded: self))
    }

    deinit {
        context.deinitialize(count: 1)
        context.deallocate()
    }

    var table: restway_plugin_sink {
        var table = Self.table
        table.context = UnsafeMutableRawPointer(context)
        return table
    }

    func end() {
        context.pointee.entry.close()
        RecentGuards.keep(self)
    }

    private func late() -> Int32 {
        Log.shared.write(
            .error, .plugin, "plugin \"\(plugin)\": pushes values although decode has returned")
        return RESTWAY_PLUGIN_STOP
    }

    // MARK: From C

    nonisolated(unsafe) private static let table: restway_plugin_sink = {
        var table = restway_plugin_sink()
        table.struct_size = MemoryLayout<restway_plugin_sink>.size
        table.begin_object = SinkEntry.beginObject
        table.key = SinkEntry.key
        table.end_object = SinkEntry.endObject
        table.begin_array = SinkEntry.beginArray
        table.end_array = SinkEntry.endArray
        table.null_value = SinkEntry.null
        table.bytes = SinkEntry.bytes
        table.date = SinkEntry.date
        table.boolean = SinkEntry.boolean
        table.integer = SinkEntry.integer
        table.real = SinkEntry.real
        table.string = SinkEntry.string
        table.number_out_of_range = SinkEntry.numberText
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

import CRestwayPlugin
import Glibc
import RestwayMapping
import RestwayText
import RestwayThreads

/// Gives a plugin the value that it encodes, as functions and a context.
///
/// A breach of the contract ends the encoding, and the first error is kept. If a plugin goes on
/// after `encode` has returned, its calls fail and are reported. To detect them, the last few
/// readers are kept.
///
/// `@unchecked Sendable`: only the encoding thread uses the properties, except `thread`, `plugin`
/// and `conduct`.
final class GuardedReader: @unchecked Sendable {
    /// The context that C receives.
    private struct Context {
        unowned(unsafe) let guarded: GuardedReader
    }

    private struct Conduct {
        /// Whether `encode` has returned.
        var hasEnded = false
        /// Whether another thread has called a function of this reader.
        var isTrespassed = false
    }

    /// The largest body. The limit stops a plugin that writes without end.
    private static let bytesMax = 256 << 20

    private let context: UnsafeMutablePointer<Context>
    private let plugin: String
    private let thread = pthread_self()
    private let conduct = Lock<Conduct>(Conduct())

    private var reader: ValueReader
    private var isAtEnd = false
    /// The text of the last step, lent to the plugin.
    private var lent = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var written: [UInt8] = []
    private var complaint: MapperError?

    init(_ reader: ValueReader, plugin: String) {
        self.reader = reader
        self.plugin = plugin
        context = .allocate(capacity: 1)
        context.initialize(to: Context(guarded: self))
    }

    deinit {
        lent.deallocate()
        context.deinitialize(count: 1)
        context.deallocate()
    }

    var table: restway_plugin_reader {
        var table = restway_plugin_reader()
        table.struct_size = MemoryLayout<restway_plugin_reader>.size
        table.context = UnsafeMutableRawPointer(context)
        table.next = { context, item in GuardedReader.of(context).next(item) }
        table.write = { context, bytes, count in GuardedReader.of(context).write(bytes, count) }
        return table
    }

    /// The bytes that the plugin wrote, after `encode` has returned `result`.
    ///
    /// - Parameter failure: The reason that the plugin gave for a failure.
    func end(_ result: Int32, failure: MapperError) throws(MapperError) -> [UInt8] {
        let isTrespassed = conduct.withLock { conduct in
            conduct.hasEnded = true
            return conduct.isTrespassed
        }
        RecentGuards.keep(self)
        if let complaint { throw complaint }
        guard result == RESTWAY_PLUGIN_OK else { throw failure }
        guard !isTrespassed else {
            throw MapperError("plugin \"\(plugin)\": has encoded on another thread")
        }
        guard isAtEnd else {
            throw MapperError("plugin \"\(plugin)\": has encoded a part of the value only")
        }
        defer { written = [] }
        return written
    }

    // MARK: From C

    private static func of(_ context: UnsafeMutableRawPointer?) -> GuardedReader {
        context!.assumingMemoryBound(to: Context.self).pointee.guarded
    }

    private func next(_ item: UnsafeMutablePointer<restway_plugin_item>?) -> Int32 {
        guard checkConduct("asks for values") else { return RESTWAY_PLUGIN_FAILED }
        guard let item, item.pointee.struct_size >= MemoryLayout<restway_plugin_item>.size else {
            return complain("asks for a value without an item, or its struct_size is too small")
        }
        guard !isAtEnd else { return complain("asks for values behind the end") }
        do throws(MapperError) {
            fill(item, try reader.next())
            return RESTWAY_PLUGIN_OK
        } catch {
            complaint = error
            return RESTWAY_PLUGIN_FAILED
        }
    }

    private func write(_ bytes: UnsafeRawPointer?, _ count: Int) -> Int32 {
        guard checkConduct("writes") else { return RESTWAY_PLUGIN_FAILED }
        guard count != 0 else { return RESTWAY_PLUGIN_OK }
        guard let bytes, count > 0 else {
            return complain("writes bytes that are NULL, or too many of them")
        }
        guard count <= Self.bytesMax - written.count else {
            return complain("writes more than \(Self.bytesMax) bytes")
        }
        written.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
        return RESTWAY_PLUGIN_OK
    }

    /// Returns whether `encode` is running on this thread and has met no error yet. It notes and
    /// logs a breach of the contract.
    private func checkConduct(_ what: String) -> Bool {
        let isTrespasser = pthread_equal(thread, pthread_self()) == 0
        let isLate = conduct.withLock { conduct in
            if isTrespasser { conduct.isTrespassed = true }
            return conduct.hasEnded
        }
        guard !isLate, !isTrespasser else {
            let how = isLate ? "although encode has returned" : "on another thread"
            Log.shared.write(.error, .plugin, "plugin \"\(plugin)\": \(what) \(how)")
            return false
        }
        return complaint == nil
    }

    private func complain(_ what: String) -> Int32 {
        complaint = MapperError("plugin \"\(plugin)\": \(what)")
        return RESTWAY_PLUGIN_FAILED
    }

    private func fill(
        _ item: UnsafeMutablePointer<restway_plugin_item>, _ step: ValueReader.Step
    ) {
        isAtEnd = step == .end
        var filled =
            switch step {
            case .end: Self.item(RESTWAY_PLUGIN_ITEM_END)
            case .beginObject(let count):
                Self.item(RESTWAY_PLUGIN_ITEM_BEGIN_OBJECT, count: count)
            case .key(let text): lend(Array(text.utf8), RESTWAY_PLUGIN_ITEM_KEY)
            case .endObject: Self.item(RESTWAY_PLUGIN_ITEM_END_OBJECT)
            case .beginArray(let count):
                Self.item(RESTWAY_PLUGIN_ITEM_BEGIN_ARRAY, count: count)
            case .endArray: Self.item(RESTWAY_PLUGIN_ITEM_END_ARRAY)
            case .null: Self.item(RESTWAY_PLUGIN_ITEM_NULL)
            case .bool(let value): Self.item(RESTWAY_PLUGIN_ITEM_BOOLEAN, integer: value ? 1 : 0)
            case .int64(let value): Self.item(RESTWAY_PLUGIN_ITEM_INTEGER, integer: value)
            case .double(let value): Self.item(RESTWAY_PLUGIN_ITEM_REAL, real: value)
            case .string(let text): lend(Array(text.utf8), RESTWAY_PLUGIN_ITEM_STRING)
            case .bytes(let bytes): lend(bytes, RESTWAY_PLUGIN_ITEM_BYTES)
            case .date(let date): Self.item(RESTWAY_PLUGIN_ITEM_DATE, integer: date)
            // A format without digits takes a number that a double can hold.
            case .numberText(let text) where !NumberForm.isOutOfRange(text):
                Self.item(RESTWAY_PLUGIN_ITEM_REAL, real: Double(text) ?? 0)
            case .numberText(let text):
                lend(Array(text.utf8), RESTWAY_PLUGIN_ITEM_NUMBER_OUT_OF_RANGE)
            }
        filled.struct_size = item.pointee.struct_size
        item.pointee = filled
    }

    private static func item(
        _ kind: Int32, count: Int = 0, integer: Int64 = 0, real: Double = 0
    ) -> restway_plugin_item {
        var item = restway_plugin_item()
        (item.kind, item.count, item.integer, item.real) = (kind, Int64(count), integer, real)
        return item
    }

    /// Returns an item with `bytes`, which are kept, followed by a NUL, until the next step.
    private func lend(_ bytes: [UInt8], _ kind: Int32) -> restway_plugin_item {
        lent.deallocate()
        lent = .allocate(byteCount: bytes.count + 1, alignment: 1)
        lent.copyBytes(from: bytes)
        lent[bytes.count] = 0
        var item = Self.item(kind)
        item.text = UnsafePointer(lent.baseAddress?.assumingMemoryBound(to: CChar.self))
        item.length = bytes.count
        return item
    }
}

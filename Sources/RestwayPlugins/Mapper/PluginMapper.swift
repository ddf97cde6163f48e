import CRestwayPlugin
package import RestwayMapping
import RestwayThreads

/// A mapper of a plugin.
///
/// `@unchecked Sendable`: the table is never changed, and its functions may run on many threads.
package final class PluginMapper: Mapper, @unchecked Sendable {
    package let name: String
    package let mediaTypes: [String]
    package let writtenType: String?
    /// The plugin itself decides whether it can write infinities.
    package let writesInfinities = true
    private let plugin: String
    private let table: restway_plugin_mapper

    init(
        _ pointer: UnsafePointer<restway_plugin_mapper>, plugin: String
    ) throws(PluginError) {
        let least = MemoryLayout<restway_plugin_mapper>.offset(of: \.encode)!
        let table = PluginTable.read(pointer, zero: restway_plugin_mapper(), least: least)
        guard let table, let name = PluginText.name(table.name),
            let types = PluginText.text(table.media_types), table.decode != nil
        else {
            throw PluginError(
                .refused,
                "plugin \"\(plugin)\": a mapper lacks its name, media types or function to decode")
        }
        self.name = name
        self.plugin = plugin
        self.table = table
        mediaTypes = types.split(separator: " ").map { $0.lowercased() }
        writtenType = table.encode == nil ? nil : mediaTypes.first
        if let writtenType, writtenType.hasPrefix("*") {
            throw PluginError(
                .refused,
                "plugin \"\(plugin)\": mapper \"\(name)\" writes its first media type, and "
                    + "\"\(writtenType)\" is not a single type")
        }
    }

    package var title: String {
        name == plugin ? "mapper \"\(name)\"" : "mapper \"\(name)\" of plugin \"\(plugin)\""
    }

    package func decode(
        _ bytes: UnsafeRawBufferPointer, into sink: any EventSink, limits: MappingLimits
    ) throws(MapperError) {
        let machine = sink.machine
        machine?.relies(on: bytes)
        defer { machine?.relies(on: UnsafeRawBufferPointer(start: nil, count: 0)) }
        do throws(MapperError) {
            try push(bytes, limits, sink.keepsDigits, GuardedSink(sink, plugin: plugin))
        } catch {
            // The machine knows why it told the plugin to stop, and reports the reason itself.
            if let machine, machine.hasFailed { return }
            throw error
        }
    }

    /// Lets the plugin push the value in `bytes` as events.
    private func push(
        _ bytes: UnsafeRawBufferPointer, _ limits: MappingLimits, _ keepsDigits: Bool,
        _ guarded: GuardedSink
    ) throws(MapperError) {
        var limitTable = restway_plugin_limits()
        limitTable.struct_size = MemoryLayout<restway_plugin_limits>.size
        limitTable.nesting_depth_max = Int64(limits.nestingDepthMax)
        limitTable.keeps_digits = keepsDigits ? 1 : 0
        var reason = PluginReason()
        var sinkTable = guarded.table
        let result = table.decode(
            table.context, bytes.baseAddress, bytes.count, &sinkTable, &limitTable, &reason.raw)
        guarded.end()
        guard result == RESTWAY_PLUGIN_OK else { throw error(reason, result) }
    }

    package func encode(_ reader: ValueReader) throws(MapperError) -> [UInt8] {
        guard let encode = table.encode else { throw MapperError("\(title) only reads") }
        let guarded = GuardedReader(reader, plugin: plugin)
        var reason = PluginReason()
        var readerTable = guarded.table
        let result = encode(table.context, &readerTable, &reason.raw)
        return try guarded.end(result, failure: error(reason, result))
    }

    private func error(_ reason: PluginReason, _ result: Int32) -> MapperError {
        MapperError(
            "\(title): \(reason.text(orFor: result))\(reason.place)", line: Int(reason.raw.line),
            column: Int(reason.raw.column), byteOffset: Int(reason.raw.byte_offset))
    }
}

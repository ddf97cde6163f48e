import CRestwayPlugin
package import RestwayMapping
import RestwaySupport

/// A mapper of a plugin.
///
/// `@unchecked Sendable`: the table is never changed, and its functions may run on many threads.
package final class PluginMapper: Mapper, @unchecked Sendable {
    package let name: String
    package let mediaTypes: [String]
    private let plugin: String
    private let context: UnsafeMutableRawPointer?
    private let decode: Decode

    private typealias Decode =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeRawPointer?, Int,
            UnsafePointer<restway_plugin_sink>?, UnsafePointer<restway_plugin_limits>?,
            UnsafeMutablePointer<restway_plugin_reason>?
        ) -> Int32

    init(
        _ pointer: UnsafePointer<restway_plugin_mapper>, plugin: String
    ) throws(PluginError) {
        let least = MemoryLayout<restway_plugin_mapper>.offset(of: \.encode)!
        let table = PluginTable.read(pointer, zero: restway_plugin_mapper(), least: least)
        guard let table, let name = PluginText.name(table.name),
            let types = PluginText.text(table.media_types), let decode = table.decode
        else {
            throw PluginError(
                .refused,
                "plugin \"\(plugin)\": a mapper lacks its name, media types or function to decode")
        }
        self.name = name
        self.plugin = plugin
        mediaTypes = types.split(separator: " ").map { $0.lowercased() }
        context = table.context
        self.decode = decode
    }

    package func decode(
        _ bytes: UnsafeRawBufferPointer, into sink: any EventSink, limits: MappingLimits
    ) throws(MapperError) {
        let guarded = GuardedSink(sink, plugin: plugin)
        var limitTable = restway_plugin_limits()
        limitTable.struct_size = MemoryLayout<restway_plugin_limits>.size
        limitTable.nesting_depth_max = Int64(limits.nestingDepthMax)
        var reason = PluginReason()
        var table = guarded.table
        let machine = sink as? MappingMachine
        machine?.relies(on: bytes)
        let result = decode(
            context, bytes.baseAddress, bytes.count, &table, &limitTable, &reason.raw)
        machine?.relies(on: UnsafeRawBufferPointer(start: nil, count: 0))
        guarded.end()
        guard result != RESTWAY_PLUGIN_OK else { return }
        throw MapperError(
            "mapper \"\(name)\": \(reason.text(orFor: result))", line: Int(reason.raw.line),
            column: Int(reason.raw.column), byteOffset: Int(reason.raw.byte_offset))
    }

    /// This version of the host asks no plugin to write.
    package func encode(_ reader: ValueReader) throws(MapperError) -> [UInt8] {
        throw MapperError("mapper \"\(name)\" does not write bodies")
    }
}

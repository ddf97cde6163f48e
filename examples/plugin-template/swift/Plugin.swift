import CRestwayPlugin

/// The tables that the host reads; they live as long as the process.
///
/// These are `nonisolated(unsafe)`, because they are written once, before the host has them.
enum Tables {
    nonisolated(unsafe) static let mappers: UnsafePointer<UnsafePointer<restway_plugin_mapper>?> = {
        let mapper = UnsafeMutablePointer<restway_plugin_mapper>.allocate(capacity: 1)
        mapper.initialize(to: restway_plugin_mapper())
        mapper.pointee.struct_size = MemoryLayout<restway_plugin_mapper>.size
        mapper.pointee.name = text("properties")
        mapper.pointee.media_types = text("text/x-java-properties text/x-properties")
        mapper.pointee.decode = { _, bytes, length, sink, limits, reason in
            let body = UnsafeRawBufferPointer(start: bytes, count: length)
            guard let sink, let limits, let reason else { return RESTWAY_PLUGIN_FAILED }
            return PropertiesReader(body, sink.pointee)
                .read(depthMax: limits.pointee.nesting_depth_max, reason)
        }
        let list = UnsafeMutablePointer<UnsafePointer<restway_plugin_mapper>?>.allocate(capacity: 1)
        list.initialize(to: UnsafePointer(mapper))
        return UnsafePointer(list)
    }()

    /// Returns the pointer to a literal, which lives as long as the process.
    static func text(_ literal: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

/// The entry point. Begin here: give the plugin a name, and list its mappers.
@_cdecl("restway_plugin_v1")
public func start(
    _ host: UnsafePointer<restway_plugin_host>?, _ plugin: UnsafeMutablePointer<restway_plugin>?,
    _ reason: UnsafeMutablePointer<restway_plugin_reason>?
) -> Int32 {
    guard let plugin else { return RESTWAY_PLUGIN_FAILED }
    plugin.pointee.abi_major = UInt32(RESTWAY_PLUGIN_ABI_MAJOR)
    plugin.pointee.abi_minor = UInt32(RESTWAY_PLUGIN_ABI_MINOR)
    plugin.pointee.required_capabilities = 1  // RESTWAY_PLUGIN_CAN_MAP
    plugin.pointee.name = Tables.text("properties")
    plugin.pointee.version = Tables.text("1.0")
    plugin.pointee.licence = Tables.text("MIT")
    plugin.pointee.description = Tables.text("Reads files of properties as one object.")
    plugin.pointee.mappers = Tables.mappers
    plugin.pointee.mapper_count = 1
    return RESTWAY_PLUGIN_OK
}

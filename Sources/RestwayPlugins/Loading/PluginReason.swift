import CRestwayPlugin

/// A buffer for the text in which a plugin says why it failed.
struct PluginReason {
    var raw: restway_plugin_reason

    init() {
        raw = restway_plugin_reason()
        raw.struct_size = MemoryLayout<restway_plugin_reason>.size
    }

    /// The text that the plugin wrote, at most to the end of the buffer. Invalid UTF-8 is repaired.
    var text: String {
        withUnsafeBytes(of: raw.text) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The line and column in a body, to be appended to the text; empty if the plugin did not give
    /// them.
    var place: String {
        if raw.line <= 0 { return "" }
        if raw.column <= 0 { return " at line \(raw.line)" }
        return " at line \(raw.line), column \(raw.column) (byte \(raw.byte_offset))"
    }

    /// `text`, or the name of `result` if the plugin gave no text.
    func text(orFor result: Int32) -> String {
        if !text.isEmpty { return text }
        return switch result {
        case RESTWAY_PLUGIN_OUT_OF_MEMORY: "out of memory"
        case RESTWAY_PLUGIN_MALFORMED: "malformed"
        case RESTWAY_PLUGIN_TOO_DEEP: "nested too deeply"
        default: "it gave no reason (\(result))"
        }
    }
}

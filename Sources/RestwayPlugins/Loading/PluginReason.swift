import CRestwayPlugin

/// Room for why a plugin failed, and what it wrote there.
struct PluginReason {
    var raw: restway_plugin_reason

    init() {
        raw = restway_plugin_reason()
        raw.struct_size = MemoryLayout<restway_plugin_reason>.size
    }

    /// What the plugin wrote: the end of the room ends it too, and what is no UTF-8 is repaired.
    var text: String {
        withUnsafeBytes(of: raw.text) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// Where in a body of lines it is, to stand behind the text; empty when that is not told.
    var place: String {
        if raw.line <= 0 { return "" }
        if raw.column <= 0 { return " at line \(raw.line)" }
        return " at line \(raw.line), column \(raw.column) (byte \(raw.byte_offset))"
    }

    /// `text`, or the name of `result` when the plugin gave none.
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

import CRestwayPlugin
import RestwayMapping
import RestwayText
import RestwayThreads

/// Builds the table of library functions that plugins call.
enum PluginHost {
    static let capabilities = UInt64(
        RESTWAY_PLUGIN_CAN_MAP | RESTWAY_PLUGIN_CAN_ENCODE | RESTWAY_PLUGIN_CAN_TRANSPORT)

    /// The table that is passed when a plugin starts. It lives as long as the process.
    ///
    /// `nonisolated(unsafe)`: it is written once, before any other code can reach it.
    nonisolated(unsafe) static let shared: UnsafePointer<restway_plugin_host> = {
        let host = UnsafeMutablePointer<restway_plugin_host>.allocate(capacity: 1)
        host.initialize(to: table())
        return UnsafePointer(host)
    }()

    /// The fields that all tables share, including the tables of transports.
    static func table() -> restway_plugin_host {
        var table = restway_plugin_host()
        table.struct_size = MemoryLayout<restway_plugin_host>.size
        table.abi_major = UInt32(RESTWAY_PLUGIN_ABI_MAJOR)
        table.abi_minor = UInt32(RESTWAY_PLUGIN_ABI_MINOR)
        table.capabilities = capabilities
        table.version = version
        table.log = { _, level, text in
            guard let text = text.map({ String(cString: $0) }) else { return }
            Log.shared.write(LogLevel(rawValue: Int(level)) ?? .debug, .plugin, text)
        }
        return table
    }

    nonisolated(unsafe) private static let version: UnsafePointer<CChar> = {
        let text: StaticString = "0.1.0"
        return UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }()
}

/// Reads tables that begin with their size.
enum PluginTable {
    /// Whether bytes of this length may lie at this place. A plugin may give the length `SIZE_MAX`,
    /// which is negative here.
    static func isMemory(_ start: UnsafeRawPointer?, _ length: Int) -> Bool {
        (0...SinkEntry.memoryBytesMax).contains(length) && (start != nil || length == 0)
    }

    /// Copies a table of any version. Fields that it lacks are zero, and unknown fields are
    /// ignored. Returns nil if the table is smaller than `least`.
    ///
    /// - Parameter zero: A table that contains only zeros.
    static func read<Table: BitwiseCopyable>(
        _ pointer: UnsafeRawPointer, zero: Table, least: Int = MemoryLayout<Table>.size
    ) -> Table? {
        let size = pointer.loadUnaligned(as: Int.self)
        guard size >= least, size <= 4_096 else { return nil }
        var table = zero
        withUnsafeMutableBytes(of: &table) { bytes in
            let known = min(size, bytes.count)
            bytes.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: known))
        }
        return table
    }
}

/// Reads texts in the tables of plugins.
enum PluginText {
    /// A NUL-terminated text; nil for NULL, an empty text and invalid UTF-8.
    static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        guard let pointer, let text = String(validatingCString: pointer), !text.isEmpty else {
            return nil
        }
        return text
    }

    /// A name that consists of letters, digits, `-` and `_`.
    static func name(_ pointer: UnsafePointer<CChar>?) -> String? {
        text(pointer).flatMap { isName($0) ? $0 : nil }
    }

    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-_".utf8.contains($0) }
    }
}

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

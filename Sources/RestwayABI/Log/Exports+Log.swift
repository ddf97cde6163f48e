public import CRestway
import RestwayClient
import RestwayThreads

// log.h

@_cdecl("restway_log_set") @implementation
public func restway_log_set(
    _ level: restway_log_level, _ log: restway_log_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        guard let chosen = LogLevel(rawValue: Int(level.rawValue)) else {
            throw Failure(
                .invalidArgument, "level is \(level.rawValue), which is no log level",
                field: "level")
        }
        let context = HostContext(context, destroy)
        guard let log else {
            Log.shared.set(.off, nil)
            return
        }
        Log.shared.set(chosen) { level, category, message in
            let level = restway_log_level(rawValue: UInt32(level.rawValue))!
            message.withCString { log(context.pointer, level, category.name, $0) }
        }
    }
}

extension LogCategory {
    /// The name of the category, which lives as long as the process.
    fileprivate var name: UnsafePointer<CChar> {
        switch self {
        case .client: ConstantTexts.client.pointer
        case .mapping: ConstantTexts.mapping.pointer
        case .plugin: ConstantTexts.plugin.pointer
        case .routing: ConstantTexts.routing.pointer
        case .store: ConstantTexts.store.pointer
        case .transport: ConstantTexts.transport.pointer
        }
    }
}

public import CRestway
import RestwayClient
import RestwayOutcome
import RestwayThreads

// log.h

@_cdecl("restway_log_set") @implementation
public func restway_log_set(
    _ level: restway_log_level, _ log: restway_log_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        guard let chosen = LogLevel(rawValue: Int(level.rawValue)) else {
            throw Argument.wrong("level", "level is \(level.rawValue), which is no log level")
        }
        let context = HostContext(context, destroy)
        guard let log else { return Log.shared.set(.off, nil) }
        Log.shared.set(chosen) { level, category, message in
            let level = restway_log_level(rawValue: UInt32(level.rawValue))!
            message.withCString { log(context.pointer, level, category.name.cString, $0) }
        }
    }
}

extension LogCategory {
    fileprivate var name: StaticString {
        switch self {
        case .client: "client"
        case .mapping: "mapping"
        case .plugin: "plugin"
        case .routing: "routing"
        case .store: "store"
        case .transport: "transport"
        }
    }
}

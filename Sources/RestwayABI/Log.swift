public import CRestway
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
            category.rawValue.withCString { category in
                message.withCString { log(context.pointer, level, category, $0) }
            }
        }
    }
}

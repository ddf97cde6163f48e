public import CRestway
import RestwayOutcome
import RestwayThreads

// log.h

@_cdecl("restway_log_set") @implementation
public func restway_log_set(
    _ levels: CString?, _ log: restway_log_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        guard let log else {
            _ = HostContext(context, destroy)
            return Log.shared.set(LogLevels(), nil)
        }
        let chosen = try Argument.logLevels(levels)
        let context = HostContext(context, destroy)
        Log.shared.set(chosen) { record in
            record.lend { log(context.pointer, $0) }
        }
    }
}

@_cdecl("restway_log_set_levels") @implementation
public func restway_log_set_levels(_ levels: CString?, _ outError: OutHandle?) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        Log.shared.setLevels(try Argument.logLevels(levels))
    }
}

@_cdecl("restway_log_flush") @implementation
public func restway_log_flush(_ outError: OutHandle?) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        guard !CallbackScope.isActive else {
            throw Failure(.wouldBlock, "waiting for the log inside a callback could wait for ever")
        }
        Log.shared.flush()
    }
}

extension Argument {
    fileprivate static func logLevels(_ text: CString?) throws(Failure) -> LogLevels {
        let (levels, problem) = LogLevels.reading(try string(text, "levels"))
        if let problem { throw wrong("levels", "levels: \(problem)") }
        return levels
    }
}

extension LogRecord {
    /// Runs `body` with the record as C reads it.
    fileprivate func lend(_ body: (In<restway_log_record>) -> Void) {
        var record = restway_log_record()
        record.target = LogTarget.pointer(target.name)
        record.call_id = fields.call
        record.time_microseconds = time
        record.milliseconds = fields.milliseconds
        record.dropped = dropped
        record.level = UInt32(level.rawValue)
        record.http_status = Int32(clamping: fields.status)
        record.attempt = UInt32(clamping: fields.attempt)
        message.withCString { message in
            record.message = message
            LogRecord.withCString(fields.method) { method in
                record.method = method
                LogRecord.withCString(fields.url) { url in
                    record.url = url
                    withUnsafePointer(to: record, body)
                }
            }
        }
    }

    private static func withCString(_ text: String?, _ body: (CString?) -> Void) {
        if let text { text.withCString(body) } else { body(nil) }
    }
}

extension LogTarget {
    /// The text of a name, which lives as long as the process.
    fileprivate static func pointer(_ name: StaticString) -> CString {
        UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

public import FoundationEssentials
import RestwayOutcome
import RestwayThreads

/// One record of the library's log. It has no credentials.
public struct LogRecord: Sendable {
    /// The severity, from the most severe one on.
    public enum Level: String, CaseIterable, Sendable {
        case error, warning, info, debug
    }

    /// The severity of the record.
    public let level: Level
    /// The part of the library that has written it: `auth`, `cache`, `transport`, and so on.
    public let target: String
    /// The text of the record.
    public let message: String
    /// When the record was written.
    public let time: Date
    /// The number of the call that it is about.
    public let call: UInt64?
    /// The method of the request; `nil` for a record that is not about a request.
    public let method: Method?
    /// The URL without its query.
    public let url: String?
    /// The status of the answer; `nil` for a record that is not about an answer.
    public let httpStatus: Int?
    /// The number of the attempt that goes out.
    public let attempt: Int?
    /// How long the call took, in a record about its end.
    public let took: Duration?
    /// How many records before this one were dropped, because too many waited for the handler.
    public let dropped: Int

    fileprivate init?(_ core: RestwayThreads.LogRecord) {
        switch core.level {
        case .off: return nil
        case .error: level = .error
        case .warning: level = .warning
        case .info: level = .info
        case .debug: level = .debug
        }
        target = core.target.name.description
        message = core.message
        time = Date(timeIntervalSince1970: Double(core.time) / 1_000_000)
        let fields = core.fields
        call = fields.call == 0 ? nil : fields.call
        method = fields.method.map(Method.init(rawValue:))
        url = fields.url
        httpStatus = fields.status == 0 ? nil : fields.status
        attempt = fields.attempt == 0 ? nil : fields.attempt
        took = fields.milliseconds < 0 ? nil : .milliseconds(fields.milliseconds)
        dropped = Int(clamping: core.dropped)
    }
}

/// The log of the library, one for the whole process.
public enum RestwayLog {
    /// Sets the function that receives records; it replaces the one before. It is called on a
    /// worker of the library, one record after the other.
    ///
    ///     try RestwayLog.setHandler("info, transport=debug") { record in
    ///         logger.log(record.level, record.message)
    ///     }
    ///
    /// - Parameter levels: The least severe level, and levels of single targets after it:
    ///   `"info, auth=debug"`.
    /// - Throws: A `RestwayError` of the kind `invalidArgument` for a level or a target that does
    ///   not exist.
    public static func setHandler(
        _ levels: String = "info", _ handler: @escaping @Sendable (LogRecord) -> Void
    ) throws(RestwayError) {
        let (levels, problem) = LogLevels.reading(levels)
        if let problem {
            throw RestwayError(
                Failure(.invalidArgument, "levels: \(problem)", field: "levels"))
        }
        Log.shared.set(levels) { record in
            if let record = LogRecord(record) { handler(record) }
        }
    }

    /// Waits until the function has received all records that were written before. The function
    /// must not call it.
    public static func flush() { Log.shared.flush() }

    /// Removes the function. When this returns, it has received all records that were written
    /// before.
    public static func removeHandler() { Log.shared.set(LogLevels(), nil) }
}

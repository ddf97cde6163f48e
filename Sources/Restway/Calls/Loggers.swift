#if Logging
public import Logging
import RestwayThreads

extension RestwayLog {
    /// The part of the library that a record comes from.
    public enum Target: String, CaseIterable, Sendable {
        case auth, cache, client, mapping, outbox, plugin, retry, routing, store, transport
    }

    /// Passes the records of the library to loggers of swift-log. It is there with the trait
    /// `Logging` of the package, and replaces the handler that was set before.
    ///
    ///     LoggingSystem.bootstrap(StreamLogHandler.standardError)
    ///     RestwayLog.setLoggers()
    ///
    /// Each part of the library has a logger of its own: `restway.client`, `restway.transport` and
    /// so on. The metadata of a line are the facts about its call: `call` (its number), `method`,
    /// `url`, `status`, `attempt` and `milliseconds`, each where the line has it, and `dropped`,
    /// the number of lines before this one that were lost because the handler was too slow. No line
    /// has a credential or a body: values that are secret are replaced before a logger sees them.
    ///
    /// Handlers run on a thread of the library, for one line after the other. They hold no call up,
    /// and must not wait for one.
    ///
    /// The level of each logger is read here: no text is built for a line that its logger does not
    /// want. A program that changes a level calls this again. `removeHandler` ends it.
    ///
    /// - Parameter logger: Makes the logger of a part; without it, their labels are `restway.PART`,
    ///   and the program's logging system sets their levels.
    public static func setLoggers(
        _ logger: (Target) -> Logger = { target in Logger(label: "restway.\(target.rawValue)") }
    ) {
        var levels = LogLevels()
        var loggers: [LogTarget: Logger] = [:]
        for target in LogTarget.allCases {
            let found = logger(Target(target))
            levels[target] = LogLevel(found.logLevel)
            loggers[target] = found
        }
        Log.shared.set(levels) { [loggers] record in
            loggers[record.target]?.log(
                level: Logger.Level(record.level), "\(record.message)",
                metadata: record.metadata, source: "Restway")
        }
    }
}

extension RestwayLog.Target {
    fileprivate init(_ target: LogTarget) {
        switch target {
        case .auth: self = .auth
        case .cache: self = .cache
        case .client: self = .client
        case .mapping: self = .mapping
        case .outbox: self = .outbox
        case .plugin: self = .plugin
        case .retry: self = .retry
        case .routing: self = .routing
        case .store: self = .store
        case .transport: self = .transport
        }
    }
}

extension LogLevel {
    /// The level of the lines that a logger of this level wants.
    fileprivate init(_ level: Logger.Level) {
        switch level {
        case .trace, .debug: self = .debug
        case .info: self = .info
        // The library has no lines between info and warning.
        case .notice, .warning: self = .warning
        case .error: self = .error
        case .critical: self = .off
        }
    }
}

extension Logger.Level {
    fileprivate init(_ level: LogLevel) {
        switch level {
        case .off, .error: self = .error
        case .warning: self = .warning
        case .info: self = .info
        case .debug: self = .debug
        }
    }
}

extension RestwayThreads.LogRecord {
    fileprivate var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [:]
        if fields.call > 0 { metadata["call"] = "\(fields.call)" }
        if let method = fields.method { metadata["method"] = "\(method)" }
        if let url = fields.url { metadata["url"] = "\(url)" }
        if fields.status > 0 { metadata["status"] = "\(fields.status)" }
        if fields.attempt > 0 { metadata["attempt"] = "\(fields.attempt)" }
        if fields.milliseconds >= 0 { metadata["milliseconds"] = "\(fields.milliseconds)" }
        if dropped > 0 { metadata["dropped"] = "\(dropped)" }
        return metadata
    }
}
#endif

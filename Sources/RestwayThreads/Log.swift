import Glibc
import RestwayText
import Synchronization

/// Facts about the call of a record, beside the message.
package struct LogFields: Sendable {
    /// The number of the call; 0 if the record is about no call.
    package var call: UInt64 = 0
    package var method: String?
    /// The URL without its query and without credentials.
    package var url: String?
    /// The HTTP status; 0 if the record is about no answer.
    package var status = 0
    /// The number of the attempt; 0 if the record is about no request that goes out.
    package var attempt = 0
    /// How long the call took; -1 if the record is not about the end of a call.
    package var milliseconds: Int64 = -1

    package init() {}

    package init(call: UInt64, method: String, url: String) {
        self.call = call
        self.method = method
        self.url = url
    }
}

/// One record of the log.
package struct LogRecord: Sendable {
    package let level: LogLevel
    package let target: LogTarget
    package let message: String
    package let fields: LogFields
    /// Microseconds since 1970-01-01T00:00:00Z.
    package let time: Int64
    /// The number of records before this one that were dropped.
    package var dropped: UInt64 = 0
}

/// The log of the process. A record goes to standard error, if the environment asks for it, and to
/// the sink of the program.
package final class Log: Sendable {
    package typealias Sink = @Sendable (LogRecord) -> Void

    /// The variable of the environment with the levels of standard error.
    private static let variable = "RESTWAY_LOG"

    package static let shared = {
        let levels = LogLevels.reading(getenv(variable).map { String(cString: $0) } ?? "")
        if let problem = levels.problem { StandardError.write("restway: \(variable): \(problem)") }
        return Log(printing: levels.levels)
    }()

    private let queue = LogQueue()
    /// The levels of standard error.
    private let printing: LogLevels
    /// The levels at which someone wants a record.
    private let wanted: Atomic<UInt64>
    /// The levels of the sink.
    private let sinkLevels = Atomic<UInt64>(0)

    package init(printing: LogLevels = LogLevels()) {
        self.printing = printing
        wanted = Atomic(printing.word)
    }

    /// Replaces the sink. When this returns, the old sink has received all records that were
    /// written before, unless this is called inside a callback.
    package func set(_ levels: LogLevels, _ sink: Sink?) {
        // No record reaches the new sink that only the levels of the old sink ask for.
        let before = queue.replace(sink) { setLevels(sink == nil ? LogLevels() : levels) }
        if let before { queue.finish(before) }
    }

    /// Changes the levels of the present sink.
    package func setLevels(_ levels: LogLevels) {
        sinkLevels.store(levels.word, ordering: .relaxed)
        wanted.store(printing.joined(levels).word, ordering: .relaxed)
    }

    /// Waits until the sink has received all records that were written before. This must not be
    /// called inside a callback.
    package func flush() {
        queue.flush()
    }

    /// Writes `message`, which is built only if someone receives it. It must contain no credential.
    ///
    /// Control characters are escaped here, so that text from outside cannot forge a line.
    ///
    /// - Parameter details: Lines that follow the message, each on an indented line.
    package func write(
        _ level: LogLevel, _ target: LogTarget, _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> LogFields = LogFields(),
        details: @autoclosure () -> [String] = []
    ) {
        guard LogLevels.allow(wanted.load(ordering: .relaxed), level, target) else { return }
        emit(level, target, message(), fields(), details())
    }

    @inline(never)
    private func emit(
        _ level: LogLevel, _ target: LogTarget, _ message: String, _ fields: LogFields,
        _ details: [String]
    ) {
        let lines = details.map { "\n    " + $0.escapingControls }
        let record = LogRecord(
            level: level, target: target, message: message.escapingControls + lines.joined(),
            fields: fields, time: SystemClock().wallMicroseconds())
        if level <= printing[target] { StandardError.write(record.line) }
        if LogLevels.allow(sinkLevels.load(ordering: .relaxed), level, target) {
            queue.append(record)
        }
    }
}

extension LogRecord {
    /// The record as a line for people, with the time in UTC.
    fileprivate var line: String {
        var seconds = time_t(time / 1_000_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
            _ = strftime(buffer.baseAddress!, buffer.count, "%Y-%m-%dT%H:%M:%S", &parts)
            return String(cString: buffer.baseAddress!)
        }
        let milliseconds = String(time % 1_000_000 / 1_000 + 1_000).dropFirst()
        return "\(text).\(milliseconds)Z restway \(level.name) \(target.name): \(message)"
    }
}

/// Writes whole lines to the standard error of the process.
private enum StandardError {
    static func write(_ line: String) {
        var bytes = Array(line.utf8)
        bytes.append(UInt8(ascii: "\n"))
        // One call for a line keeps the lines of several threads apart. A line that cannot be
        // written is lost.
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

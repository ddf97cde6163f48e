import RestwayText
import Synchronization

/// The severity of a log message. The numbers are those of `restway_log_level`.
package enum LogLevel: Int, Comparable, Sendable {
    case off = 0
    case error
    case warning
    case info
    case debug

    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The part of the library that writes a message.
package enum LogCategory: String, Sendable {
    case client, mapping, plugin, routing, store, transport
}

/// The log of the process: at most one sink, off until it is set.
package final class Log: Sendable {
    package typealias Sink = @Sendable (LogLevel, LogCategory, String) -> Void

    package static let shared = Log()

    /// A sink, and the number of threads inside it. Only threads of the process that set it count.
    private final class Entry: @unchecked Sendable {
        let generation = ProcessGeneration.current
        /// The sink; nil after it was replaced and no thread is inside any more.
        var sink: Sink?
        /// Guarded by the monitor of the log.
        var running = 0

        init(sink: @escaping Sink) {
            self.sink = sink
        }
    }

    private let entry: Monitor<Entry?>
    private let level = Atomic<Int>(LogLevel.off.rawValue)

    package init() {
        entry = ForkBarrier.guarded(Monitor<Entry?>(nil))
    }

    /// Replaces the sink. Waits until no thread is inside the old sink, unless this is called
    /// inside the old sink.
    package func set(_ level: LogLevel, _ sink: Sink?) {
        let isOn = sink != nil
        self.level.store(isOn ? level.rawValue : 0, ordering: .relaxed)
        let before = entry.update { entry in
            let before = entry
            entry = sink.map(Entry.init)
            return before
        }
        guard let before, !CallbackScope.isActive else { return }
        // The threads that were inside the parent's sink do not exist in a forked child.
        guard before.generation == ProcessGeneration.current else { return }
        entry.wait { _ in before.running == 0 ? () : nil }
        // A thread that was inside may hold the entry a little longer, but the host's sink is freed
        // now.
        before.sink = nil
    }

    /// Writes `message`, which is built only if the sink receives it. It must contain no
    /// credential.
    ///
    /// Control characters are escaped here, so that text from outside cannot forge a line.
    ///
    /// - Parameter details: Lines that follow the message, each on an indented line.
    package func write(
        _ level: LogLevel, _ category: LogCategory, _ message: @autoclosure () -> String,
        details: @autoclosure () -> [String] = []
    ) {
        guard level.rawValue <= self.level.load(ordering: .relaxed) else { return }
        let current: Entry? = entry.withLock { entry in
            entry?.running += 1
            return entry
        }
        guard let current else { return }
        CallbackScope.run {
            let lines = details().map { "\n    " + $0.escapingControls }
            current.sink?(level, category, message().escapingControls + lines.joined())
        }
        entry.update { _ in current.running -= 1 }
    }
}

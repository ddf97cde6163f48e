import Synchronization

/// How much a message of the log matters. The numbers are those of `restway_log_level`.
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

/// Which part of the library speaks.
package enum LogCategory: String, Sendable {
    case client, mapping, plugin, routing, store, transport
}

/// The log of the process: at most one sink, off until it is set.
package final class Log: Sendable {
    package typealias Sink = @Sendable (LogLevel, LogCategory, String) -> Void

    package static let shared = Log()

    /// A sink, and how many threads are inside it.
    private final class Entry: @unchecked Sendable {
        /// Nil when nobody is inside any more and it was replaced.
        var sink: Sink?
        /// Guarded by the monitor of the log.
        var running = 0

        init(sink: @escaping Sink) {
            self.sink = sink
        }
    }

    private let entry = Monitor<Entry?>(nil)
    private let level = Atomic<Int>(LogLevel.off.rawValue)

    package init() {}

    /// Puts `sink` in place of the one before, and waits until that one runs no more, unless this
    /// is called inside it.
    package func set(_ level: LogLevel, _ sink: Sink?) {
        let isOn = sink != nil
        self.level.store(isOn ? level.rawValue : 0, ordering: .relaxed)
        let before = entry.update { entry in
            let before = entry
            entry = sink.map(Entry.init)
            return before
        }
        guard let before, !CallbackScope.isActive else { return }
        entry.wait { _ in before.running == 0 ? () : nil }
        // Who was inside may hold the entry for a moment longer, but what is the host's goes now.
        before.sink = nil
    }

    /// Says `message`, which is only made when somebody listens. It must hold no credential.
    package func write(
        _ level: LogLevel, _ category: LogCategory, _ message: @autoclosure () -> String
    ) {
        guard level.rawValue <= self.level.load(ordering: .relaxed) else { return }
        let current: Entry? = entry.withLock { entry in
            entry?.running += 1
            return entry
        }
        guard let current else { return }
        CallbackScope.run { current.sink?(level, category, message()) }
        entry.update { _ in current.running -= 1 }
    }
}

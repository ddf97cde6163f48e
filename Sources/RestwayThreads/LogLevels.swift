import RestwayText

/// The severity of a log record. The numbers are those of `restway_log_level`.
package enum LogLevel: Int, CaseIterable, Comparable, Sendable {
    case off = 0
    case error
    case warning
    case info
    case debug

    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }

    package var name: StaticString {
        switch self {
        case .off: "off"
        case .error: "error"
        case .warning: "warning"
        case .info: "info"
        case .debug: "debug"
        }
    }

    init?(named name: String) {
        guard let found = Self.allCases.first(where: { $0.name.description == name }) else {
            return nil
        }
        self = found
    }
}

/// The part of the library that writes a record.
package enum LogTarget: Int, CaseIterable, Sendable {
    case auth = 0
    case cache
    case client
    case mapping
    case outbox
    case plugin
    case retry
    case routing
    case store
    case transport

    package var name: StaticString {
        switch self {
        case .auth: "auth"
        case .cache: "cache"
        case .client: "client"
        case .mapping: "mapping"
        case .outbox: "outbox"
        case .plugin: "plugin"
        case .retry: "retry"
        case .routing: "routing"
        case .store: "store"
        case .transport: "transport"
        }
    }
}

/// The level of each target.
package struct LogLevels: Equatable, Sendable {
    /// Four bits for each target, so that one atomic read is enough to know whether a record is
    /// wanted.
    private(set) var word: UInt64 = 0

    /// All targets are off.
    package init() {}

    package init(all level: LogLevel) {
        for target in LogTarget.allCases { self[target] = level }
    }

    init(word: UInt64) {
        self.word = word
    }

    package subscript(target: LogTarget) -> LogLevel {
        get { LogLevel(rawValue: Int(Self.number(word, target))) ?? .off }
        set {
            word &= ~(15 << Self.shift(target))
            word |= UInt64(newValue.rawValue) << Self.shift(target)
        }
    }

    /// Whether a word of levels asks for records of this level.
    @inline(__always)
    static func allow(_ word: UInt64, _ level: LogLevel, _ target: LogTarget) -> Bool {
        UInt64(level.rawValue) <= number(word, target)
    }

    @inline(__always)
    private static func number(_ word: UInt64, _ target: LogTarget) -> UInt64 {
        word >> shift(target) & 15
    }

    @inline(__always)
    private static func shift(_ target: LogTarget) -> UInt64 {
        UInt64(target.rawValue) &* 4
    }

    /// Returns the levels at which a record is wanted here or in `other`.
    func joined(_ other: LogLevels) -> LogLevels {
        var joined = LogLevels()
        for target in LogTarget.allCases { joined[target] = max(self[target], other[target]) }
        return joined
    }

    /// Reads a text such as "warning,transport=debug". A level without a target is for all targets
    /// that the text does not name.
    ///
    /// - Returns: The levels, and a message about the first part that is wrong. Parts that are
    ///   wrong have no effect.
    package static func reading(_ text: String) -> (levels: LogLevels, problem: String?) {
        var general = LogLevel.off
        var own: [(LogTarget, LogLevel)] = []
        var problem: String?
        for part in text.utf8.split(separator: UInt8(ascii: ",")) {
            let words = part.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
            ).map(trimmed)
            guard let name = words.last, let level = LogLevel(named: name) else {
                problem = problem ?? unknownLevel(words.last ?? "")
                continue
            }
            if words.count == 1 {
                general = level
            } else if let target = LogTarget.allCases.first(where: {
                $0.name.description == words[0]
            }) {
                own.append((target, level))
            } else {
                problem = problem ?? unknownTarget(words[0])
            }
        }
        var levels = LogLevels(all: general)
        for (target, level) in own { levels[target] = level }
        return (levels, problem)
    }

    private static func trimmed(_ word: Substring.UTF8View.SubSequence) -> String {
        let space = UInt8(ascii: " ")
        let rest = word.drop { $0 == space }
        guard let last = rest.lastIndex(where: { $0 != space }) else { return "" }
        return String(decoding: rest[...last], as: UTF8.self)
    }

    private static func unknownLevel(_ name: String) -> String {
        let names = LogLevel.allCases.map(\.name.description)
        return "\"\(name.escapingControls)\" is no level of the log ("
            + names.joined(separator: ", ") + ")"
    }

    private static func unknownTarget(_ name: String) -> String {
        let names = LogTarget.allCases.map(\.name.description)
        return "\"\(name.escapingControls)\" is no target of the log ("
            + names.joined(separator: ", ") + ")"
    }
}

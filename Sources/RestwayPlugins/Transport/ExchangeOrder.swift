import Synchronization

/// Keeps the events of one exchange in order, and makes sure that it ends once.
///
/// No lock, no clock, no I/O: `OpenedTransport` reports each event and performs the answer. The
/// state is one word, so that threads can change it without a lock (`Atomic.change`).
struct ExchangeOrder: RawRepresentable, AtomicRepresentable {
    /// An event before the end.
    enum Event: String {
        case head = "exchange_head"
        case body = "exchange_body"
        case trailers = "exchange_trailers"
        case progress = "exchange_progress"
    }

    /// How the plugin ends an exchange.
    enum End {
        /// The plugin gave no result, which is a breach of the contract.
        case none
        case success
        case failure
        /// The plugin lets go of a forwarded exchange, which ended at another transport.
        case held
    }

    enum Answer: Equatable {
        /// Tell the observer, then `leave`.
        case tell
        /// The exchange is over for the observer, although the plugin may not know it yet.
        case drop
        /// The event breaks the contract.
        case refuse(Breach)
        /// The plugin has already given the exchange back.
        case gone
    }

    /// How a plugin can break the contract.
    enum Breach: String {
        case hasForwarded = "for an exchange that it has forwarded"
        case isInside = "inside of another call"
        case isSecond = "twice"
        case isBeforeHead = "before exchange_head"
        case isBehindTrailers = "after exchange_trailers"
        case isPaused = "although it was told to pause"
        case hasNoEnd = "without an end"
        case hasNoHead = "without exchange_head"
    }

    /// When the observer receives an end.
    enum Hearing: Equatable {
        case now
        /// The observer is in another call. The thread that makes this call goes on with the end
        /// after `leave`.
        case later
        /// The observer has received an end, or is about to.
        case never
    }

    enum Part: UInt32 { case start, head, body, trailers }

    private static let partMask: UInt32 = 0b11
    /// A thread is calling the observer.
    private static let telling: UInt32 = 1 << 2
    private static let paused: UInt32 = 1 << 3
    private static let resumed: UInt32 = 1 << 4
    /// The exchange was ended during an observer call.
    private static let ending: UInt32 = 1 << 5
    private static let completed: UInt32 = 1 << 6
    private static let forwarded: UInt32 = 1 << 7
    private static let decided: UInt32 = 1 << 8

    private(set) var rawValue: UInt32 = 0

    init() {}
    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The plugin has given the exchange back.
    var isCompleted: Bool { rawValue & Self.completed != 0 }
    var isForwarded: Bool { rawValue & Self.forwarded != 0 }
    /// The end is decided: no later event changes it.
    var isDecided: Bool { rawValue & Self.decided != 0 }

    private var isTelling: Bool { rawValue & Self.telling != 0 }

    private var part: Part {
        get { Part(rawValue: rawValue & Self.partMask)! }
        set { rawValue = rawValue & ~Self.partMask | newValue.rawValue }
    }

    /// - Parameter byForwarding: It comes from the transport that the exchange was left to.
    mutating func enter(_ event: Event, byForwarding: Bool = false) -> Answer {
        if isCompleted { return .gone }
        if isDecided { return .drop }
        guard byForwarding == isForwarded else {
            return .refuse(.hasForwarded)
        }
        if isTelling { return .refuse(.isInside) }
        if let breach = take(event) { return .refuse(breach) }
        rawValue = rawValue & ~Self.resumed | Self.telling
        return .tell
    }

    private mutating func take(_ event: Event) -> Breach? {
        switch (event, part) {
        case (.progress, _): break
        case (.head, .start): part = .head
        case (.head, _): return .isSecond
        case (_, .start): return .isBeforeHead
        case (_, .trailers): return .isBehindTrailers
        case (.body, _) where rawValue & Self.paused != 0: return .isPaused
        case (.body, _): part = .body
        case (.trailers, _): part = .trailers
        }
        return nil
    }

    /// Marks the end of an observer call.
    ///
    /// - Returns: Whether the exchange ended during the call, so that the observer must receive the
    ///   end now.
    mutating func leave(pausing: Bool = false) -> Bool {
        let hasEnded = rawValue & Self.ending != 0
        let pauses = pausing && rawValue & Self.resumed == 0
        rawValue &= ~(Self.telling | Self.ending | Self.paused)
        if pauses { rawValue |= Self.paused }
        return hasEnded
    }

    mutating func resume() {
        rawValue = rawValue & ~Self.paused | Self.resumed
    }

    /// Ends the exchange, whatever the plugin does.
    mutating func end() -> Hearing {
        guard !isDecided else { return .never }
        rawValue |= isTelling ? Self.decided | Self.ending : Self.decided
        return isTelling ? .later : .now
    }

    /// Notes that the plugin gives the exchange back.
    ///
    /// - Returns: `tell` if the observer must now receive the end. If the answer is a breach, the
    ///   caller ends the exchange with it.
    mutating func complete(_ end: End) -> Answer {
        if isCompleted { return .gone }
        if isForwarded, end != .held { return .refuse(.hasForwarded) }
        rawValue |= Self.completed
        if end == .none { return .refuse(.hasNoEnd) }
        if isDecided { return .drop }
        if isTelling { return .refuse(.isInside) }
        if end == .success, part == .start { return .refuse(.hasNoHead) }
        rawValue |= Self.decided
        return .tell
    }

    /// Forwards the exchange to another transport; false if it is too late.
    mutating func forward() -> Bool {
        guard part == .start, !isForwarded, !isDecided, !isTelling else { return false }
        rawValue |= Self.forwarded
        return true
    }
}

extension Atomic where Value == ExchangeOrder {
    /// Changes the state with `body`, which may run again if another thread changes the state
    /// first.
    func change<Result>(_ body: (inout ExchangeOrder) -> Result) -> Result {
        var before = now
        while true {
            var after = before
            let result = body(&after)
            let (done, seen) = weakCompareExchange(
                expected: before, desired: after, successOrdering: .acquiringAndReleasing,
                failureOrdering: .acquiring)
            if done { return result }
            before = seen
        }
    }

    var now: ExchangeOrder { load(ordering: .acquiring) }
}

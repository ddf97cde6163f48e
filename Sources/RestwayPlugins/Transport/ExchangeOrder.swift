import Synchronization

/// Keeps what a plugin tells of one exchange in its order, and the end of it unique.
///
/// No lock, no clock, no I/O: `ExchangeHost` says what happens, and does what this answers. It is
/// one word, so that threads agree on it without a lock (`Atomic.change`).
struct ExchangeOrder: RawRepresentable, AtomicRepresentable {
    /// What is told before the end.
    enum Event: String {
        case head = "exchange_head"
        case body = "exchange_body"
        case trailers = "exchange_trailers"
        case progress = "exchange_progress"
    }

    /// What the plugin says at the end.
    enum End {
        /// Nothing, which is a breach.
        case none
        case success
        case failure
        /// It lets go of one that it has forwarded, which ended elsewhere.
        case held
    }

    enum Answer: Equatable {
        /// Tell the observer, then `leave`.
        case tell
        /// Nobody wants to know any more; the plugin may not have heard yet.
        case drop
        /// It is against the contract.
        case refuse(Breach)
        /// The plugin has given the exchange back before.
        case gone
    }

    /// What a plugin does against the contract.
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

    /// When the observer hears of an end.
    enum Hearing: Equatable {
        case now
        /// It hears something else: whoever tells it that goes on with the end, after `leave`.
        case later
        /// It has heard of an end, or is about to.
        case never
    }

    enum Part: UInt32 { case start, head, body, trailers }

    private static let partMask: UInt32 = 0b11
    /// Somebody is telling the observer something.
    private static let telling: UInt32 = 1 << 2
    private static let paused: UInt32 = 1 << 3
    private static let resumed: UInt32 = 1 << 4
    /// It was ended while the observer heard something else.
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
    /// Nothing that comes now changes the end.
    var isDecided: Bool { rawValue & Self.decided != 0 }

    private var isTelling: Bool { rawValue & Self.telling != 0 }

    private var part: Part {
        get { Part(rawValue: rawValue & Self.partMask)! }
        set { rawValue = rawValue & ~Self.partMask | newValue.rawValue }
    }

    /// An exchange that has come so far, of which nothing else is to be said.
    fileprivate init(_ part: Part, isTelling: Bool = false) {
        rawValue = part.rawValue | (isTelling ? Self.telling : 0)
    }

    fileprivate init(completed part: Part) {
        rawValue = part.rawValue | Self.completed | Self.decided
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

    /// The observer has heard.
    ///
    /// - Returns: Whether the exchange has ended meanwhile: the observer is to be told that now.
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

    /// The exchange ends, whatever the plugin does.
    mutating func end() -> Hearing {
        guard !isDecided else { return .never }
        rawValue |= isTelling ? Self.decided | Self.ending : Self.decided
        return isTelling ? .later : .now
    }

    /// The plugin gives the exchange back.
    ///
    /// - Returns: `tell` when the observer is to be told how it ended. Whoever gets a problem ends
    ///   the exchange with it.
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

    /// Leaves the exchange to another transport; false when it is too late for that.
    mutating func forward() -> Bool {
        guard part == .start, !isForwarded, !isDecided, !isTelling else { return false }
        rawValue |= Self.forwarded
        return true
    }
}

extension Atomic where Value == ExchangeOrder {
    /// Changes it as `body` says, which may run several times: until nobody else came first.
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

    /// `ExchangeOrder.enter` for an exchange that is at `before`, and nothing else; else false.
    func enter(_ part: ExchangeOrder.Part, from before: ExchangeOrder.Part) -> Bool {
        swap(ExchangeOrder(before), ExchangeOrder(part, isTelling: true))
    }

    /// `ExchangeOrder.leave` when nothing has happened since; else false.
    func leave(_ part: ExchangeOrder.Part) -> Bool {
        swap(ExchangeOrder(part, isTelling: true), ExchangeOrder(part))
    }

    /// `ExchangeOrder.complete` for an exchange that is at `part`, and nothing else; else false.
    func complete(from part: ExchangeOrder.Part) -> Bool {
        swap(ExchangeOrder(part), ExchangeOrder(completed: part))
    }

    private func swap(_ before: ExchangeOrder, _ after: ExchangeOrder) -> Bool {
        compareExchange(expected: before, desired: after, ordering: .acquiringAndReleasing)
            .exchanged
    }

    var now: ExchangeOrder { load(ordering: .acquiring) }
}

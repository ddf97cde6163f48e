/// Keeps the events of one exchange in order, and makes sure that it ends once.
///
/// No lock, no clock, no I/O: `OpenedTransport` reports each event and performs the answer.
struct ExchangeOrder {
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

    private enum Part { case start, head, body, trailers }

    private var part = Part.start
    /// A thread is calling the observer.
    private var isTelling = false
    private var isPaused = false
    private var isResumed = false
    /// The exchange was ended during an observer call.
    private var isEnding = false
    /// The plugin has given the exchange back.
    private(set) var isCompleted = false
    private(set) var isForwarded = false
    /// The end is decided: no later event changes it.
    private(set) var isDecided = false

    /// - Parameter byForwarding: Whether the event comes from the transport that the exchange was
    ///   left to.
    mutating func enter(_ event: Event, byForwarding: Bool = false) -> Answer {
        if isCompleted { return .gone }
        if isDecided { return .drop }
        guard byForwarding == isForwarded else { return .refuse(.hasForwarded) }
        if isTelling { return .refuse(.isInside) }
        if let breach = take(event) { return .refuse(breach) }
        (isTelling, isResumed) = (true, false)
        return .tell
    }

    private mutating func take(_ event: Event) -> Breach? {
        switch (event, part) {
        case (.progress, _): break
        case (.head, .start): part = .head
        case (.head, _): return .isSecond
        case (_, .start): return .isBeforeHead
        case (_, .trailers): return .isBehindTrailers
        case (.body, _) where isPaused: return .isPaused
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
        defer { (isTelling, isEnding, isPaused) = (false, false, pausing && !isResumed) }
        return isEnding
    }

    mutating func resume() {
        (isPaused, isResumed) = (false, true)
    }

    /// Ends the exchange, whatever the plugin does.
    mutating func end() -> Hearing {
        guard !isDecided else { return .never }
        (isDecided, isEnding) = (true, isTelling)
        return isTelling ? .later : .now
    }

    /// Notes that the plugin gives the exchange back.
    ///
    /// - Returns: `tell` if the observer must now receive the end. If the answer is a breach, the
    ///   caller ends the exchange with it.
    mutating func complete(_ end: End) -> Answer {
        if isCompleted { return .gone }
        if isForwarded, end != .held { return .refuse(.hasForwarded) }
        isCompleted = true
        if end == .none { return .refuse(.hasNoEnd) }
        if isDecided { return .drop }
        if isTelling { return .refuse(.isInside) }
        if end == .success, part == .start { return .refuse(.hasNoHead) }
        isDecided = true
        return .tell
    }

    /// Forwards the exchange to another transport; false if it is too late.
    mutating func forward() -> Bool {
        guard part == .start, !isForwarded, !isDecided, !isTelling else { return false }
        isForwarded = true
        return true
    }
}

import RestwayHTTP

/// Keeps what a plugin tells of one exchange in its order, and the end of it unique.
///
/// No lock, no clock, no I/O: `PluginExchange` says what happens, and does what this answers.
struct ExchangeOrder {
    /// What is told before the end.
    enum Event: String {
        case head = "exchange_head"
        case body = "exchange_body"
        case trailers = "exchange_trailers"
        case progress = "exchange_progress"
    }

    enum Answer: Equatable {
        /// Tell the observer, then `leave`.
        case tell
        /// Nobody wants to know any more; the plugin may not have heard yet.
        case drop
        /// It is against the contract, in these words.
        case refuse(String)
    }

    private enum Part { case start, head, body, trailers }

    private var part = Part.start
    /// Somebody is telling the observer something.
    private var isTelling = false
    private var isPaused = false
    private var wasResumed = false
    /// How the exchange ends for the observer, who hears something else right now.
    private var ending: TransportError?
    /// The plugin has given the exchange back.
    private(set) var isCompleted = false
    private(set) var isForwarded = false

    /// Nothing that comes now changes the end.
    private(set) var isDecided = false

    /// - Parameter byForwarding: It comes from the transport that the exchange was left to.
    mutating func enter(_ event: Event, byForwarding: Bool = false) -> Answer {
        if isDecided { return .drop }
        guard byForwarding == isForwarded else {
            return .refuse("calls \(event.rawValue) for an exchange that it has forwarded")
        }
        if isTelling { return .refuse("calls \(event.rawValue) inside of another call") }
        if let problem = take(event) { return .refuse(problem) }
        isTelling = true
        wasResumed = false
        return .tell
    }

    private mutating func take(_ event: Event) -> String? {
        switch (event, part) {
        case (.progress, _): break
        case (.head, .start): part = .head
        case (.head, _): return "calls exchange_head twice"
        case (_, .start): return "calls \(event.rawValue) before exchange_head"
        case (_, .trailers): return "calls \(event.rawValue) after exchange_trailers"
        case (.body, _) where isPaused: return "calls exchange_body although it was told to pause"
        case (.body, _): part = .body
        case (.trailers, _): part = .trailers
        }
        return nil
    }

    /// The observer has heard.
    ///
    /// - Returns: What it is to be told now: the exchange has ended meanwhile.
    mutating func leave(pausing: Bool = false) -> TransportError? {
        isTelling = false
        isPaused = pausing && !wasResumed
        return ending.take()
    }

    mutating func resume() {
        wasResumed = true
        isPaused = false
    }

    /// The exchange ends like this, whatever the plugin does.
    ///
    /// - Returns: Whether the observer is to be told now; else it knows, or whoever tells it
    ///   something goes on with that.
    mutating func end(_ error: TransportError) -> Bool {
        guard !isDecided else { return false }
        isDecided = true
        if isTelling { ending = error }
        return !isTelling
    }

    /// The plugin gives the exchange back.
    ///
    /// - Returns: `tell` when the observer is to be told how it ended. Whoever gets a problem ends
    ///   the exchange with it.
    mutating func complete(isSuccess: Bool) -> Answer {
        isCompleted = true
        if isDecided { return .drop }
        if isTelling { return .refuse("calls exchange_completed inside of another call") }
        if isSuccess, part == .start {
            return .refuse("calls exchange_completed without exchange_head")
        }
        isDecided = true
        return .tell
    }

    /// The plugin gives the exchange back without a word on how it ended, which is a breach.
    mutating func giveBack() {
        isCompleted = true
    }

    /// Leaves the exchange to another transport; false when it is too late for that.
    mutating func forward() -> Bool {
        guard part == .start, !isForwarded, !isDecided, !isTelling else { return false }
        isForwarded = true
        return true
    }
}

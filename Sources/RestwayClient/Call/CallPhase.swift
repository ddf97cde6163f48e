import RestwayHTTP

/// Where a call stands, and each way from there. A way that is not open from where the call stands
/// changes nothing, and says so: another thread was first.
///
///     exchanging -> exchanged -> processing -> committing -> completed
///
/// is the way of most calls. From exchanging and processing a call may be parked and go on later,
/// from processing a redirect leads back to exchanging, and from all but the last two the outbox
/// may take its request (storing). Each phase may be the last before it has completed, but for
/// committing and storing, which only their own end ends.
enum CallPhase {
    /// An exchange is with the transport, which may not have named it yet.
    case exchanging(ExchangeID?)
    /// It waits: for a credential, or until it may be tried again.
    case parked
    /// The exchange is over, and waits for a thread that decodes and maps.
    case exchanged
    /// A thread decodes and maps.
    case processing
    /// The store is changing: too late to cancel.
    case committing
    /// The outbox takes its request: too late to cancel.
    case storing
    case completed(Call.Outcome)

    var outcome: Call.Outcome? {
        if case .completed(let outcome) = self { outcome } else { nil }
    }

    var isComplete: Bool {
        if case .completed = self { true } else { false }
    }

    /// What the transport has named, and still has.
    var exchange: ExchangeID? {
        if case .exchanging(let id) = self { id } else { nil }
    }

    var isParked: Bool {
        if case .parked = self { true } else { false }
    }

    /// The transport has named an exchange; false when nobody waits for that any more.
    ///
    /// - Parameter isLatest: A fast answer may have led to the next exchange already.
    mutating func isNamed(_ id: ExchangeID, isLatest: Bool) -> Bool {
        switch self {
        case .exchanging:
            if isLatest { self = .exchanging(id) }
            return true
        case .parked, .exchanged, .processing, .committing: return true
        case .storing, .completed: return false
        }
    }

    mutating func endExchange() -> Bool {
        guard case .exchanging = self else { return false }
        self = .exchanged
        return true
    }

    mutating func beginProcessing() -> Bool {
        guard case .exchanged = self else { return false }
        self = .processing
        return true
    }

    mutating func beginCommit() -> Bool {
        guard case .processing = self else { return false }
        self = .committing
        return true
    }

    /// The answer leads elsewhere.
    mutating func exchangeAgain() -> Bool {
        guard case .processing = self else { return false }
        self = .exchanging(nil)
        return true
    }

    mutating func park() -> Bool {
        switch self {
        case .exchanging, .processing:
            self = .parked
            return true
        case .parked, .exchanged, .committing, .storing, .completed: return false
        }
    }

    mutating func unpark() -> Bool {
        guard case .parked = self else { return false }
        self = .exchanging(nil)
        return true
    }

    /// It need not have waited: its answer is as it was before.
    mutating func unparkUnsent() -> Bool {
        guard case .parked = self else { return false }
        self = .processing
        return true
    }

    /// - Returns: Where it was; `nil` when it is too late.
    mutating func beginStoring() -> ExchangePlace? {
        let place: ExchangePlace
        switch self {
        case .exchanging(let id): place = .transport(id)
        case .parked: place = .parked
        case .exchanged, .processing, .committing: place = .nowhere
        case .storing, .completed: return nil
        }
        self = .storing
        return place
    }

    /// What a call leaves that completes now; `nil` when it has completed, or when it is somebody
    /// else who will complete it.
    ///
    /// - Parameters:
    ///   - whenCommitting: Asked by who commits.
    ///   - whenStoring: Asked by who stores.
    func placeToLeave(whenCommitting: Bool, whenStoring: Bool) -> ExchangePlace? {
        switch self {
        case .completed: nil
        case .committing: whenCommitting ? .nowhere : nil
        case .storing: whenStoring ? .nowhere : nil
        case .exchanging(let id): .transport(id)
        case .parked: .parked
        case .exchanged, .processing: .nowhere
        }
    }
}

import RestwayHTTP

/// Decides when an event stream that has ended is opened again (WHATWG HTML, section 9.2.3).
///
/// It reads no clock. The server says how long to wait. A connection that brings no event doubles
/// the wait, so that a server with a problem is not asked again and again.
struct Reconnection {
    /// The wait before the first reconnection, unless the server asks for another wait.
    static let usualMilliseconds: Int64 = 3_000
    /// The wait is doubled from this value, which matters for a server that wants no wait.
    private static let doubledMillisecondsMin: Int64 = 1_000
    /// The wait is not doubled beyond this value.
    private static let doubledMillisecondsMax: Int64 = 60_000

    /// The largest number of consecutive reconnections that bring no event; `nil` for no limit.
    private let inARowMax: Int?
    /// The wait that the server asked for.
    private var milliseconds = Self.usualMilliseconds
    /// The number of reconnections since the last event.
    private var inARow = 0

    init(inARowMax: Int?) {
        self.inARowMax = inARowMax
    }

    /// Events have arrived.
    ///
    /// - Parameter milliseconds: The wait that the server asks for; `nil` if it says nothing.
    mutating func received(events: Int, milliseconds: Int64?) {
        if events > 0 { inARow = 0 }
        if let milliseconds { self.milliseconds = milliseconds }
    }

    /// A connection has ended. Returns how long to wait before the next connection; `nil` if the
    /// stream is not opened again.
    ///
    /// - Parameter error: Why the connection failed; `nil` if the server has closed it.
    mutating func next(after error: TransportError.Kind?) -> Int64? {
        if let inARowMax, inARow >= inARowMax { return nil }
        switch error {
        case nil, .timedOut, .resolve, .connect, .connectionLost, .protocolViolation: break
        case .cancelled, .closed, .tls, .tooLarge, .invalidURL, .unsupported, .tooManyRedirects,
            .outOfMemory, .plugin, .internal:
            return nil
        }
        defer { inARow += 1 }
        guard inARow > 0 else { return milliseconds }
        var wait = max(milliseconds, Self.doubledMillisecondsMin)
        for _ in 0..<inARow where wait < Self.doubledMillisecondsMax {
            wait = min(wait * 2, Self.doubledMillisecondsMax)
        }
        return wait
    }

    /// Whether a reconnection may follow.
    var isAllowed: Bool { inARowMax.map { inARow < $0 } ?? true }
}

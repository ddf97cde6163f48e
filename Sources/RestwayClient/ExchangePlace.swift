import RestwayHTTP

/// Who has to be told that a call no longer waits for them.
enum ExchangePlace: Equatable {
    /// The transport, which may not have named the exchange yet.
    case transport(ExchangeID?)
    /// Authentication, or a timer.
    case parked
    case nowhere
}

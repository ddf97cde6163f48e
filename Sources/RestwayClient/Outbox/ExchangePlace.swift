import RestwayHTTP

/// Where the exchange of a call is that leaves it for the outbox.
enum ExchangePlace {
    case transport(ExchangeID?)
    case parked
    case nowhere
}

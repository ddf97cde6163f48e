import RestwayClient
import RestwayOutcome
import RestwayPacing

/// The rate of one origin, as a client knows it.
public struct OriginRate: Sendable, Hashable {
    /// How many requests the server allows in a period, as its last answer says; `nil` if it is not
    /// known.
    public let limit: Int64?
    /// How many requests are left until the reset; `nil` if it is not known. Requests that are
    /// under way count as used.
    public let remaining: Int64?
    /// The time until the server allows the full number again; `nil` if it is not known.
    public let reset: Duration?
    /// How many requests of this client are under way.
    public let underWay: Int
    /// How many requests of this client wait.
    public let waiting: Int
}

extension Calls {
    /// Returns the rate of one origin, as this client knows it.
    ///
    ///     if let left = try client.calls.rate().remaining { print("\(left) requests are left") }
    ///
    /// - Parameter url: An absolute URL of the origin; `nil` takes the client's base URL.
    public func rate(of url: String? = nil) throws(RestwayError) -> OriginRate {
        let reading = try RestwayError.explaining { () throws(Failure) in try core.rate(of: url) }
        return OriginRate(
            limit: reading.limit, remaining: reading.remaining,
            reset: reading.resetMilliseconds.map(Duration.milliseconds),
            underWay: reading.underWay, waiting: reading.waiting)
    }
}

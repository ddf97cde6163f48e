/// The settings of a document or a program that say how many requests go to one origin.
/// `RestwayPacing` decides by them.
package struct RatePolicy: Equatable, Sendable {
    /// A number of requests in any period of a length.
    package struct Limit: Equatable, Sendable {
        package var requests: Int
        package var perMilliseconds: Int64

        package init(requests: Int, perMilliseconds: Int64) {
            self.requests = requests
            self.perMilliseconds = perMilliseconds
        }
    }

    /// `nil` if the policy itself limits no rate.
    package var limit: Limit?
    /// The limit on requests that are under way at the same time; `nil` if there is no limit.
    package var concurrencyMax: Int?
    /// Whether the limits that a server states in its answers count.
    package var readsHeaders = true
    /// The longest time for which an answer of a server can hold requests back.
    package var waitMaxMilliseconds: Int64 = 3_600_000

    package init() {}
}

/// Limits the retries for an origin with a bucket of tokens.
///
/// A retry takes a token. A success returns a tenth of a token, and a success of a retry returns
/// the whole token. So an origin with occasional failures keeps its retries. An origin that is down
/// uses them up: then each call is sent once, until successes show that the origin works again.
package struct RetryBudget: Equatable, Sendable {
    private static let perToken = 10

    /// The capacity, in tenths of a token.
    private let capacity: Int
    private var level: Int

    package init(tokensMax: Int) {
        capacity = max(0, tokensMax) * Self.perToken
        level = capacity
    }

    /// Takes a token for a retry; false if none is left.
    package mutating func take() -> Bool {
        guard level >= Self.perToken else { return false }
        level -= Self.perToken
        return true
    }

    package mutating func succeeded(afterRetry: Bool) {
        level = min(capacity, level + (afterRetry ? Self.perToken : 1))
    }
}

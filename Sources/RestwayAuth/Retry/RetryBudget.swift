/// How many retries an origin may still get: a bucket of tokens.
///
/// A retry takes a token. A success gives a tenth back, and the whole token when a retry brought
/// it. So an origin that stumbles keeps its retries, and one that is down uses them up: then each
/// call goes out once, until successes show that it is well again.
package struct RetryBudget: Equatable, Sendable {
    private static let perToken = 10

    /// In tenths.
    private let capacity: Int
    private var level: Int

    package init(tokensMax: Int) {
        capacity = max(0, tokensMax) * Self.perToken
        level = capacity
    }

    /// Takes a token for a retry; false when none is left.
    package mutating func take() -> Bool {
        guard level >= Self.perToken else { return false }
        level -= Self.perToken
        return true
    }

    package mutating func succeeded(afterRetry: Bool) {
        level = min(capacity, level + (afterRetry ? Self.perToken : 1))
    }
}

package import RestwayOutcome
import RestwayRouting

/// The settings of a document, a route or a program that say when a request is sent again.
/// `RestwayPacing` decides by them.
package struct RetryPolicy: Equatable, Sendable {
    /// The limit on attempts, including the first.
    package var attemptsMax = 3
    /// The upper bound of the first wait. It doubles with every attempt.
    package var baseMilliseconds: Int64 = 500
    /// The largest upper bound of a wait.
    package var capMilliseconds: Int64 = 30_000
    /// If a server asks for a longer wait than this, the call is not sent again.
    package var retryAfterMaxMilliseconds: Int64 = 60_000
    /// The time limit for all attempts and waits together; 0 sets no limit.
    package var deadlineMilliseconds: Int64 = 0
    /// The statuses that are temporary, in place of those that `AnswerMeaning` calls temporary;
    /// `nil` if the document names none.
    package var statuses: [ClosedRange<Int>]?
    /// The API's own codes that are temporary, whatever the status is.
    package var codes: Set<String> = []
    package var transport: Set<Failure.Reason> = Self.temporaryFailures
    /// Methods that may be repeated without an Idempotency-Key.
    package var methods: Set<String> = Self.idempotentMethods
    /// Whether requests with other methods get an Idempotency-Key; all attempts of a request have
    /// the same key.
    package var addsIdempotencyKey = false
    /// The number of retry tokens of an origin.
    package var budgetTokens = 20

    package static let temporaryFailures = Set(
        Failure.Reason.allCases.filter(\.traits.isTemporary))
    package static let idempotentMethods = Set(Method.idempotent.map(\.rawValue))

    package init() {}

    package func isTemporary(_ outcome: RetryOutcome) -> Bool {
        switch outcome {
        case .answer(let facts, let code, _, let stated):
            stated ?? (facts.isTemporary(statuses) || code.map(codes.contains) == true)
        case .failure(let reason): transport.contains(reason)
        }
    }
}

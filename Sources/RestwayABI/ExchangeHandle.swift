import RestwayClient

/// What an authorize function changes.
///
/// `@unchecked Sendable`: lent for the length of the question, to the thread that is asked.
final class ExchangeHandle: @unchecked Sendable {
    var outgoing: OutgoingExchange {
        didSet { texts = LentTexts() }
    }
    /// Of `outgoing` as it is: they go with a change.
    private(set) var texts = LentTexts()

    init(_ outgoing: OutgoingExchange) {
        self.outgoing = outgoing
    }
}

import RestwayClient
import RestwayThreads

/// The exchange that an authorize function changes.
///
/// `@unchecked Sendable`: lent to the thread that is asked, while the question is asked.
final class ExchangeHandle: HandleObject, @unchecked Sendable {
    var outgoing: OutgoingExchange {
        didSet { texts = LentTexts() }
    }
    /// The texts of the present `outgoing`. A change drops them.
    private(set) var texts = LentTexts()
    /// The refusal that the function has given before it refuses.
    var refusal: (reason: String, cause: HostContext)?
    let generation = ProcessGeneration.current

    init(_ outgoing: OutgoingExchange) {
        self.outgoing = outgoing
    }
}

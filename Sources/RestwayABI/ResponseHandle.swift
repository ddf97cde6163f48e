import RestwayClient
import Synchronization

/// A response with the texts that were read from it.
final class ResponseHandle: Sendable {
    let response: Response
    /// Of most responses nobody asks for a text.
    private let lentTexts = AtomicLazyReference<LentTexts>()

    init(_ response: Response) {
        self.response = response
    }

    var texts: LentTexts { lentTexts.load() ?? lentTexts.storeIfNil(LentTexts()) }

    /// The body, with a NUL behind it. An array that is held and never changed does not move, and
    /// with its NUL it is never empty.
    var bodyStart: UnsafePointer<UInt8> {
        response.bodyWithNUL.withUnsafeBufferPointer { $0.baseAddress! }
    }
}

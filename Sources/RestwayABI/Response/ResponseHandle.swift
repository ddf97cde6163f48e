import RestwayClient
import RestwayThreads
import Synchronization

/// A response with the texts that were read from it.
final class ResponseHandle: HandleObject, Sendable {
    let response: Response
    /// The texts are made at their first use, because most programs ask for none.
    private let lentTexts = AtomicLazyReference<LentTexts>()
    let generation = ProcessGeneration.current

    init(_ response: Response) {
        self.response = response
    }

    var texts: LentTexts { lentTexts.load() ?? lentTexts.storeIfNil(LentTexts()) }

    /// The body, followed by a NUL. An array that is kept and never changed does not move, and
    /// because of the NUL it is never empty.
    var bodyStart: UnsafePointer<UInt8> {
        response.bodyWithNUL.withUnsafeBufferPointer { $0.baseAddress! }
    }
}

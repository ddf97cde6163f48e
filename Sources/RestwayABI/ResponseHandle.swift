import RestwayClient

/// A response with the texts that were read from it.
final class ResponseHandle: Sendable {
    let response: Response
    let texts = LentTexts()

    init(_ response: Response) {
        self.response = response
    }

    /// The body, with a NUL behind it. An array that is held and never changed does not move, and
    /// with its NUL it is never empty.
    var bodyStart: UnsafePointer<UInt8> {
        response.bodyWithNUL.withUnsafeBufferPointer { $0.baseAddress! }
    }
}

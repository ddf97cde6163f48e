import RestwayClient
import RestwayThreads

/// A stored request that the program holds, with its texts.
final class StoredRequestHandle: HandleObject, Sendable {
    let request: StoredRequest
    let texts = LentTexts()
    let response: ResponseHandle?
    /// The body, followed by one byte, so that it is never empty and has an address.
    private let body: [UInt8]?
    let generation = ProcessGeneration.current

    init(_ request: StoredRequest) {
        self.request = request
        response = request.response.map(ResponseHandle.init)
        body = request.body.map { $0 + [0] }
    }

    /// An array that is kept and never changed does not move.
    var bodyStart: UnsafePointer<UInt8>? {
        body?.withUnsafeBufferPointer { $0.baseAddress }
    }
}

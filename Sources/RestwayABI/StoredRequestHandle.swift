import RestwayClient

/// A stored request of the host, with its texts.
final class StoredRequestHandle: Sendable {
    let request: StoredRequest
    let texts = LentTexts()
    let response: ResponseHandle?
    /// With a byte behind it, so that it is never empty and has an address.
    private let body: [UInt8]?

    init(_ request: StoredRequest) {
        self.request = request
        response = request.response.map(ResponseHandle.init)
        body = request.body.map { $0 + [0] }
    }

    /// An array that is held and never changed does not move.
    var bodyStart: UnsafePointer<UInt8>? {
        body?.withUnsafeBufferPointer { $0.baseAddress }
    }
}

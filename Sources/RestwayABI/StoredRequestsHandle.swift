import RestwayClient

/// A list of stored requests, with the handles and the text that it lends.
final class StoredRequestsHandle: Sendable {
    let items: [StoredRequestHandle]
    let error: ErrorHandle?
    let texts = LentTexts()
    private let requests: StoredRequests

    init(_ requests: StoredRequests) {
        self.requests = requests
        items = requests.all.map(StoredRequestHandle.init)
        error = requests.failure.map(ErrorHandle.init)
    }

    /// As JSON; made once.
    var json: UnsafePointer<CChar>? {
        texts.pointer("json") { String(decoding: requests.json, as: UTF8.self) }
    }
}

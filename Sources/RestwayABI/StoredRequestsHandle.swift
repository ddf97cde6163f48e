import RestwayClient
import RestwaySupport

/// A list of stored requests, with the handles and the text that it lends.
final class StoredRequestsHandle: Sendable {
    /// Each made when it is asked for: of very many most may not be.
    private let handles: Lock<[StoredRequestHandle?]>
    let error: ErrorHandle?
    let texts = LentTexts()
    private let requests: StoredRequests

    init(_ requests: StoredRequests) {
        self.requests = requests
        handles = Lock(Array(repeating: nil, count: requests.all.count))
        error = requests.failure.map(ErrorHandle.init)
    }

    var count: Int { requests.all.count }

    /// The item at a position; `nil` behind the last one.
    func item(_ index: Int) -> StoredRequestHandle? {
        guard requests.all.indices.contains(index) else { return nil }
        return handles.withLock { handles in
            if let handle = handles[index] { return handle }
            let handle = StoredRequestHandle(requests.all[index])
            handles[index] = handle
            return handle
        }
    }

    /// As JSON; made once.
    var json: UnsafePointer<CChar>? {
        texts.pointer("json") { String(decoding: requests.json, as: UTF8.self) }
    }
}

import RestwayClient
import RestwayThreads

/// A list of stored requests, with the handles and the text that it lends.
final class StoredRequestsHandle: HandleObject, Sendable {
    /// Each handle is made at its first use, because in a very long list most may never be used.
    private let handles: Lock<[StoredRequestHandle?]>
    let error: ErrorHandle?
    let texts = LentTexts()
    private let requests: StoredRequests
    let generation = ProcessGeneration.current

    init(_ requests: StoredRequests) {
        self.requests = requests
        handles = Lock(Array(repeating: nil, count: requests.all.count))
        error = requests.failure.map(ErrorHandle.init)
    }

    var count: Int { requests.all.count }

    /// Returns the item at a position; `nil` behind the last one.
    func item(_ index: Int) -> StoredRequestHandle? {
        guard requests.all.indices.contains(index) else { return nil }
        return handles.withLock { handles in
            if let handle = handles[index] { return handle }
            let handle = StoredRequestHandle(requests.all[index])
            handles[index] = handle
            return handle
        }
    }

    /// The list as JSON, which is made once.
    var json: UnsafePointer<CChar>? {
        texts.pointer("json") { String(decoding: requests.json, as: UTF8.self) }
    }
}

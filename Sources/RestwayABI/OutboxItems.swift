public import CRestway
import Glibc
import RestwayOutbox
import RestwayThreads

/// A stored request that the program holds, with its texts.
final class StoredRequestHandle: TextLender, Sendable {
    let request: StoredRequest
    let texts = LentTexts()
    let response: ResponseHandle?
    let error: ErrorHandle?
    let generation = ProcessGeneration.current

    init(_ request: StoredRequest) {
        self.request = request
        response = request.response.map(ResponseHandle.init)
        error = request.failure.map(ErrorHandle.init)
    }
}

/// A list of stored requests, with the handles and the text that it lends.
final class StoredRequestsHandle: TextLender, Sendable {
    /// Each handle is made at its first use, because most items of a very long list may never be
    /// read.
    private let handles: Lock<[StoredRequestHandle?]>
    let error: ErrorHandle?
    let texts = LentTexts()
    let requests: StoredRequests
    let generation = ProcessGeneration.current

    init(_ requests: StoredRequests) {
        self.requests = requests
        handles = Lock(Array(repeating: nil, count: requests.all.count))
        error = requests.failure.map(ErrorHandle.init)
    }

    /// Returns the item at a position; `nil` if the position is out of range.
    func item(_ index: Int) -> StoredRequestHandle? {
        guard let request = requests.all.at(index) else { return nil }
        return handles.withLock { handles in
            let handle = handles[index] ?? StoredRequestHandle(request)
            handles[index] = handle
            return handle
        }
    }
}

// outbox.h: items, and lists of them

@_cdecl("restway_outbox_item_id") @implementation
public func restway_outbox_item_id(_ item: InHandle) -> Int64 { request(item)?.id ?? 0 }

@_cdecl("restway_outbox_item_state") @implementation
public func restway_outbox_item_state(_ item: InHandle) -> restway_outbox_state {
    switch request(item)?.state {
    case nil: restway_outbox_state(rawValue: 0)!
    case .waiting: .RESTWAY_OUTBOX_WAITING
    case .sending: .RESTWAY_OUTBOX_SENDING
    case .blocked: .RESTWAY_OUTBOX_BLOCKED
    case .dead: .RESTWAY_OUTBOX_DEAD
    case .delivered: .RESTWAY_OUTBOX_DELIVERED
    case .gone: .RESTWAY_OUTBOX_GONE
    case .parked: .RESTWAY_OUTBOX_PARKED
    }
}

@_cdecl("restway_outbox_item_reason") @implementation
public func restway_outbox_item_reason(_ item: InHandle) -> restway_outbox_reason {
    switch request(item)?.deathReason {
    case nil: request(item)?.waitReason.code ?? .RESTWAY_OUTBOX_REASON_NONE
    case .refused: .RESTWAY_OUTBOX_REASON_REFUSED
    case .keyReused: .RESTWAY_OUTBOX_REASON_KEY_REUSED
    case .unsendable: .RESTWAY_OUTBOX_REASON_UNSENDABLE
    case .noIdentity: .RESTWAY_OUTBOX_REASON_NO_IDENTITY
    case .version: .RESTWAY_OUTBOX_REASON_VERSION
    }
}

@_cdecl("restway_outbox_item_method") @implementation
public func restway_outbox_item_method(_ item: InHandle) -> CString! {
    StoredRequestHandle.text(item, "method") { $0.request.method }
}

@_cdecl("restway_outbox_item_path") @implementation
public func restway_outbox_item_path(_ item: InHandle) -> CString! {
    StoredRequestHandle.text(item, "path") { $0.request.path }
}

@_cdecl("restway_outbox_item_lane") @implementation
public func restway_outbox_item_lane(_ item: InHandle) -> CString! {
    StoredRequestHandle.text(item, "lane") { $0.request.lane }
}

@_cdecl("restway_outbox_item_key") @implementation
public func restway_outbox_item_key(_ item: InHandle) -> CString! {
    StoredRequestHandle.text(item, "key") { $0.request.idempotencyKey }
}

@_cdecl("restway_outbox_item_body") @implementation
public func restway_outbox_item_body(
    _ item: InHandle, _ outLength: Out<Int>?
) -> UnsafeRawPointer! {
    StoredRequestHandle.bytes(item, outLength) { $0.request.body }
}

@_cdecl("restway_outbox_item_created") @implementation
public func restway_outbox_item_created(_ item: InHandle) -> Int64 { request(item)?.created ?? 0 }

@_cdecl("restway_outbox_item_attempts") @implementation
public func restway_outbox_item_attempts(_ item: InHandle) -> Int64 {
    Int64(request(item)?.attempts ?? 0)
}

@_cdecl("restway_outbox_item_next_attempt") @implementation
public func restway_outbox_item_next_attempt(_ item: InHandle) -> Int64 {
    request(item)?.nextAttempt ?? 0
}

@_cdecl("restway_outbox_item_last_error") @implementation
public func restway_outbox_item_last_error(_ item: InHandle) -> CString! {
    StoredRequestHandle.text(item, "lastError") { $0.request.lastError }
}

@_cdecl("restway_outbox_item_response") @implementation
public func restway_outbox_item_response(_ item: InHandle) -> OpaquePointer! {
    StoredRequestHandle.object(item)?.response.map(Handle.lend)
}

@_cdecl("restway_outbox_item_error") @implementation
public func restway_outbox_item_error(_ item: InHandle) -> OpaquePointer! {
    StoredRequestHandle.object(item)?.error.map(Handle.lend)
}

@_cdecl("restway_outbox_items_count") @implementation
public func restway_outbox_items_count(_ items: InHandle) -> Int {
    StoredRequestsHandle.object(items)?.requests.all.count ?? 0
}

@_cdecl("restway_outbox_items_item") @implementation
public func restway_outbox_items_item(_ items: InHandle, _ index: Int) -> OpaquePointer! {
    StoredRequestsHandle.object(items)?.item(index).map(Handle.lend)
}

@_cdecl("restway_outbox_items_json") @implementation
public func restway_outbox_items_json(_ items: InHandle, _ outLength: Out<Int>?) -> CString! {
    let json = StoredRequestsHandle.text(items, "json") {
        String(decoding: $0.requests.json, as: UTF8.self)
    }
    // JSON text holds no NUL.
    outLength?.pointee = json.map(strlen) ?? 0
    return json
}

@_cdecl("restway_outbox_items_error") @implementation
public func restway_outbox_items_error(_ items: InHandle) -> OpaquePointer! {
    StoredRequestsHandle.object(items)?.error.map(Handle.lend)
}

extension OutboxWaitReason? {
    fileprivate var code: restway_outbox_reason {
        switch self {
        case nil: .RESTWAY_OUTBOX_REASON_NONE
        case .notTheAPI: .RESTWAY_OUTBOX_REASON_NOT_THE_API
        case .credential: .RESTWAY_OUTBOX_REASON_CREDENTIAL
        case .otherUser: .RESTWAY_OUTBOX_REASON_OTHER_USER
        case .conflict: .RESTWAY_OUTBOX_REASON_CONFLICT
        }
    }
}

private func request(_ item: InHandle) -> StoredRequest? {
    StoredRequestHandle.object(item)?.request
}

import Glibc
import RestwayClient

public import CRestway

// outbox.h: items, and lists of them

@_cdecl("restway_outbox_item_retain") @implementation
public func restway_outbox_item_retain(_ item: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(StoredRequestHandle.self, item)
}

@_cdecl("restway_outbox_item_release") @implementation
public func restway_outbox_item_release(_ item: OpaquePointer?) {
    Handle.release(StoredRequestHandle.self, item)
}

@_cdecl("restway_outbox_item_id") @implementation
public func restway_outbox_item_id(_ item: OpaquePointer?) -> Int64 {
    request(item)?.id ?? 0
}

@_cdecl("restway_outbox_item_state") @implementation
public func restway_outbox_item_state(_ item: OpaquePointer?) -> restway_outbox_state {
    switch request(item)?.state {
    case nil: restway_outbox_state(rawValue: 0)!
    case .waiting: .RESTWAY_OUTBOX_WAITING
    case .sending: .RESTWAY_OUTBOX_SENDING
    case .blocked: .RESTWAY_OUTBOX_BLOCKED
    case .dead: .RESTWAY_OUTBOX_DEAD
    case .delivered: .RESTWAY_OUTBOX_DELIVERED
    }
}

@_cdecl("restway_outbox_item_reason") @implementation
public func restway_outbox_item_reason(_ item: OpaquePointer?) -> restway_outbox_reason {
    switch request(item)?.deathReason {
    case nil: .RESTWAY_OUTBOX_REASON_NONE
    case .refused: .RESTWAY_OUTBOX_REASON_REFUSED
    case .keyReused: .RESTWAY_OUTBOX_REASON_KEY_REUSED
    case .unsendable: .RESTWAY_OUTBOX_REASON_UNSENDABLE
    case .noIdentity: .RESTWAY_OUTBOX_REASON_NO_IDENTITY
    }
}

@_cdecl("restway_outbox_item_method") @implementation
public func restway_outbox_item_method(_ item: OpaquePointer?) -> UnsafePointer<CChar>! {
    text(item, "method") { $0.method }
}

@_cdecl("restway_outbox_item_path") @implementation
public func restway_outbox_item_path(_ item: OpaquePointer?) -> UnsafePointer<CChar>! {
    text(item, "path") { $0.path }
}

@_cdecl("restway_outbox_item_lane") @implementation
public func restway_outbox_item_lane(_ item: OpaquePointer?) -> UnsafePointer<CChar>! {
    text(item, "lane") { $0.lane }
}

@_cdecl("restway_outbox_item_key") @implementation
public func restway_outbox_item_key(_ item: OpaquePointer?) -> UnsafePointer<CChar>! {
    text(item, "key") { $0.idempotencyKey }
}

@_cdecl("restway_outbox_item_body") @implementation
public func restway_outbox_item_body(
    _ item: OpaquePointer?, _ outLength: UnsafeMutablePointer<Int>?
) -> UnsafeRawPointer! {
    outLength?.pointee = 0
    guard let handle = Handle.object(StoredRequestHandle.self, item),
        let start = handle.bodyStart
    else { return nil }
    outLength?.pointee = handle.request.body?.count ?? 0
    return UnsafeRawPointer(start)
}

@_cdecl("restway_outbox_item_created") @implementation
public func restway_outbox_item_created(_ item: OpaquePointer?) -> Int64 {
    request(item)?.created ?? 0
}

@_cdecl("restway_outbox_item_attempts") @implementation
public func restway_outbox_item_attempts(_ item: OpaquePointer?) -> Int64 {
    Int64(request(item)?.attempts ?? 0)
}

@_cdecl("restway_outbox_item_next_attempt") @implementation
public func restway_outbox_item_next_attempt(_ item: OpaquePointer?) -> Int64 {
    request(item)?.nextAttempt ?? 0
}

@_cdecl("restway_outbox_item_last_error") @implementation
public func restway_outbox_item_last_error(_ item: OpaquePointer?) -> UnsafePointer<CChar>! {
    text(item, "lastError") { $0.lastError }
}

@_cdecl("restway_outbox_item_response") @implementation
public func restway_outbox_item_response(_ item: OpaquePointer?) -> OpaquePointer! {
    Handle.object(StoredRequestHandle.self, item)?.response.map { Handle.lend($0) }
}

@_cdecl("restway_outbox_items_count") @implementation
public func restway_outbox_items_count(_ items: OpaquePointer?) -> Int {
    Handle.object(StoredRequestsHandle.self, items)?.count ?? 0
}

@_cdecl("restway_outbox_items_item") @implementation
public func restway_outbox_items_item(_ items: OpaquePointer?, _ index: Int) -> OpaquePointer! {
    Handle.object(StoredRequestsHandle.self, items)?.item(index).map { Handle.lend($0) }
}

@_cdecl("restway_outbox_items_json") @implementation
public func restway_outbox_items_json(
    _ items: OpaquePointer?, _ outLength: UnsafeMutablePointer<Int>?
) -> UnsafePointer<CChar>! {
    outLength?.pointee = 0
    guard let json = Handle.object(StoredRequestsHandle.self, items)?.json else { return nil }
    // JSON text holds no NUL.
    outLength?.pointee = strlen(json)
    return json
}

@_cdecl("restway_outbox_items_error") @implementation
public func restway_outbox_items_error(_ items: OpaquePointer?) -> OpaquePointer! {
    Handle.object(StoredRequestsHandle.self, items)?.error.map { Handle.lend($0) }
}

@_cdecl("restway_outbox_items_retain") @implementation
public func restway_outbox_items_retain(_ items: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(StoredRequestsHandle.self, items)
}

@_cdecl("restway_outbox_items_release") @implementation
public func restway_outbox_items_release(_ items: OpaquePointer?) {
    Handle.release(StoredRequestsHandle.self, items)
}

private func request(_ item: OpaquePointer?) -> StoredRequest? {
    Handle.object(StoredRequestHandle.self, item)?.request
}

private func text(
    _ item: OpaquePointer?, _ key: String, _ read: (StoredRequest) -> String?
) -> UnsafePointer<CChar>? {
    guard let handle = Handle.object(StoredRequestHandle.self, item) else { return nil }
    return handle.texts.pointer(key) { read(handle.request) }
}

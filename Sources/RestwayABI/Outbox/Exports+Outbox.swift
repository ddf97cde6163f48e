public import CRestway
import RestwayClient
import RestwayObjects
import RestwayThreads

// outbox.h: what a client does

@_cdecl("restway_client_set_reachability") @implementation
public func restway_client_set_reachability(
    _ client: OpaquePointer?, _ reachability: restway_reachability,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let client = try Argument.handle(ClientHandle.self, client, "client").client
        let word: Reachability
        switch reachability {
        case .RESTWAY_REACHABILITY_UNKNOWN: word = .unknown
        case .RESTWAY_REACHABILITY_REACHABLE: word = .reachable
        case .RESTWAY_REACHABILITY_UNREACHABLE: word = .unreachable
        default:
            throw Failure(
                .invalidArgument,
                "reachability is \(reachability.rawValue), which is no restway_reachability",
                field: "reachability")
        }
        try client.setReachability(word)
    }
}

@_cdecl("restway_client_reachability") @implementation
public func restway_client_reachability(_ client: OpaquePointer?) -> restway_reachability {
    switch Handle.object(ClientHandle.self, client)?.client.reachability {
    case nil, .unknown: .RESTWAY_REACHABILITY_UNKNOWN
    case .reachable: .RESTWAY_REACHABILITY_REACHABLE
    case .unreachable: .RESTWAY_REACHABILITY_UNREACHABLE
    }
}

@_cdecl("restway_request_set_lane") @implementation
public func restway_request_set_lane(
    _ request: OpaquePointer?, _ lane: UnsafePointer<CChar>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let request = try Argument.handle(RequestHandle.self, request, "request")
        let name = lane == nil ? nil : try Argument.nonEmptyString(lane, "lane")
        request.spec.withLock { $0.lane = name }
    }
}

@_cdecl("restway_error_outbox_id") @implementation
public func restway_error_outbox_id(_ error: OpaquePointer?) -> Int64 {
    Handle.object(ErrorHandle.self, error)?.failure.outboxID ?? 0
}

@_cdecl("restway_outbox_list") @implementation
public func restway_outbox_list(
    _ client: OpaquePointer?, _ outItems: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outItems, outError, named: "out_items") { () throws(Failure) in
        StoredRequestsHandle(try Argument.outbox(client).list())
    }
}

@_cdecl("restway_outbox_find") @implementation
public func restway_outbox_find(
    _ client: OpaquePointer?, _ id: Int64, _ outItem: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outItem, outError, named: "out_item") { () throws(Failure) in
        StoredRequestHandle(try Argument.outbox(client).find(id))
    }
}

@_cdecl("restway_outbox_counts_init") @implementation
public func restway_outbox_counts_init(
    _ counts: UnsafeMutablePointer<restway_outbox_counts>?, _ size: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let counts = try Argument.out(counts, "counts")
        try SizedOptions.initialize(
            counts, size: size, sizeMin: StoredRequestCounts.structSizeMin, "counts")
    }
}

@_cdecl("restway_outbox_count") @implementation
public func restway_outbox_count(
    _ client: OpaquePointer?, _ counts: UnsafeMutablePointer<restway_outbox_counts>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let counts = try Argument.out(counts, "counts")
        try Argument.outbox(client).counts().write(counts)
    }
}

@_cdecl("restway_outbox_needs_flushing") @implementation
public func restway_outbox_needs_flushing(
    _ client: OpaquePointer?, _ outNeeds: UnsafeMutablePointer<Int32>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outNeeds?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let outbox = try Argument.outbox(client)
        let outNeeds = try Argument.out(outNeeds, "out_needs")
        outNeeds.pointee = try outbox.needsFlushing() ? 1 : 0
    }
}

@_cdecl("restway_outbox_has_pending") @implementation
public func restway_outbox_has_pending(
    _ client: OpaquePointer?, _ object: OpaquePointer?,
    _ outPending: UnsafeMutablePointer<Int32>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outPending?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let object = try Argument.handle(Snapshot.self, object, "object")
        let outbox = try Argument.outbox(client)
        let outPending = try Argument.out(outPending, "out_pending")
        outPending.pointee = try outbox.hasPending(object) ? 1 : 0
    }
}

@_cdecl("restway_outbox_flush") @implementation
public func restway_outbox_flush(
    _ client: OpaquePointer?, _ flags: UInt32, _ done: restway_outbox_flushed_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let outbox = try Argument.outbox(client)
        guard flags & ~RESTWAY_OUTBOX_FORCE == 0 else {
            throw Failure(.invalidArgument, "flags holds unknown bits", field: "flags")
        }
        try HostContext.lending(context, destroy) { context throws(Failure) in
            let told = try OutboxTelling.expected(done, destroy, context, outbox.delivery)
            try outbox.flush(
                isForced: flags & RESTWAY_OUTBOX_FORCE != 0,
                token: UInt64(UInt(bitPattern: context.pointer)), told: told, end: context.end)
        }
    }
}

@_cdecl("restway_client_set_outbox_observer") @implementation
public func restway_client_set_outbox_observer(
    _ client: OpaquePointer?, _ item: restway_outbox_item_fn?,
    _ flushed: restway_outbox_flushed_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        let outbox = try client.requireOutbox()
        let token = UInt64(UInt(bitPattern: context.pointer))
        let isAny = item != nil || flushed != nil
        try outbox.setObserver(
            isAny
                ? OutboxObserver(
                    item: item.map { OutboxTelling.item($0, context) },
                    flushed: flushed.map { OutboxTelling.flushed($0, context) }, token: token)
                : nil)
    }
}

@_cdecl("restway_outbox_retry") @implementation
public func restway_outbox_retry(
    _ client: OpaquePointer?, _ id: Int64, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        try Argument.outbox(client).retry(id)
    }
}

@_cdecl("restway_outbox_edit") @implementation
public func restway_outbox_edit(
    _ client: OpaquePointer?, _ id: Int64, _ body: UnsafeRawPointer?, _ length: Int,
    _ mediaType: UnsafePointer<CChar>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let outbox = try Argument.outbox(client)
        let bytes = try Argument.bytes(body, length, "body")
        let type = try Argument.optionalString(mediaType, "media_type")
        if let type { try Argument.headerValue(type, "media_type") }
        try outbox.edit(id, body: body == nil ? nil : Array(bytes), mediaType: type)
    }
}

@_cdecl("restway_outbox_drop") @implementation
public func restway_outbox_drop(
    _ client: OpaquePointer?, _ id: Int64, _ outCount: UnsafeMutablePointer<Int>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outCount?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let count = try Argument.outbox(client).drop(id)
        outCount?.pointee = count
    }
}

@_cdecl("restway_outbox_drop_all") @implementation
public func restway_outbox_drop_all(
    _ client: OpaquePointer?, _ outCount: UnsafeMutablePointer<Int>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outCount?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let count = try Argument.outbox(client).dropAll()
        outCount?.pointee = count
    }
}

extension Argument {
    /// Returns the outbox of a client, or throws if there is none or the client may not be used.
    fileprivate static func outbox(_ client: OpaquePointer?) throws(Failure) -> Outbox {
        try handle(ClientHandle.self, client, "client").client.requireOutbox()
    }
}

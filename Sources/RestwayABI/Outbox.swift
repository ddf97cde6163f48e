public import CRestway
import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayObjects
import RestwayOutbox
import RestwayOutcome
import RestwayRequests

// outbox.h: the functions of clients

@_cdecl("restway_client_set_reachability") @implementation
public func restway_client_set_reachability(
    _ client: InHandle, _ reachability: restway_reachability, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.using(client, outError) { client throws(Failure) in
        switch reachability {
        case .RESTWAY_REACHABILITY_UNKNOWN: try client.setReachability(.unknown)
        case .RESTWAY_REACHABILITY_REACHABLE: try client.setReachability(.reachable)
        case .RESTWAY_REACHABILITY_UNREACHABLE: try client.setReachability(.unreachable)
        default:
            throw Argument.wrong(
                "reachability",
                "reachability is \(reachability.rawValue), which is no restway_reachability")
        }
    }
}

@_cdecl("restway_client_reachability") @implementation
public func restway_client_reachability(_ client: InHandle) -> restway_reachability {
    switch ClientHandle.object(client)?.client.reachability {
    case nil, .unknown: .RESTWAY_REACHABILITY_UNKNOWN
    case .reachable: .RESTWAY_REACHABILITY_REACHABLE
    case .unreachable: .RESTWAY_REACHABILITY_UNREACHABLE
    }
}

@_cdecl("restway_request_set_lane") @implementation
public func restway_request_set_lane(
    _ request: InHandle, _ lane: CString?, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        spec.sending.lane = lane == nil ? nil : try Argument.nonEmptyString(lane, "lane")
    }
}

@_cdecl("restway_request_set_offline") @implementation
public func restway_request_set_offline(
    _ request: InHandle, _ offline: restway_offline, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        spec.sending.storing =
            switch offline {
            case .RESTWAY_OFFLINE_ROUTE: nil
            case .RESTWAY_OFFLINE_NEVER: .never
            case .RESTWAY_OFFLINE_FAILED: .failed
            case .RESTWAY_OFFLINE_FIRST: .first
            default:
                throw Argument.wrong(
                    "offline", "offline is \(offline.rawValue), which is no restway_offline")
            }
    }
}

@_cdecl("restway_error_outbox_id") @implementation
public func restway_error_outbox_id(_ error: InHandle) -> Int64 {
    ErrorHandle.object(error)?.failure.outboxID ?? 0
}

@_cdecl("restway_outbox_list") @implementation
public func restway_outbox_list(
    _ client: InHandle, _ outItems: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outItems, outError, "out_items") { () throws(Failure) in
        StoredRequestsHandle(try Argument.outbox(client).list())
    }
}

@_cdecl("restway_outbox_find") @implementation
public func restway_outbox_find(
    _ client: InHandle, _ id: Int64, _ outItem: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outItem, outError, "out_item") { () throws(Failure) in
        StoredRequestHandle(try Argument.outbox(client).find(id))
    }
}

@_cdecl("restway_outbox_count") @implementation
public func restway_outbox_count(
    _ client: InHandle, _ counts: Out<restway_outbox_counts>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let found = try Argument.outbox(client).counts()
        let known = restway_outbox_counts(
            struct_size: MemoryLayout<restway_outbox_counts>.size, waiting: Int64(found.waiting),
            sending: Int64(found.sending), blocked: Int64(found.blocked), dead: Int64(found.dead),
            parked: Int64(found.parked))
        try SizedStructs.outboxCounts.write(known, to: counts)
    }
}

@_cdecl("restway_outbox_needs_flushing") @implementation
public func restway_outbox_needs_flushing(
    _ client: InHandle, _ outNeeds: Out<Int32>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.writing(outNeeds, 0, outError, "out_needs") { () throws(Failure) in
        try Argument.outbox(client).needsFlushing() ? 1 : 0
    }
}

@_cdecl("restway_outbox_has_pending") @implementation
public func restway_outbox_has_pending(
    _ client: InHandle, _ object: InHandle, _ outPending: Out<Int32>?, _ outError: OutHandle?
) -> restway_status {
    Snapshot.writing(object, outPending, 0, outError, "out_pending") { object throws(Failure) in
        try Argument.outbox(client).hasPending(object) ? 1 : 0
    }
}

@_cdecl("restway_outbox_flush") @implementation
public func restway_outbox_flush(
    _ client: InHandle, _ flags: UInt32, _ done: restway_outbox_flushed_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let outbox = try Argument.outbox(client)
        try Argument.flags(flags, known: RESTWAY_OUTBOX_FORCE)
        let isTold = try DoneNotice.isExpected(done != nil, destroy, outbox.delivery)
        try HostContext.lending(context, destroy) { context throws(Failure) in
            let told = isTold ? OutboxTelling.flushed(done, context, end: context.end) : nil
            try outbox.flush(isForced: flags != 0, told: told)
        }
    }
}

@_cdecl("restway_outbox_await") @implementation
public func restway_outbox_await(
    _ client: InHandle, _ id: Int64, _ ended: restway_outbox_item_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let outbox = try Argument.outbox(client)
        guard ended == nil || !outbox.delivery.isDrained() else {
            throw Argument.wrong(
                "ended",
                "ended is given, but with RESTWAY_DELIVERY_DRAIN an event comes in its place")
        }
        guard ended != nil || outbox.delivery.isDrained() else { throw Argument.null("ended") }
        try HostContext.lending(context, destroy) { context throws(Failure) in
            try outbox.tellEnd(
                of: id, to: OutboxTelling.item(ended, context, end: context.end))
        }
    }
}

@_cdecl("restway_client_set_outbox_observer") @implementation
public func restway_client_set_outbox_observer(
    _ client: InHandle, _ item: restway_outbox_item_fn?, _ flushed: restway_outbox_flushed_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        let outbox = try client.requireOutbox()
        // A context without functions asks for all events.
        let isToken = item == nil && flushed == nil && context.isToken(of: outbox.delivery)
        let wantsItems = item != nil || isToken
        let wantsFlushes = flushed != nil || isToken
        try outbox.setObserver(
            wantsItems || wantsFlushes
                ? OutboxObserver(
                    item: wantsItems ? OutboxTelling.item(item, context) : nil,
                    flushed: wantsFlushes ? OutboxTelling.flushed(flushed, context) : nil)
                : nil)
    }
}

@_cdecl("restway_outbox_retry") @implementation
public func restway_outbox_retry(
    _ client: InHandle, _ id: Int64, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in try Argument.outbox(client).retry(id) }
}

@_cdecl("restway_outbox_edit") @implementation
public func restway_outbox_edit(
    _ client: InHandle, _ id: Int64, _ body: UnsafeRawPointer?, _ length: Int,
    _ mediaType: CString?, _ outError: OutHandle?
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
    _ client: InHandle, _ id: Int64, _ outCount: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.writing(outCount, 0, outError) { () throws(Failure) in
        try Argument.outbox(client).drop(id)
    }
}

@_cdecl("restway_outbox_drop_all") @implementation
public func restway_outbox_drop_all(
    _ client: InHandle, _ outCount: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.writing(outCount, 0, outError) { () throws(Failure) in
        try Argument.outbox(client).dropAll()
    }
}

extension Argument {
    /// Returns the outbox of a client. Throws if the client has no outbox or may not be used.
    static func outbox(_ client: InHandle) throws(Failure) -> Outbox {
        try ClientHandle.argument(client).requireOutbox()
    }
}

/// Makes the notices of the outbox call C functions.
enum OutboxTelling {
    /// - Parameter function: `nil` if the program reads events.
    static func item(
        _ function: restway_outbox_item_fn?, _ context: HostContext,
        end: @escaping @Sendable () -> Void = {}
    ) -> OutboxReceiver {
        receiver(context, end: end) { handle in
            withExtendedLifetime(handle) {
                guard let item = handle.item(0) else { return }
                let status = restway_status(handle.error?.failure)
                function?(context.pointer, Handle.lend(item), status, handle.error.map(Handle.lend))
            }
        }
    }

    /// - Parameter function: `nil` if the program reads events, or if only its context ends.
    static func flushed(
        _ function: restway_outbox_flushed_fn?, _ context: HostContext,
        end: @escaping @Sendable () -> Void = {}
    ) -> OutboxReceiver {
        receiver(context, end: end) { handle in
            Handle.lending(handle) {
                let status = restway_status(handle.error?.failure)
                function?(context.pointer, $0, status, handle.error.map(Handle.lend))
            }
        }
    }

    /// An event has the same handle as its payload.
    private static func receiver(
        _ context: HostContext, end: @escaping @Sendable () -> Void = {},
        _ run: @escaping @Sendable (StoredRequestsHandle) -> Void
    ) -> OutboxReceiver {
        OutboxReceiver(token: context.token, payload: StoredRequestsHandle.init, end: end) {
            run(StoredRequestsHandle($0))
        }
    }
}

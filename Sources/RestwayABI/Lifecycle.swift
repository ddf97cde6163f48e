public import CRestway
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayThreads

/// An event in the life of a call, with what C callers borrow from it.
final class LifecycleEventHandle: HandleObject, Sendable {
    let event: LifecycleEvent
    let response: ResponseHandle?
    let error: ErrorHandle?
    let texts = LentTexts()
    let generation = ProcessGeneration.current

    init(_ event: LifecycleEvent) {
        self.event = event
        switch event.outcome {
        case .success(let response)?:
            self.response = ResponseHandle(response)
            error = nil
        case .failure(let failure)?:
            response = nil
            error = ErrorHandle(failure)
        case nil:
            response = nil
            error = nil
        }
    }
}

// lifecycle.h

@_cdecl("restway_client_observe_calls") @implementation
public func restway_client_observe_calls(
    _ client: InHandle, _ options: In<restway_lifecycle_options>?, _ told: restway_lifecycle_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outObserver: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    ClientHandle.creating(client, outObserver, outError) { client throws(Failure) in
        let wishes = try LifecycleWishes(options)
        guard (told == nil) == client.delivery.isDrained() else {
            let reason =
                told == nil
                ? "is NULL: no function would receive the events"
                : "is given, but with RESTWAY_DELIVERY_DRAIN an event comes in its place"
            throw Argument.wrong("told", "told \(reason)")
        }
        return try HostContext.lending(context, destroy) { context throws(Failure) in
            let observer = try client.observeCalls(
                wishes, token: context.token,
                told: { event in
                    Handle.lending(LifecycleEventHandle(event)) { told?(context.pointer, $0) }
                }, end: context.end)
            return ObserverHandle(observer, .calls(client.calls.lifecycle))
        }
    }
}

@_cdecl("restway_lifecycle_event_kind") @implementation
public func restway_lifecycle_event_kind(_ event: InHandle) -> restway_lifecycle_kind {
    restway_lifecycle_kind(
        rawValue: LifecycleEventHandle.object(event)?.event.kind.rawValue ?? 0)!
}

@_cdecl("restway_lifecycle_event_time") @implementation
public func restway_lifecycle_event_time(_ event: InHandle) -> Int64 {
    LifecycleEventHandle.object(event)?.event.time ?? 0
}

@_cdecl("restway_lifecycle_event_info") @implementation
public func restway_lifecycle_event_info(
    _ event: InHandle, _ info: Out<restway_call_info>?, _ outError: OutHandle?
) -> restway_status {
    LifecycleEventHandle.using(event, outError) { handle throws(Failure) in
        try SizedStructs.callInfo.write(handle.event.info.c(handle.texts), to: info)
    }
}

@_cdecl("restway_lifecycle_event_call") @implementation
public func restway_lifecycle_event_call(_ event: InHandle) -> OpaquePointer! {
    (LifecycleEventHandle.object(event)?.event.call).map(Handle.lend)
}

@_cdecl("restway_lifecycle_event_response") @implementation
public func restway_lifecycle_event_response(_ event: InHandle) -> OpaquePointer! {
    LifecycleEventHandle.object(event)?.response.map(Handle.lend)
}

@_cdecl("restway_lifecycle_event_error") @implementation
public func restway_lifecycle_event_error(_ event: InHandle) -> OpaquePointer! {
    LifecycleEventHandle.object(event)?.error.map(Handle.lend)
}

@_cdecl("restway_request_set_too_slow") @implementation
public func restway_request_set_too_slow(
    _ request: InHandle, _ milliseconds: Int64, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        spec.timeouts.tooSlowMilliseconds = try Argument.limit(milliseconds, "milliseconds")
    }
}

/// Takes the options of the header.
extension LifecycleWishes {
    fileprivate init(_ pointer: In<restway_lifecycle_options>?) throws(Failure) {
        self.init()
        let fields = try LifecycleOptionsFields(pointer)
        if fields.kinds != 0 { kinds = fields.kinds }
        routes = fields.routes
        if let interval = fields.progressIntervalMilliseconds {
            progressIntervalMilliseconds = interval
        }
    }
}

extension CallInfo {
    /// Returns the struct of the header.
    ///
    /// - Parameters:
    ///   - texts: Keeps the texts that the struct borrows.
    ///   - key: Tells the texts from those of other calls.
    func c(_ texts: LentTexts, _ key: Int = 0) -> restway_call_info {
        restway_call_info(
            struct_size: MemoryLayout<restway_call_info>.size, call_id: id,
            route: texts.pointer("route \(key)") { route },
            method: texts.pointer("method \(key)") { method },
            url: texts.pointer("url \(key)") { url },
            stage: texts.pointer("stage \(key)") { stage }, age_microseconds: ageMicroseconds,
            attempt: Int32(clamping: attempt), flags: traits.rawValue)
    }
}

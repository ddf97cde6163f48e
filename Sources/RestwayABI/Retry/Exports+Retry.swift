public import CRestway
import RestwayClient
import RestwayThreads

// retry.h

@_cdecl("restway_client_set_retry") @implementation
public func restway_client_set_retry(
    _ client: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let client = try Argument.handle(ClientHandle.self, client, "client").client
        try client.setRetry(json == nil ? nil : try Argument.json(json, length))
    }
}

@_cdecl("restway_request_set_idempotency_key") @implementation
public func restway_request_set_idempotency_key(
    _ request: OpaquePointer?, _ key: UnsafePointer<CChar>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let request = try Argument.handle(RequestHandle.self, request, "request")
        var chosen = IdempotencyKey.random
        if key != nil {
            let text = try Argument.nonEmptyString(key, "key")
            try Argument.headerValue(text, "key")
            chosen = .given(text)
        }
        request.spec.withLock { $0.idempotencyKey = chosen }
    }
}

@_cdecl("restway_attempt_init") @implementation
public func restway_attempt_init(
    _ attempt: UnsafeMutablePointer<restway_attempt>?, _ size: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let attempt = try Argument.out(attempt, "attempt")
        try SizedOptions.initialize(
            attempt, size: size, sizeMin: CallAttempt.structSizeMin, "attempt")
    }
}

@_cdecl("restway_response_attempt_count") @implementation
public func restway_response_attempt_count(_ response: OpaquePointer?) -> Int {
    Handle.object(ResponseHandle.self, response)?.response.attempts.count ?? 0
}

@_cdecl("restway_response_attempt") @implementation
public func restway_response_attempt(
    _ response: OpaquePointer?, _ index: Int, _ attempt: UnsafeMutablePointer<restway_attempt>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.handle(ResponseHandle.self, response, "response")
        try CallAttempt.write(handle.response.attempts, index, handle.texts, attempt)
    }
}

@_cdecl("restway_error_attempt_count") @implementation
public func restway_error_attempt_count(_ error: OpaquePointer?) -> Int {
    Handle.object(ErrorHandle.self, error)?.failure.attempts.count ?? 0
}

@_cdecl("restway_error_attempt") @implementation
public func restway_error_attempt(
    _ error: OpaquePointer?, _ index: Int, _ attempt: UnsafeMutablePointer<restway_attempt>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.handle(ErrorHandle.self, error, "error")
        try CallAttempt.write(handle.failure.attempts, index, handle.texts, attempt)
    }
}

@_cdecl("restway_client_set_attempt_observer") @implementation
public func restway_client_set_attempt_observer(
    _ client: OpaquePointer?, _ observer: restway_attempt_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        var told: Client.AttemptObserver?
        if let observer {
            told = { call, number, attempt in
                let code = CText(attempt.apiCode)
                withExtendedLifetime((call, code)) {
                    var known = attempt.c(apiCode: code?.pointer)
                    observer(context.pointer, Handle.lend(call), number, &known)
                }
            }
        }
        try client.setAttemptObserver(told)
    }
}

@_cdecl("restway_clock_create") @implementation
public func restway_clock_create(
    _ outClock: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outClock, outError, named: "out_clock") { ManualClock() }
}

@_cdecl("restway_clock_retain") @implementation
public func restway_clock_retain(_ clock: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(ManualClock.self, clock)
}

@_cdecl("restway_clock_release") @implementation
public func restway_clock_release(_ clock: OpaquePointer?) {
    Handle.release(ManualClock.self, clock)
}

@_cdecl("restway_clock_advance") @implementation
public func restway_clock_advance(
    _ clock: OpaquePointer?, _ milliseconds: Int64,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let clock = try Argument.handle(ManualClock.self, clock, "clock")
        try Argument.wait(milliseconds)
        guard clock.advance(milliseconds: milliseconds) else {
            throw Failure(
                .invalidArgument,
                "the clock cannot show a time that is \(milliseconds) milliseconds ahead",
                field: "milliseconds")
        }
    }
}

@_cdecl("restway_clock_next_milliseconds") @implementation
public func restway_clock_next_milliseconds(_ clock: OpaquePointer?) -> Int64 {
    Handle.object(ManualClock.self, clock)?.nextMilliseconds ?? -1
}

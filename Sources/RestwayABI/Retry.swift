public import CRestway
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayThreads

// retry.h

@_cdecl("restway_client_set_retry") @implementation
public func restway_client_set_retry(
    _ client: OpaquePointer?, _ json: CString?, _ length: Int, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        try Argument.client(client).setRetry(json == nil ? nil : try Argument.json(json, length))
    }
}

@_cdecl("restway_request_set_idempotency_key") @implementation
public func restway_request_set_idempotency_key(
    _ request: OpaquePointer?, _ key: CString?, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        guard key != nil else {
            spec.idempotencyKey = .random
            return
        }
        let key = try Argument.nonEmptyString(key, "key")
        try Argument.headerValue(key, "key")
        spec.idempotencyKey = .given(key)
    }
}

@_cdecl("restway_attempt_init") @implementation
public func restway_attempt_init(
    _ attempt: Out<restway_attempt>?, _ size: Int, _ outError: OutHandle?
) -> restway_status {
    SizedStructs.attempt.initialize(attempt, size, outError)
}

@_cdecl("restway_response_attempt_count") @implementation
public func restway_response_attempt_count(_ response: OpaquePointer?) -> Int {
    Handle.object(ResponseHandle.self, response)?.response.attempts.count ?? 0
}

@_cdecl("restway_response_attempt") @implementation
public func restway_response_attempt(
    _ response: OpaquePointer?, _ index: Int, _ attempt: Out<restway_attempt>?,
    _ outError: OutHandle?
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
    _ error: OpaquePointer?, _ index: Int, _ attempt: Out<restway_attempt>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.handle(ErrorHandle.self, error, "error")
        try CallAttempt.write(handle.failure.attempts, index, handle.texts, attempt)
    }
}

@_cdecl("restway_client_set_attempt_observer") @implementation
public func restway_client_set_attempt_observer(
    _ client: OpaquePointer?, _ observer: restway_attempt_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        var told: CallFunctions.AttemptObserver?
        if let observer {
            told = { call, number, attempt in
                let code = CText(attempt.apiCode)
                withExtendedLifetime((call, code)) {
                    var known = attempt.c(apiCode: code?.pointer)
                    observer(context.pointer, Handle.lend(call), number, &known)
                }
            }
        }
        try client.calls.setFunctions { $0.attemptObserver = told }
    }
}

@_cdecl("restway_clock_create") @implementation
public func restway_clock_create(_ outClock: OutHandle?, _ outError: OutHandle?) -> restway_status {
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
    _ clock: OpaquePointer?, _ milliseconds: Int64, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let clock = try Argument.handle(ManualClock.self, clock, "clock")
        try Argument.notNegative(milliseconds, "milliseconds")
        guard clock.advance(milliseconds: milliseconds) else {
            throw Argument.wrong(
                "milliseconds",
                "the clock cannot show a time that is \(milliseconds) milliseconds ahead")
        }
    }
}

@_cdecl("restway_clock_next_milliseconds") @implementation
public func restway_clock_next_milliseconds(_ clock: OpaquePointer?) -> Int64 {
    Handle.object(ManualClock.self, clock)?.nextMilliseconds ?? -1
}

/// Writes an attempt to a struct of the header.
extension CallAttempt {
    /// - Parameter apiCode: Lives as long as the header promises.
    func c(apiCode: CString?) -> restway_attempt {
        var known = restway_attempt()
        known.struct_size = MemoryLayout<restway_attempt>.size
        let why: restway_attempt_reason =
            switch reason {
            case .first: .RESTWAY_ATTEMPT_FIRST
            case .retry: .RESTWAY_ATTEMPT_RETRY
            case .replay: .RESTWAY_ATTEMPT_REPLAY
            }
        known.reason = why.rawValue
        known.status = (failure.map { restway_status($0) } ?? .RESTWAY_OK).rawValue
        known.http_status = Int32(clamping: httpStatus)
        known.waited_microseconds = waitedMicroseconds
        known.took_microseconds = tookMicroseconds
        known.api_code = apiCode
        return known
    }

    /// Writes attempt `index` of `attempts`, in the fields that the program's version of the struct
    /// has.
    static func write(
        _ attempts: [CallAttempt], _ index: Int, _ texts: LentTexts,
        _ target: Out<restway_attempt>?
    ) throws(Failure) {
        guard let attempt = attempts.at(index) else {
            throw Argument.wrong("index", "index is \(index), there are \(attempts.count) attempts")
        }
        let code = texts.pointer("attempt \(index)") { attempt.apiCode }
        try SizedStructs.attempt.write(attempt.c(apiCode: code), to: target)
    }
}

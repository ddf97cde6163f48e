public import CRestway
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayRequests
import RestwayThreads

// retry.h

@_cdecl("restway_client_set_retry") @implementation
public func restway_client_set_retry(
    _ client: InHandle, _ json: CString?, _ length: Int, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.using(client, outError) { client throws(Failure) in
        try client.setRetry(json == nil ? nil : try Argument.json(json, length))
    }
}

@_cdecl("restway_request_set_idempotency_key") @implementation
public func restway_request_set_idempotency_key(
    _ request: InHandle, _ key: CString?, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        guard key != nil else {
            spec.sending.idempotencyKey = .random
            return
        }
        let key = try Argument.nonEmptyString(key, "key")
        try Argument.headerValue(key, "key")
        spec.sending.idempotencyKey = .given(key)
    }
}

@_cdecl("restway_response_attempt_count") @implementation
public func restway_response_attempt_count(_ response: InHandle) -> Int {
    ResponseHandle.object(response)?.response.attempts.count ?? 0
}

@_cdecl("restway_response_attempt") @implementation
public func restway_response_attempt(
    _ response: InHandle, _ index: Int, _ attempt: Out<restway_attempt>?, _ outError: OutHandle?
) -> restway_status {
    ResponseHandle.using(response, outError) { handle throws(Failure) in
        try CallAttempt.write(handle.response.attempts, index, handle.texts, attempt)
    }
}

@_cdecl("restway_error_attempt_count") @implementation
public func restway_error_attempt_count(_ error: InHandle) -> Int {
    ErrorHandle.object(error)?.failure.attempts.count ?? 0
}

@_cdecl("restway_error_attempt") @implementation
public func restway_error_attempt(
    _ error: InHandle, _ index: Int, _ attempt: Out<restway_attempt>?, _ outError: OutHandle?
) -> restway_status {
    ErrorHandle.using(error, outError) { handle throws(Failure) in
        try CallAttempt.write(handle.failure.attempts, index, handle.texts, attempt)
    }
}

@_cdecl("restway_client_set_attempt_observer") @implementation
public func restway_client_set_attempt_observer(
    _ client: InHandle, _ observer: restway_attempt_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        var told: CallFunctions.AttemptObserver?
        if observer != nil || context.isToken(of: client.delivery) {
            told = { call, number, attempt in
                guard let observer else { return }
                let code = attempt.apiCode.map(CText.init)
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
    Boundary.creating(outClock, outError, "out_clock") { ManualClock() }
}

@_cdecl("restway_clock_advance") @implementation
public func restway_clock_advance(
    _ clock: InHandle, _ milliseconds: Int64, _ outError: OutHandle?
) -> restway_status {
    ManualClock.using(clock, outError) { clock throws(Failure) in
        try Argument.notNegative(milliseconds, "milliseconds")
        guard clock.advance(milliseconds: milliseconds) else {
            throw Argument.wrong(
                "milliseconds",
                "the clock cannot show a time that is \(milliseconds) milliseconds ahead")
        }
    }
}

@_cdecl("restway_clock_next_milliseconds") @implementation
public func restway_clock_next_milliseconds(_ clock: InHandle) -> Int64 {
    ManualClock.object(clock)?.nextMilliseconds ?? -1
}

/// Writes an attempt to a struct of the header.
extension CallAttempt {
    /// - Parameter apiCode: Lives as long as the header promises.
    func c(apiCode: CString?) -> restway_attempt {
        let why: restway_attempt_reason =
            switch reason {
            case .first: .RESTWAY_ATTEMPT_FIRST
            case .retry: .RESTWAY_ATTEMPT_RETRY
            case .replay: .RESTWAY_ATTEMPT_REPLAY
            }
        let status: restway_status = failure.map { restway_status($0) } ?? .RESTWAY_OK
        return restway_attempt(
            struct_size: MemoryLayout<restway_attempt>.size, reason: why.rawValue,
            status: status.rawValue, http_status: Int32(clamping: httpStatus), reserved: 0,
            waited_microseconds: waitedMicroseconds, took_microseconds: tookMicroseconds,
            api_code: apiCode)
    }

    /// Writes attempt `index` of `attempts`, in the fields that the program's version of the struct
    /// has.
    static func write(
        _ attempts: [CallAttempt], _ index: Int, _ texts: LentTexts, _ target: Out<restway_attempt>?
    ) throws(Failure) {
        guard let attempt = attempts.at(index) else {
            throw Argument.wrong("index", "index is \(index), there are \(attempts.count) attempts")
        }
        let code = texts.pointer("attempt \(index)") { attempt.apiCode }
        try SizedStructs.attempt.write(attempt.c(apiCode: code), to: target)
    }
}

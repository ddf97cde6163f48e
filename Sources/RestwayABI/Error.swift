public import CRestway
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayThreads

/// An error that the program owns, with its texts.
final class ErrorHandle: TextLender, Sendable {
    let failure: Failure
    let response: ResponseHandle?
    let texts = LentTexts()
    let generation = ProcessGeneration.current

    init(_ failure: Failure) {
        self.failure = failure
        response = failure.response.map(ResponseHandle.init)
    }
}

// error.h

@_cdecl("restway_error_create") @implementation
public func restway_error_create(
    _ status: restway_status, _ message: CString?, _ field: CString?
) -> OpaquePointer! {
    guard status != .RESTWAY_OK else { return nil }
    var failure = Failure(status, message.map { String(cString: $0) } ?? "\(status.name)")
    failure.field = field.map { String(cString: $0) }
    return Handle.give(ErrorHandle(failure))
}

@_cdecl("restway_error_status") @implementation
public func restway_error_status(_ error: InHandle) -> restway_status {
    guard let error = ErrorHandle.inherited(error) else { return .RESTWAY_OK }
    return error.isOfThisProcess ? restway_status(error.failure) : .RESTWAY_E_FORKED
}

@_cdecl("restway_error_domain") @implementation
public func restway_error_domain(_ error: InHandle) -> restway_domain {
    ErrorHandle.object(error).map { restway_domain($0.failure.domain) }
        ?? restway_domain(rawValue: 0)!
}

@_cdecl("restway_error_message") @implementation
public func restway_error_message(_ error: InHandle) -> CString! {
    let empty: StaticString = ""
    return ErrorHandle.text(error, "message") { $0.failure.message } ?? empty.cString
}

@_cdecl("restway_error_http_status") @implementation
public func restway_error_http_status(_ error: InHandle) -> Int32 {
    Int32(clamping: ErrorHandle.object(error)?.failure.httpStatus ?? 0)
}

@_cdecl("restway_error_transport_code") @implementation
public func restway_error_transport_code(_ error: InHandle) -> Int32 {
    ErrorHandle.object(error)?.failure.transportCode ?? 0
}

@_cdecl("restway_error_is_retryable") @implementation
public func restway_error_is_retryable(_ error: InHandle) -> Int32 {
    ErrorHandle.object(error)?.failure.isRetryable ?? false ? 1 : 0
}

@_cdecl("restway_error_api_code") @implementation
public func restway_error_api_code(_ error: InHandle) -> CString! {
    ErrorHandle.text(error, "api_code") { $0.failure.apiCode }
}

@_cdecl("restway_error_api_message") @implementation
public func restway_error_api_message(_ error: InHandle) -> CString! {
    ErrorHandle.text(error, "api_message") { $0.failure.apiMessage }
}

@_cdecl("restway_error_field") @implementation
public func restway_error_field(_ error: InHandle) -> CString! {
    ErrorHandle.text(error, "field") { $0.failure.field }
}

@_cdecl("restway_error_response") @implementation
public func restway_error_response(_ error: InHandle) -> OpaquePointer! {
    ErrorHandle.object(error)?.response.map(Handle.lend)
}

@_cdecl("restway_error_cause") @implementation
public func restway_error_cause(_ error: InHandle) -> UnsafeMutableRawPointer! {
    ErrorHandle.object(error)?.failure.cause?.pointer
}

@_cdecl("restway_error_detail_count") @implementation
public func restway_error_detail_count(_ error: InHandle) -> Int {
    ErrorHandle.object(error)?.failure.details.count ?? 0
}

@_cdecl("restway_error_detail_path") @implementation
public func restway_error_detail_path(_ error: InHandle, _ index: Int) -> CString! {
    ErrorHandle.text(error, "detail path \(index)") { $0.failure.details.at(index)?.path }
}

@_cdecl("restway_error_detail_message") @implementation
public func restway_error_detail_message(_ error: InHandle, _ index: Int) -> CString! {
    ErrorHandle.text(error, "detail message \(index)") { $0.failure.details.at(index)?.message }
}

@_cdecl("restway_error_detail_code") @implementation
public func restway_error_detail_code(_ error: InHandle, _ index: Int) -> CString! {
    ErrorHandle.text(error, "detail code \(index)") { $0.failure.details.at(index)?.code }
}

/// The failure that a failure reader changes.
///
/// `@unchecked Sendable`: lent to the thread that is asked, while the question is asked.
final class FailureHandle: HandleObject, @unchecked Sendable {
    var failure: Failure
    /// The failure before any change.
    let found: ErrorHandle
    let generation = ProcessGeneration.current

    init(_ failure: Failure) {
        self.failure = failure
        found = ErrorHandle(failure)
    }
}

// failure.h

@_cdecl("restway_failure_error") @implementation
public func restway_failure_error(_ failure: InHandle) -> OpaquePointer! {
    FailureHandle.object(failure).map { Handle.lend($0.found) }
}

@_cdecl("restway_failure_replace") @implementation
public func restway_failure_replace(
    _ failure: InHandle, _ apiCode: CString?, _ apiMessage: CString?, _ message: CString?,
    _ retryable: Int32, _ outError: OutHandle?
) -> restway_status {
    FailureHandle.using(failure, outError) { handle throws(Failure) in
        let code = try Argument.optionalString(apiCode, "api_code")
        let text = try Argument.optionalString(apiMessage, "api_message")
        let message = try Argument.optionalString(message, "message")
        guard (-1...1).contains(retryable) else {
            throw Argument.wrong("retryable", "retryable is \(retryable); it must be 1, 0 or -1")
        }
        handle.failure.replace(
            apiCode: code, apiMessage: text, message: message,
            isRetryable: retryable < 0 ? nil : retryable == 1)
    }
}

@_cdecl("restway_client_set_failure_reader") @implementation
public func restway_client_set_failure_reader(
    _ client: InHandle, _ read: restway_read_failure_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        var reader: CallFunctions.FailureReader?
        if let read {
            reader = { failure in
                let handle = FailureHandle(failure)
                Handle.lending(handle) { read(context.pointer, $0) }
                return handle.failure
            }
        }
        try client.calls.setFunctions { $0.failureReader = reader }
    }
}

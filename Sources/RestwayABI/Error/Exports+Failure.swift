import RestwayCalls
import RestwayClient
import RestwayOutcome

public import CRestway

// failure.h

@_cdecl("restway_failure_error") @implementation
public func restway_failure_error(_ failure: OpaquePointer?) -> OpaquePointer! {
    Handle.object(FailureHandle.self, failure).map { Handle.lend($0.found) }
}

@_cdecl("restway_failure_replace") @implementation
public func restway_failure_replace(
    _ failure: OpaquePointer?, _ apiCode: UnsafePointer<CChar>?,
    _ apiMessage: UnsafePointer<CChar>?, _ message: UnsafePointer<CChar>?, _ retryable: Int32,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.handle(FailureHandle.self, failure, "failure")
        let code = try Argument.optionalString(apiCode, "api_code")
        let text = try Argument.optionalString(apiMessage, "api_message")
        let message = try Argument.optionalString(message, "message")
        guard (-1...1).contains(retryable) else {
            throw Failure(
                .invalidArgument, "retryable is \(retryable); it is 1, 0 or -1",
                field: "retryable")
        }
        handle.failure.replace(
            apiCode: code, apiMessage: text, message: message,
            isRetryable: retryable < 0 ? nil : retryable == 1)
    }
}

@_cdecl("restway_client_set_failure_reader") @implementation
public func restway_client_set_failure_reader(
    _ client: OpaquePointer?, _ read: restway_read_failure_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        var reader: CallFunctions.FailureReader?
        if let read {
            reader = { failure in
                let handle = FailureHandle(failure)
                withExtendedLifetime(handle) { read(context.pointer, Handle.lend(handle)) }
                return handle.failure
            }
        }
        try client.setFailureReader(reader)
    }
}

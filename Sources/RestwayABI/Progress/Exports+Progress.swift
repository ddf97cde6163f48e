public import CRestway
import RestwayClient
import RestwayThreads

// progress.h

@_cdecl("restway_progress_init") @implementation
public func restway_progress_init(
    _ progress: UnsafeMutablePointer<restway_progress>?, _ size: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let progress = try Argument.out(progress, "progress")
        try SizedOptions.initialize(
            progress, size: size, sizeMin: CallProgress.structSizeMin, "progress")
    }
}

@_cdecl("restway_call_progress") @implementation
public func restway_call_progress(
    _ call: OpaquePointer?, _ progress: UnsafeMutablePointer<restway_progress>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let call = try Argument.handle(Call.self, call, "call")
        try call.progress.write(try Argument.out(progress, "progress"))
    }
}

@_cdecl("restway_request_set_progress") @implementation
public func restway_request_set_progress(
    _ request: OpaquePointer?, _ intervalMilliseconds: Int64, _ progress: restway_progress_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let request = try Argument.handle(RequestHandle.self, request, "request")
        guard intervalMilliseconds >= 0 else {
            throw Failure(
                .invalidArgument, "interval_milliseconds is negative: \(intervalMilliseconds)",
                field: "interval_milliseconds")
        }
        let context = HostContext(context, destroy)
        var wanted: ProgressRequest?
        if intervalMilliseconds > 0 {
            // Even without a function, the context lives as long as the request for progress.
            let function: ProgressRequest.Function = { call, state in
                withExtendedLifetime((call, context)) {
                    var known = state.c
                    progress?(context.pointer, Handle.lend(call), &known)
                }
            }
            wanted = ProgressRequest(
                intervalMilliseconds: intervalMilliseconds, function: function)
        }
        // The previous function may end here, which may run a destroy function of the program.
        request.spec.withLock { swap(&$0.progress, &wanted) }
    }
}

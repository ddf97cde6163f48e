public import CRestway
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayThreads

// progress.h

@_cdecl("restway_progress_init") @implementation
public func restway_progress_init(
    _ progress: Out<restway_progress>?, _ size: Int, _ outError: OutHandle?
) -> restway_status {
    SizedStructs.progress.initialize(progress, size, outError)
}

@_cdecl("restway_call_progress") @implementation
public func restway_call_progress(
    _ call: OpaquePointer?, _ progress: Out<restway_progress>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let call = try Argument.handle(Call.self, call, "call")
        try SizedStructs.progress.write(call.progress.c, to: progress)
    }
}

@_cdecl("restway_request_set_progress") @implementation
public func restway_request_set_progress(
    _ request: OpaquePointer?, _ intervalMilliseconds: Int64, _ progress: restway_progress_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let request = try Argument.request(request)
        try Argument.notNegative(intervalMilliseconds, "interval_milliseconds")
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

/// Writes progress to a struct of the header.
extension CallProgress {
    var c: restway_progress {
        var known = restway_progress()
        known.struct_size = MemoryLayout<restway_progress>.size
        known.upload_done = upload.done
        known.upload_total = upload.total ?? -1
        known.download_done = download.done
        known.download_total = download.total ?? -1
        known.mapping_done = mapping.done
        known.mapping_total = mapping.total ?? -1
        known.fraction = fraction
        return known
    }
}

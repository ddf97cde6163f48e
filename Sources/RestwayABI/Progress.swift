public import CRestway
import RestwayCalls
import RestwayOutcome
import RestwayRequests
import RestwayThreads

// progress.h

@_cdecl("restway_call_progress") @implementation
public func restway_call_progress(
    _ call: InHandle, _ progress: Out<restway_progress>?, _ outError: OutHandle?
) -> restway_status {
    Call.using(call, outError) { call throws(Failure) in
        try SizedStructs.progress.write(call.progress.c, to: progress)
    }
}

@_cdecl("restway_request_set_progress") @implementation
public func restway_request_set_progress(
    _ request: InHandle, _ intervalMilliseconds: Int64, _ progress: restway_progress_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.using(request, outError) { request throws(Failure) in
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
            wanted = ProgressRequest(intervalMilliseconds: intervalMilliseconds, function: function)
        }
        // The previous function may end here, which may run a destroy function of the program.
        request.spec.withLock { swap(&$0.reception.progress, &wanted) }
    }
}

/// Writes progress to a struct of the header.
extension CallProgress {
    var c: restway_progress {
        restway_progress(
            struct_size: MemoryLayout<restway_progress>.size,
            upload_done: upload.done, upload_total: upload.total ?? -1,
            download_done: download.done, download_total: download.total ?? -1,
            mapping_done: mapping.done, mapping_total: mapping.total ?? -1, fraction: fraction)
    }
}

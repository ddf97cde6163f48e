public import CRestway
import RestwayBodies
import RestwayOutcome
import RestwayRequests

// download.h

@_cdecl("restway_request_save_to") @implementation
public func restway_request_save_to(
    _ request: InHandle, _ path: CString?, _ flags: UInt32, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.using(request, outError) { request throws(Failure) in
        try Argument.flags(flags, known: RESTWAY_SAVE_KEEP_PART | RESTWAY_SAVE_DIGEST)
        guard path != nil else { return request.set(BodyDestination.memory) }
        let plan = SavePlan(
            path: try Argument.nonEmptyString(path, "path"),
            keepsPart: flags & RESTWAY_SAVE_KEEP_PART != 0,
            computesDigest: flags & RESTWAY_SAVE_DIGEST != 0)
        request.set(BodyDestination.file(plan))
    }
}

@_cdecl("restway_request_save_to_descriptor") @implementation
public func restway_request_save_to_descriptor(
    _ request: InHandle, _ descriptor: Int32, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.using(request, outError) { request throws(Failure) in
        request.set(BodyDestination.descriptor(try SaveDescriptor(duplicating: descriptor)))
    }
}

@_cdecl("restway_request_set_save_bytes_max") @implementation
public func restway_request_set_save_bytes_max(
    _ request: InHandle, _ bytes: Int64, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        spec.reception.saveBytesMax = try Argument.limit(bytes, "bytes")
    }
}

@_cdecl("restway_response_saved_path") @implementation
public func restway_response_saved_path(_ response: InHandle) -> CString! {
    ResponseHandle.text(response, "saved path") { $0.response.saved?.path }
}

@_cdecl("restway_response_saved_length") @implementation
public func restway_response_saved_length(_ response: InHandle) -> Int64 {
    ResponseHandle.object(response)?.response.saved?.length ?? -1
}

@_cdecl("restway_response_saved_from") @implementation
public func restway_response_saved_from(_ response: InHandle) -> Int64 {
    ResponseHandle.object(response)?.response.saved?.resumedFrom ?? -1
}

@_cdecl("restway_response_saved_digest") @implementation
public func restway_response_saved_digest(_ response: InHandle) -> CString! {
    ResponseHandle.text(response, "saved digest") { $0.response.saved?.digest }
}

@_cdecl("restway_response_suggested_name") @implementation
public func restway_response_suggested_name(_ response: InHandle) -> CString! {
    ResponseHandle.text(response, "suggested name") { $0.response.suggestedName }
}

import RestwayCalls
import RestwayOutcome

public import CRestway

// call.h

@_cdecl("restway_call_retain") @implementation
public func restway_call_retain(_ call: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(Call.self, call)
}

@_cdecl("restway_call_release") @implementation
public func restway_call_release(_ call: OpaquePointer?) {
    Handle.release(Call.self, call)
}

@_cdecl("restway_call_cancel") @implementation
public func restway_call_cancel(_ call: OpaquePointer?) {
    Handle.object(Call.self, call)?.cancel()
}

@_cdecl("restway_call_is_complete") @implementation
public func restway_call_is_complete(_ call: OpaquePointer?) -> Int32 {
    Handle.object(Call.self, call)?.isComplete ?? true ? 1 : 0
}

@_cdecl("restway_call_id") @implementation
public func restway_call_id(_ call: OpaquePointer?) -> UInt64 {
    Handle.object(Call.self, call)?.id ?? 0
}

@_cdecl("restway_call_wait") @implementation
public func restway_call_wait(
    _ call: OpaquePointer?, _ milliseconds: Int64,
    _ outResponse: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outResponse?.pointee = nil
    return Boundary.run(outError) { () throws(Failure) in
        let call = try Argument.handle(Call.self, call, "call")
        try Argument.wait(milliseconds)
        let response = try call.wait(milliseconds: milliseconds)
        outResponse?.pointee = Handle.give(ResponseHandle(response))
    }
}

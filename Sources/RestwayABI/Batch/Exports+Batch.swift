import RestwayBatch
import RestwayClient
import RestwayOutcome

public import CRestway

// The sessions of batch.h

@_cdecl("restway_batch_create") @implementation
public func restway_batch_create(
    _ client: OpaquePointer?, _ outBatch: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outBatch, outError, named: "out_batch") { () throws(Failure) in
        let client = try Argument.handle(ClientHandle.self, client, "client").client
        return BatchHandle(try BatchSession(client.batches))
    }
}

@_cdecl("restway_batch_retain") @implementation
public func restway_batch_retain(_ batch: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(BatchHandle.self, batch)
}

@_cdecl("restway_batch_release") @implementation
public func restway_batch_release(_ batch: OpaquePointer?) {
    Handle.release(BatchHandle.self, batch)
}

@_cdecl("restway_batch_add") @implementation
public func restway_batch_add(
    _ batch: OpaquePointer?, _ request: OpaquePointer?, _ done: restway_done_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outCall: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outCall?.pointee = nil
    return Boundary.run(outError) { () throws(Failure) in
        let batch = try Argument.handle(BatchHandle.self, batch, "batch").batch
        let request = try Argument.handle(RequestHandle.self, request, "request")
        let call = try DoneNotice.adding(request.copy(), to: batch, done, context, destroy)
        outCall?.pointee = Handle.give(call)
    }
}

@_cdecl("restway_batch_count") @implementation
public func restway_batch_count(_ batch: OpaquePointer?) -> Int {
    Handle.object(BatchHandle.self, batch)?.batch.count ?? 0
}

@_cdecl("restway_batch_send") @implementation
public func restway_batch_send(
    _ batch: OpaquePointer?, _ done: restway_batch_done_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let batch = try Argument.handle(BatchHandle.self, batch, "batch").batch
        try DoneNotice.sending(batch, done, context, destroy)
    }
}

@_cdecl("restway_batch_wait") @implementation
public func restway_batch_wait(
    _ batch: OpaquePointer?, _ milliseconds: Int64,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let batch = try Argument.handle(BatchHandle.self, batch, "batch").batch
        try Argument.wait(milliseconds)
        try batch.wait(milliseconds: milliseconds)
    }
}

@_cdecl("restway_batch_is_complete") @implementation
public func restway_batch_is_complete(_ batch: OpaquePointer?) -> Int32 {
    Handle.object(BatchHandle.self, batch)?.batch.isComplete ?? true ? 1 : 0
}

@_cdecl("restway_batch_response") @implementation
public func restway_batch_response(
    _ batch: OpaquePointer?, _ index: Int, _ outResponse: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outResponse?.pointee = nil
    return Boundary.run(outError) { () throws(Failure) in
        let batch = try Argument.handle(BatchHandle.self, batch, "batch").batch
        let response = try batch.response(at: index)
        outResponse?.pointee = Handle.give(ResponseHandle(response))
    }
}

@_cdecl("restway_batch_cancel") @implementation
public func restway_batch_cancel(_ batch: OpaquePointer?) {
    Handle.object(BatchHandle.self, batch)?.batch.cancel()
}

public import CRestway
import RestwayBatch
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayThreads

/// The program's reference to a batch session. When the last one is released, a session that was
/// not sent is cancelled.
///
/// The session of a handle that the library lends was sent before, so nothing happens at its end.
final class BatchHandle: HandleObject, Sendable {
    let batch: BatchSession
    let generation = ProcessGeneration.current

    init(_ batch: BatchSession) {
        self.batch = batch
    }

    deinit {
        batch.abandon()
    }
}

// The sessions of batch.h

@_cdecl("restway_batch_create") @implementation
public func restway_batch_create(
    _ client: OpaquePointer?, _ outBatch: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outBatch, outError, named: "out_batch") { () throws(Failure) in
        BatchHandle(try BatchSession(try Argument.client(client).batches))
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
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outCall: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outCall, outError) { () throws(Failure) in
        let batch = try Argument.batch(batch)
        let spec = try Argument.request(request).copy()
        return try DoneNotice.telling(done, context, destroy, batch.delivery) {
            token, completion, end throws(Failure) in
            try batch.add(spec, token: token, completion: completion, end: end)
        }
    }
}

@_cdecl("restway_batch_count") @implementation
public func restway_batch_count(_ batch: OpaquePointer?) -> Int {
    Handle.object(BatchHandle.self, batch)?.batch.count ?? 0
}

@_cdecl("restway_batch_send") @implementation
public func restway_batch_send(
    _ batch: OpaquePointer?, _ done: restway_batch_done_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let batch = try Argument.batch(batch)
        let isTold = try DoneNotice.isExpected(done != nil, destroy, batch.delivery)
        try HostContext.lending(context, destroy) { context throws(Failure) in
            guard isTold else { return try batch.send() }
            try batch.send(
                token: context.token,
                completion: { batch, failure in
                    if let done { DoneNotice.run(done, context, batch, failure) }
                }, end: context.end)
        }
    }
}

@_cdecl("restway_batch_wait") @implementation
public func restway_batch_wait(
    _ batch: OpaquePointer?, _ milliseconds: Int64, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let batch = try Argument.batch(batch)
        try Argument.notNegative(milliseconds, "milliseconds")
        try batch.wait(milliseconds: milliseconds)
    }
}

@_cdecl("restway_batch_is_complete") @implementation
public func restway_batch_is_complete(_ batch: OpaquePointer?) -> Int32 {
    Handle.object(BatchHandle.self, batch)?.batch.isComplete ?? true ? 1 : 0
}

@_cdecl("restway_batch_response") @implementation
public func restway_batch_response(
    _ batch: OpaquePointer?, _ index: Int, _ outResponse: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outResponse, outError) { () throws(Failure) in
        ResponseHandle(try Argument.batch(batch).response(at: index))
    }
}

@_cdecl("restway_batch_cancel") @implementation
public func restway_batch_cancel(_ batch: OpaquePointer?) {
    Handle.object(BatchHandle.self, batch)?.batch.cancel()
}

extension Argument {
    fileprivate static func batch(_ batch: OpaquePointer?) throws(Failure) -> BatchSession {
        try handle(BatchHandle.self, batch, "batch").batch
    }
}

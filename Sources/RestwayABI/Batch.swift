public import CRestway
import RestwayBatch
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayThreads

/// The program's reference to a batch session. The last release of the handle cancels a session
/// that was not sent.
///
/// The session of a handle that the library lends was sent before, so nothing happens at its end.
final class BatchHandle: ArgumentObject {
    static let parameter = "batch"
    let batch: BatchSession
    let generation = ProcessGeneration.current

    init(_ batch: BatchSession) {
        self.batch = batch
    }

    var content: BatchSession { batch }

    deinit {
        batch.abandon()
    }
}

// The sessions of batch.h

@_cdecl("restway_batch_create") @implementation
public func restway_batch_create(
    _ client: InHandle, _ outBatch: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outBatch, outError, "out_batch") { () throws(Failure) in
        BatchHandle(try BatchSession(try ClientHandle.argument(client).batches))
    }
}

@_cdecl("restway_batch_add") @implementation
public func restway_batch_add(
    _ batch: InHandle, _ request: InHandle, _ done: restway_done_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outCall: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    BatchHandle.creating(batch, outCall, outError) { batch throws(Failure) in
        let spec = try RequestHandle.argument(request).copy()
        return try DoneNotice.telling(done, context, destroy, batch.delivery) {
            token, completion, end throws(Failure) in
            try batch.add(spec, token: token, completion: completion, end: end)
        }
    }
}

@_cdecl("restway_batch_count") @implementation
public func restway_batch_count(_ batch: InHandle) -> Int {
    BatchHandle.object(batch)?.batch.count ?? 0
}

@_cdecl("restway_batch_send") @implementation
public func restway_batch_send(
    _ batch: InHandle, _ done: restway_batch_done_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    BatchHandle.using(batch, outError) { batch throws(Failure) in
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
    _ batch: InHandle, _ milliseconds: Int64, _ outError: OutHandle?
) -> restway_status {
    BatchHandle.using(batch, outError) { batch throws(Failure) in
        try Argument.notNegative(milliseconds, "milliseconds")
        try batch.wait(milliseconds: milliseconds)
    }
}

@_cdecl("restway_batch_is_complete") @implementation
public func restway_batch_is_complete(_ batch: InHandle) -> Int32 {
    BatchHandle.object(batch)?.batch.isComplete ?? true ? 1 : 0
}

@_cdecl("restway_batch_response") @implementation
public func restway_batch_response(
    _ batch: InHandle, _ index: Int, _ outResponse: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outResponse, outError) { () throws(Failure) in
        ResponseHandle(try BatchHandle.argument(batch).response(at: index))
    }
}

@_cdecl("restway_batch_cancel") @implementation
public func restway_batch_cancel(_ batch: InHandle) { BatchHandle.object(batch)?.batch.cancel() }

public import CRestway
import RestwayBatch
import RestwayCalls
import RestwayOutcome

// call.h

@_cdecl("restway_call_cancel") @implementation
public func restway_call_cancel(_ call: InHandle) { Call.object(call)?.cancel() }

@_cdecl("restway_call_is_complete") @implementation
public func restway_call_is_complete(_ call: InHandle) -> Int32 {
    Call.object(call)?.isComplete ?? true ? 1 : 0
}

@_cdecl("restway_call_id") @implementation
public func restway_call_id(_ call: InHandle) -> UInt64 { Call.object(call)?.id ?? 0 }

@_cdecl("restway_call_wait") @implementation
public func restway_call_wait(
    _ call: InHandle, _ milliseconds: Int64, _ outResponse: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Call.creating(call, outResponse, outError) { call throws(Failure) in
        try Argument.notNegative(milliseconds, "milliseconds")
        return ResponseHandle(try call.wait(milliseconds: milliseconds))
    }
}

/// Makes the completion notice of a call, or of a batch, call a C function.
enum DoneNotice {
    /// Whether there will be a notice of a call, a batch or a flush. Even without a function there
    /// may be an event, and a context that ends with it.
    static func isExpected(
        _ isGiven: Bool, _ destroy: restway_destroy_fn?, _ delivery: Delivery,
        as mode: Delivery.Mode? = nil
    ) throws(Failure) -> Bool {
        guard !isGiven || !delivery.isDrained(mode) else {
            throw Argument.wrong(
                "done",
                "done is given, but with RESTWAY_DELIVERY_DRAIN an event comes in its place")
        }
        return isGiven || destroy != nil || mode != nil || delivery.isDrained()
    }

    /// Runs `start`, which makes a call, with the token, the completion function, and the function
    /// that ends the context. The program's context lives until `done` has returned. If this
    /// throws, the context still belongs to the program.
    static func telling(
        _ done: restway_done_fn?, _ pointer: UnsafeMutableRawPointer?,
        _ destroy: restway_destroy_fn?, _ delivery: Delivery, as mode: Delivery.Mode? = nil,
        _ start: (UInt64, Call.Completion?, @escaping @Sendable () -> Void) throws(Failure) -> Call
    ) throws(Failure) -> Call {
        try HostContext.lending(pointer, destroy) { context throws(Failure) in
            guard try isExpected(done != nil, destroy, delivery, as: mode) else {
                return try start(0, nil, {})
            }
            let completion: Call.Completion = { call, outcome in
                if let done { run(done, context, call, outcome) }
            }
            return try start(context.token, completion, context.end)
        }
    }

    /// Sends a request as `telling` does. `send` gets the receiver of the call, because the call
    /// may have been sent before.
    static func receiving(
        _ done: restway_done_fn?, _ pointer: UnsafeMutableRawPointer?,
        _ destroy: restway_destroy_fn?, _ delivery: Delivery,
        _ send: (Call.Receiver) throws(Failure) -> Call
    ) throws(Failure) -> Call {
        try telling(done, pointer, destroy, delivery) { token, completion, end throws(Failure) in
            try send(Call.Receiver(token: token, completion: completion ?? { _, _ in }, end: end))
        }
    }

    static func run(
        _ done: restway_batch_done_fn, _ context: HostContext, _ batch: BatchSession,
        _ failure: Failure?
    ) {
        let error = failure.map(ErrorHandle.init)
        withExtendedLifetime(error) {
            Handle.lending(BatchHandle(batch)) {
                done(context.pointer, $0, restway_status(failure), error.map(Handle.lend))
            }
        }
    }

    private static func run(
        _ done: restway_done_fn, _ context: HostContext, _ call: Call, _ outcome: Call.Outcome
    ) {
        withExtendedLifetime(call) {
            switch outcome {
            case .success(let response):
                Handle.lending(ResponseHandle(response)) {
                    done(context.pointer, Handle.lend(call), .RESTWAY_OK, $0, nil)
                }
            case .failure(let failure):
                Handle.lending(ErrorHandle(failure)) {
                    done(context.pointer, Handle.lend(call), restway_status(failure), nil, $0)
                }
            }
        }
    }
}

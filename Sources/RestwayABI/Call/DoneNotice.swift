import CRestway
import RestwayBatch
import RestwayCalls
import RestwayClient
import RestwayOutcome

/// Makes the completion notice of a call, or of a batch, call a C function.
enum DoneNotice {
    /// Sends `spec`. The program's context lives until `done` has returned. If this throws, the
    /// context still belongs to the program.
    static func sending(
        _ spec: RequestSpec, through client: Client, _ done: restway_done_fn?,
        _ pointer: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?
    ) throws(Failure) -> Call {
        try telling(done, pointer, destroy, client.delivery) {
            token, completion, end throws(Failure) in
            try client.send(spec, token: token, completion: completion, end: end)
        }
    }

    /// Adds `spec` to a batch. The context follows the same rule.
    static func adding(
        _ spec: RequestSpec, to batch: BatchSession, _ done: restway_done_fn?,
        _ pointer: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?
    ) throws(Failure) -> Call {
        try telling(done, pointer, destroy, batch.delivery) {
            token, completion, end throws(Failure) in
            try batch.add(spec, token: token, completion: completion, end: end)
        }
    }

    /// Sends a batch.
    static func sending(
        _ batch: BatchSession, _ done: restway_batch_done_fn?, _ pointer: UnsafeMutableRawPointer?,
        _ destroy: restway_destroy_fn?
    ) throws(Failure) {
        try HostContext.lending(pointer, destroy) { context throws(Failure) in
            let isTold = try expectsNotice(done != nil, destroy, batch.delivery)
            let token = UInt64(UInt(bitPattern: pointer))
            guard isTold else { return try batch.send() }
            try batch.send(
                token: token,
                completion: { batch, failure in
                    if let done { run(done, context, batch, failure) }
                }, end: context.end)
        }
    }

    /// Whether there will be a notice. Even without a function there may be an event, and a context
    /// that ends with it.
    private static func expectsNotice(
        _ isGiven: Bool, _ destroy: restway_destroy_fn?, _ delivery: Delivery
    ) throws(Failure) -> Bool {
        guard !isGiven || !delivery.isDrained else {
            throw Failure(
                .invalidArgument,
                "done is given, but with RESTWAY_DELIVERY_DRAIN an event comes in its place",
                field: "done")
        }
        return isGiven || destroy != nil || delivery.isDrained
    }

    private static func telling(
        _ done: restway_done_fn?, _ pointer: UnsafeMutableRawPointer?,
        _ destroy: restway_destroy_fn?, _ delivery: Delivery,
        _ start: (UInt64, Call.Completion?, @escaping @Sendable () -> Void) throws(Failure) -> Call
    ) throws(Failure) -> Call {
        let context = HostContext(pointer, destroy)
        let token = UInt64(UInt(bitPattern: pointer))
        do throws(Failure) {
            guard try expectsNotice(done != nil, destroy, delivery) else {
                return try start(0, nil, {})
            }
            let completion: Call.Completion = { call, outcome in
                if let done { run(done, context, call, outcome) }
            }
            return try start(token, completion, context.end)
        } catch {
            context.giveBack()
            throw error
        }
    }

    private static func run(
        _ done: restway_batch_done_fn, _ context: HostContext, _ batch: BatchSession,
        _ failure: Failure?
    ) {
        let handle = BatchHandle(batch)
        let error = failure.map(ErrorHandle.init)
        withExtendedLifetime((handle, error)) {
            let status = failure.map { restway_status($0.reason) } ?? .RESTWAY_OK
            done(context.pointer, Handle.lend(handle), status, error.map { Handle.lend($0) })
        }
    }

    private static func run(
        _ done: restway_done_fn, _ context: HostContext, _ call: Call, _ outcome: Call.Outcome
    ) {
        withExtendedLifetime(call) {
            switch outcome {
            case .success(let response):
                let handle = ResponseHandle(response)
                withExtendedLifetime(handle) {
                    done(context.pointer, Handle.lend(call), .RESTWAY_OK, Handle.lend(handle), nil)
                }
            case .failure(let failure):
                let handle = ErrorHandle(failure)
                withExtendedLifetime(handle) {
                    let status = restway_status(failure.reason)
                    done(context.pointer, Handle.lend(call), status, nil, Handle.lend(handle))
                }
            }
        }
    }
}

import CRestway
import RestwayClient

/// The completion notice of a call, as the host's function.
enum DoneNotice {
    /// Sends `spec`; the host's context lives until `done` has returned, or is the host's again
    /// when this throws.
    static func sending(
        _ spec: RequestSpec, through client: Client, _ done: restway_done_fn?,
        _ pointer: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?
    ) throws(Failure) -> Call {
        let context = HostContext(pointer, destroy)
        let token = UInt64(UInt(bitPattern: pointer))
        do throws(Failure) {
            guard let done else {
                // Nobody is called, but there may be an event, and the context ends with it.
                guard destroy != nil || client.delivery.isDrained else {
                    return try client.send(spec)
                }
                return try client.send(
                    spec, token: token, completion: { _, _ in }, end: context.end)
            }
            guard !client.delivery.isDrained else {
                throw Failure(
                    .invalidArgument,
                    "done is given, but with RESTWAY_DELIVERY_DRAIN an event comes in its place",
                    field: "done")
            }
            return try client.send(
                spec, token: token,
                completion: { call, outcome in run(done, context, call, outcome) },
                end: context.end)
        } catch {
            context.giveBack()
            throw error
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

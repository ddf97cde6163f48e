import CRestway
import RestwayCalls
import RestwayClient
import RestwayOutcome

/// Makes the notices of the outbox call C functions.
enum OutboxTelling {
    static func item(
        _ function: @escaping restway_outbox_item_fn, _ context: HostContext
    ) -> OutboxObserver.Told {
        told { handle in
            withExtendedLifetime(handle) {
                guard let item = handle.item(0) else { return }
                function(
                    context.pointer, Handle.lend(item), status(handle),
                    handle.error.map { Handle.lend($0) })
            }
        }
    }

    static func flushed(
        _ function: @escaping restway_outbox_flushed_fn, _ context: HostContext
    ) -> OutboxObserver.Told {
        told { handle in
            withExtendedLifetime(handle) {
                function(
                    context.pointer, Handle.lend(handle), status(handle),
                    handle.error.map { Handle.lend($0) })
            }
        }
    }

    /// An event has the same handle as its payload.
    private static func told(
        _ run: @escaping @Sendable (StoredRequestsHandle) -> Void
    ) -> OutboxObserver.Told {
        OutboxObserver.Told(payload: StoredRequestsHandle.init) { run(StoredRequestsHandle($0)) }
    }

    private static func status(_ handle: StoredRequestsHandle) -> restway_status {
        handle.error.map { restway_status($0.failure.reason) } ?? .RESTWAY_OK
    }

    /// Returns the function to call after a flush that the program asked for; `nil` if there will
    /// be no notice.
    static func expected(
        _ done: restway_outbox_flushed_fn?, _ destroy: restway_destroy_fn?,
        _ context: HostContext, _ delivery: Delivery
    ) throws(Failure) -> OutboxObserver.Told? {
        guard done == nil || !delivery.isDrained else {
            throw Failure(
                .invalidArgument,
                "done is given, but with RESTWAY_DELIVERY_DRAIN an event comes in its place",
                field: "done")
        }
        if let done { return flushed(done, context) }
        guard destroy != nil || delivery.isDrained else { return nil }
        return told { _ in }
    }
}

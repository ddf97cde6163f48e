import CRestway
import RestwayCalls
import RestwayClient
import RestwayOutcome

/// Makes notices of changes call a C function.
enum ChangedNotice {
    /// Observes `scope`. The program's context lives until the last notice. If this throws, the
    /// context still belongs to the program.
    static func observing(
        _ scope: Observer.Scope, of client: Client, _ changed: restway_changed_fn?,
        _ pointer: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?
    ) throws(Failure) -> ObserverHandle {
        guard (changed == nil) == client.delivery.isDrained else {
            let reason =
                changed == nil
                ? "is NULL: nobody would be told"
                : "is given, but with RESTWAY_DELIVERY_DRAIN an event comes in its place"
            throw Failure(.invalidArgument, "changed \(reason)", field: "changed")
        }
        let context = HostContext(pointer, destroy)
        do throws(Failure) {
            let observer = try client.observe(
                scope, token: UInt64(UInt(bitPattern: pointer)),
                changed: { changes in
                    withExtendedLifetime(changes) {
                        changed?(context.pointer, Handle.lend(changes))
                    }
                }, end: context.end)
            return ObserverHandle(observer, client.store)
        } catch {
            context.giveBack()
            throw error
        }
    }
}

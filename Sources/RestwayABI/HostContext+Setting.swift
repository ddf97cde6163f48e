import CRestway
import RestwayClient

extension HostContext {
    /// What every function has in common that sets a callback of a client: the context is the
    /// host's again when it fails.
    static func setting(
        _ client: OpaquePointer?, _ pointer: UnsafeMutableRawPointer?,
        _ destroy: restway_destroy_fn?, _ outError: Boundary.OutHandle?,
        _ body: (Client, HostContext) throws(Failure) -> Void
    ) -> restway_status {
        Boundary.run(outError) { () throws(Failure) in
            let client = try Argument.handle(ClientHandle.self, client, "client").client
            let context = HostContext(pointer, destroy)
            do throws(Failure) {
                try body(client, context)
            } catch {
                context.giveBack()
                throw error
            }
        }
    }
}

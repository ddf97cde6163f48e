import CRestway
import RestwayClient
import RestwayOutcome

extension HostContext {
    /// The code that all functions share that set a callback of a client. If it fails, the context
    /// still belongs to the program.
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

import CRestway
import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayOutcome
import RestwayThreads
import Synchronization

/// The context pointer of a callback, and the destroy function that ends it.
///
/// `@unchecked Sendable`: the library never reads the memory behind the pointer. The program
/// promises that its callbacks may use it from any thread.
final class HostContext: HostCause, @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer?
    private let destroy: restway_destroy_fn?
    private let isOver = Atomic<Bool>(false)

    init(_ pointer: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?) {
        self.pointer = pointer
        self.destroy = destroy
    }

    /// The context of a callback that never ran ends here.
    deinit {
        end()
    }

    /// The number that an event of a drained client carries in place of the context.
    var token: UInt64 { UInt64(UInt(bitPattern: pointer)) }

    /// Whether the context asks for events without a function: it is a token, and the client is
    /// drained.
    func isToken(of delivery: Delivery) -> Bool { pointer != nil && delivery.isDrained() }

    /// Calls the program's destroy function, but only once.
    func end() {
        if !isOver.exchange(true, ordering: .relaxed) { destroy?(pointer) }
    }

    /// Leaves the context to the program, because the callback that it was meant for was refused.
    func giveBack() {
        isOver.store(true, ordering: .relaxed)
    }

    /// Runs `register` with a context of the program. If this fails, the context still belongs to
    /// the program.
    static func lending<Result>(
        _ pointer: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
        _ register: (HostContext) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let context = HostContext(pointer, destroy)
        do throws(Failure) {
            return try register(context)
        } catch {
            context.giveBack()
            throw error
        }
    }

    /// The code shared by all functions that set a callback of a client. If it fails, the context
    /// still belongs to the program.
    static func setting(
        _ client: InHandle, _ pointer: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
        _ outError: OutHandle?, _ set: (Client, HostContext) throws(Failure) -> Void
    ) -> restway_status {
        Boundary.run(outError) { () throws(Failure) in
            let client = try ClientHandle.argument(client)
            try lending(pointer, destroy) { context throws(Failure) in try set(client, context) }
        }
    }

    /// Registers a function of the program under a name of an api, with its context.
    ///
    /// - Parameter parameter: The name of the parameter `function`, which must not be NULL.
    static func registering<Function>(
        _ api: InHandle, _ name: CString?, _ function: Function?, _ parameter: String,
        _ pointer: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
        _ outError: OutHandle?,
        _ register: (API, String, Function, HostContext) throws(Failure) -> Void
    ) -> restway_status {
        APIHandle.using(api, outError) { handle throws(Failure) in
            let name = try Argument.nonEmptyString(name, "name")
            guard let function else { throw Argument.null(parameter) }
            try lending(pointer, destroy) { context throws(Failure) in
                try register(handle.api, name, function, context)
            }
        }
    }
}

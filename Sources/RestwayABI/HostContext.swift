import CRestway
import RestwayClient
import Synchronization

/// The context pointer of a host's callback, and the end of its life.
///
/// `@unchecked Sendable`: the library never looks behind the pointer; the host promised that its
/// callbacks may use it from any thread.
final class HostContext: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer?
    private let destroy: restway_destroy_fn?
    private let isOver = Atomic<Bool>(false)

    init(_ pointer: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?) {
        self.pointer = pointer
        self.destroy = destroy
    }

    /// A callback that never ran ends here.
    deinit {
        end()
    }

    /// Calls the host's destroy function, the first time only.
    func end() {
        if !isOver.exchange(true, ordering: .relaxed) { destroy?(pointer) }
    }

    /// The context stays the host's: what it was meant for has been refused.
    func giveBack() {
        isOver.store(true, ordering: .relaxed)
    }

    /// Runs `register` with a context of the host's, which stays the host's when that fails.
    static func lending(
        _ pointer: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
        _ register: (HostContext) throws(Failure) -> Void
    ) throws(Failure) {
        let context = HostContext(pointer, destroy)
        do {
            try register(context)
        } catch {
            context.giveBack()
            throw error
        }
    }
}

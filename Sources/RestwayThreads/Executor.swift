/// The thread that performs an action. Functions that act on this thread or hand the action to a
/// worker take it as an argument.
package enum Executor: Sendable {
    /// A thread of the program, or another thread that must not be held up either.
    case caller
    /// The thread of a transport, which only moves bytes.
    case transport
    /// A worker of the pool that has no other job. The program may be asked here.
    case worker
    /// A thread that waits for the call that the action belongs to.
    case waiter

    /// The same thread, for actions that may belong to any call.
    package var forAnyCall: Executor { self == .worker ? .worker : .caller }
}

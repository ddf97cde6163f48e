package import RestwayCalls
package import RestwayOutcome

/// Observers of calls.
extension Client {
    /// Calls `told`, as a notice, for every wanted event of a call that begins from now on. When
    /// the observer is removed or the client has ended, `end` runs once.
    package func observeCalls(
        _ wishes: LifecycleWishes, token: UInt64 = 0,
        told: @escaping @Sendable (LifecycleEvent) -> Void,
        end: @escaping @Sendable () -> Void = {}
    ) throws(Failure) -> Observer {
        try calls.refuseAfterFork()
        let observer = Observer(
            delivery, token: token,
            told: { if case .lifecycle(let event) = $0 { told(event) } }, end: end)
        try calls.observe(observer, wishes)
        return observer
    }
}

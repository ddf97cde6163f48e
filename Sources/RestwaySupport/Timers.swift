/// The seam of waiting: runs jobs when their time has come.
///
/// Any function may be called from any thread and never blocks.
package protocol Timers: Sendable {
    /// Runs `job` on a worker when `deadline` has passed, at most once. Jobs start in the order of
    /// their deadlines, those with the same one in the order of this call. `never` runs nothing.
    func schedule(at deadline: Deadline, _ job: @escaping @Sendable () -> Void) -> TimerTicket
}

/// The interface for waiting: runs jobs when their time has come.
///
/// Any function may be called from any thread and never blocks.
package protocol Timers: Sendable {
    /// Runs `job` on a worker when `deadline` has passed, at most once. Jobs start in the order of
    /// their deadlines; jobs with equal deadlines start in the order of the calls. A job at `never`
    /// does not run.
    func schedule(at deadline: Deadline, _ job: @escaping @Sendable () -> Void) -> TimerTicket
}

/// The notice that a call has made progress. It looks the progress up when the program is told.
package struct ProgressNotice: Sendable {
    package let call: Call
    /// The number by which the program recognises the call; it gave the number when it sent the
    /// request.
    package let token: UInt64
    let function: ProgressRequest.Function?
    /// Returns the progress of the call, and allows the next notice.
    package let take: @Sendable () -> CallProgress

    /// Calls the function of the program. Returns false if the call has failed meanwhile, so that a
    /// program that cancels the call in that function gets no more progress.
    func run() -> Bool {
        let progress = take()
        guard !call.hasFailed else { return false }
        function?(call, progress)
        return true
    }
}

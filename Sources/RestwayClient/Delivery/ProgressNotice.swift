/// A call has come further: how far is looked up when the host is told.
package struct ProgressNotice: Sendable {
    package let call: Call
    /// What the host gave when it sent the request, to know the call again.
    package let token: UInt64
    let function: ProgressRequest.Function?
    /// Answers how far the call has come, and lets the next notice come.
    package let take: @Sendable () -> CallProgress

    /// Tells the host through its function; false when the call has failed meanwhile: who cancels
    /// it in that function is not told once more.
    func run() -> Bool {
        let progress = take()
        guard !call.hasFailed else { return false }
        function?(call, progress)
        return true
    }
}

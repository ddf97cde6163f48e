import RestwayHTTP
import RestwaySupport

/// How far a call has come, and what its host knows of that.
struct ProgressState: Sendable {
    var progress: CallProgress
    /// A notice is on the way: it will tell what stands then.
    var isNoticeDue = false
    /// When the next one may go out.
    var nextNotice = Deadline.past

    init(_ request: PreparedRequest) {
        progress = CallProgress(uploadTotal: request.bodyCount)
    }
}

import RestwayHTTP
import RestwayThreads

/// The progress of a call and what the program knows of it.
struct ProgressState: Sendable {
    var progress: CallProgress
    /// Whether a notice is on its way. It will report the progress at the time when it runs.
    var isNoticeDue = false
    /// When the next notice may go out.
    var nextNotice = Deadline.past

    init(_ request: PreparedRequest) {
        progress = CallProgress(uploadTotal: request.bodyCount)
    }
}

package import RestwayRequests
import RestwayThreads

/// The progress of a call, and the state of its notices.
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

/// The progress of a call.
extension Call {
    package var progress: CallProgress {
        state.withLock { $0.progress.progress }
    }

    /// Returns the function to which a transport reports moved bytes; `nil` if no one asks for
    /// progress.
    func progressFunction(for request: PreparedRequest) -> ExchangeRecorder.Progressed? {
        guard context.lifecycle.wantProgress(of: self, request) else { return nil }
        return { uploaded, downloaded, downloadTotal in
            self.progressed(request) { progress in
                progress.upload.done = request.sending.uploadedBefore + uploaded
                progress.download.done = downloaded
                progress.download.total = downloadTotal > 0 ? downloadTotal : nil
            }
        }
    }

    /// Records that the cache has the answer. The end of the call is the only notice.
    func noteCachedAnswer(_ request: PreparedRequest, bytes: Int64) {
        guard request.sending.progress != nil else { return }
        state.withLock { state in
            state.progress.progress.update { progress in
                progress.upload.done = progress.upload.total ?? 0
                progress.upload.total = progress.upload.done
                progress.download.done = bytes
                progress.download.total = bytes
            }
            state.progress.nextNotice = .never
        }
    }

    /// Records the number of mapped objects and their total, if it is known.
    func mapped(_ request: PreparedRequest, _ done: Int, of total: Int?) {
        progressed(request) { progress in
            progress.mapping.done = Int64(done)
            progress.mapping.total = total.map(Int64.init)
        }
    }

    /// Records that all bytes have moved.
    func transferred(_ request: PreparedRequest) {
        progressed(request, isLast: true) { progress in
            if let total = progress.upload.total {
                progress.upload.done = total
            } else {
                progress.upload.total = progress.upload.done
            }
            progress.download.total = progress.download.done
        }
    }

    /// - Parameter isLast: Whether all bytes of the exchange have moved.
    private func progressed(
        _ request: PreparedRequest, isLast: Bool = false,
        _ change: (inout CallProgress) -> Void
    ) {
        guard context.lifecycle.wantProgress(of: self, request) else { return }
        let now = context.clock.now()
        let owesStart = state.withLock { state in
            guard !state.journey.isComplete else { return false }
            let before = state.progress.progress
            state.progress.progress.update(change)
            let isOwed = state.tellProgress(since: before, of: self, at: now, isLast: isLast)
            guard let wanted = request.sending.progress, !state.progress.isNoticeDue,
                state.progress.nextNotice <= now
            else { return isOwed }
            state.progress.isNoticeDue = true
            state.progress.nextNotice = now.advanced(
                milliseconds: wanted.intervalMilliseconds)
            let isDue = context.delivery.append(
                .progress(self, wanted.function), as: state.delivery)
            return isDue || isOwed
        }
        if owesStart { context.delivery.start(on: .caller) }
    }

    /// Returns the progress for a notice that runs now, and allows the next notice.
    package func takeProgress() -> CallProgress {
        state.withLock { state in
            state.progress.isNoticeDue = false
            return state.progress.progress
        }
    }
}

extension Call.State {
    /// Reports the end of all work, right before the completion. Returns true if the caller must
    /// start the delivery.
    ///
    /// - Parameter request: The last request of the call.
    mutating func tellLastProgress(
        _ outcome: Call.Outcome, of call: Call, _ request: PreparedRequest
    ) -> Bool {
        guard case .success = outcome else { return false }
        progress.progress.finish()
        guard let wanted = request.sending.progress, !progress.isNoticeDue else { return false }
        progress.isNoticeDue = true
        return call.context.delivery.append(.progress(call, wanted.function), as: delivery)
    }
}

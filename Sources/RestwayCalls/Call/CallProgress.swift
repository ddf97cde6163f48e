import RestwayHTTP
import RestwayThreads

/// The progress of a call. A total of `nil` is not known.
package struct CallProgress: Sendable, Equatable {
    package struct Part: Sendable, Equatable {
        package var done: Int64 = 0
        package var total: Int64?

        /// The finished part, between 0 and 1. A part whose total is not known counts as not done.
        package var fraction: Double {
            guard let total else { return 0 }
            return total > 0 ? min(1, max(0, Double(done) / Double(total))) : 1
        }
    }

    package var upload = Part()
    package var download = Part()
    package var mapping = Part()
    /// The finished part of the whole call; it never goes back.
    package private(set) var fraction = 0.0

    private static let uploadWeight = 0.4
    private static let mappingWeight = 0.2

    /// - Parameter uploadTotal: 0 without a body; `nil` if its length is not known.
    package init(uploadTotal: Int64?) {
        upload.total = uploadTotal
    }

    /// Takes new numbers. The fraction grows or stays the same.
    package mutating func update(_ change: (inout CallProgress) -> Void) {
        change(&self)
        let uploadWeight = upload.total == 0 ? 0 : Self.uploadWeight
        let downloadWeight = 1 - uploadWeight - Self.mappingWeight
        let sum =
            uploadWeight * upload.fraction + downloadWeight * download.fraction
            + Self.mappingWeight * mapping.fraction
        // Only the end of the call makes the fraction 1.
        fraction = max(fraction, min(sum, 0.999))
    }

    /// Completes the progress of a call that has succeeded.
    package mutating func finish() {
        fraction = 1
    }
}

/// A request for the progress of a call.
package struct ProgressRequest: Sendable {
    package typealias Function = @Sendable (Call, CallProgress) -> Void

    /// The shortest time between two notices.
    package var intervalMilliseconds: Int64
    /// The function to call; `nil` if the program reads events or asks for the progress itself.
    package var function: Function?

    package init(intervalMilliseconds: Int64, function: Function?) {
        self.intervalMilliseconds = intervalMilliseconds
        self.function = function
    }
}

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

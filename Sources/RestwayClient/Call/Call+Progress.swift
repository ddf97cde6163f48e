import RestwayHTTP
import RestwayThreads

/// The progress of a call.
extension Call {
    package var progress: CallProgress {
        state.withLock { $0.progress.progress }
    }

    /// Returns the function to which a transport reports moved bytes; `nil` if no one asks for
    /// progress.
    func progressFunction(for request: PreparedRequest) -> ExchangeRecorder.Progressed? {
        guard request.sending.progress != nil else { return nil }
        return { uploaded, downloaded, downloadTotal in
            self.progressed(request) { progress in
                progress.upload.done = uploaded
                progress.download.done = downloaded
                progress.download.total = downloadTotal > 0 ? downloadTotal : nil
            }
        }
    }

    /// Returns the function to which the mapping reports the number of mapped objects and their
    /// total, if it is known.
    func mappingProgressFunction(
        for request: PreparedRequest
    ) -> (@Sendable (_ done: Int, _ total: Int?) -> Void)? {
        guard request.sending.progress != nil else { return nil }
        return { done, total in
            self.progressed(request) { progress in
                progress.mapping.done = Int64(done)
                progress.mapping.total = total.map(Int64.init)
            }
        }
    }

    /// Records that all bytes have moved.
    func transferred(_ request: PreparedRequest) {
        guard request.sending.progress != nil else { return }
        progressed(request) { progress in
            if let total = progress.upload.total {
                progress.upload.done = total
            } else {
                progress.upload.total = progress.upload.done
            }
            progress.download.total = progress.download.done
        }
    }

    private func progressed(
        _ request: PreparedRequest, _ change: (inout CallProgress) -> Void
    ) {
        guard let wanted = request.sending.progress else { return }
        let now = client.clock.now()
        let owesStart = state.withLock { state in
            guard !state.machine.isComplete else { return false }
            state.progress.progress.update(change)
            guard !state.progress.isNoticeDue, state.progress.nextNotice <= now else {
                return false
            }
            state.progress.isNoticeDue = true
            state.progress.nextNotice = now.advanced(
                milliseconds: wanted.intervalMilliseconds)
            return client.delivery.append(notice(wanted))
        }
        if owesStart { client.delivery.start(isOnWorker: false) }
    }

    /// Reports the end of all work, right before the completion. Returns true if the caller must
    /// start the delivery.
    func lastProgress(_ state: inout State, _ outcome: Outcome) -> Bool {
        guard case .success = outcome else { return false }
        state.progress.progress.finish()
        guard let wanted = state.request?.sending.progress, !state.progress.isNoticeDue else {
            return false
        }
        state.progress.isNoticeDue = true
        return client.delivery.append(notice(wanted))
    }

    private func notice(_ wanted: ProgressRequest) -> Notice {
        .progress(
            ProgressNotice(call: self, token: token, function: wanted.function) {
                self.state.withLock { state in
                    state.progress.isNoticeDue = false
                    return state.progress.progress
                }
            })
    }
}

import RestwayBatch
import RestwayHTTP

/// A request of a batch that wants to go out, and who is told of its answer.
struct BatchPassenger: Sendable {
    let item: BatchItem
    let url: String
    let call: Call
    let recorder: ExchangeRecorder

    /// Tells the call of its answer, as a transport would; everything that follows from it is done
    /// when this returns, or waits.
    ///
    /// - Parameter credential: With which the answer came.
    func receive(_ answer: BatchAnswer, credential: UInt64?) {
        call.wasCarried(with: credential)
        recorder.receivedHead(
            ResponseHead(status: answer.code, headers: Headers(answer.headers), url: url))
        if !answer.body.isEmpty {
            let reply = answer.body.withUnsafeBytes { recorder.receivedBody($0) }
            if case .stop(let error) = reply { return recorder.completed(.failure(error)) }
        }
        recorder.completed(
            .success(
                ExchangeSummary(
                    connectionWasReused: true, uploadedBytes: Int64(item.body?.count ?? 0),
                    downloadedBytes: Int64(answer.body.count))))
    }
}

import RestwayBatch
import RestwayHTTP

/// A request of a batch that is ready to go out, and the call that receives its answer.
struct BatchPassenger: Sendable {
    let item: BatchItem
    let url: String
    let call: Call
    let recorder: ExchangeRecorder

    /// Gives the answer to the call, as a transport does. When this returns, the call has processed
    /// the answer or waits for something.
    ///
    /// - Parameter credential: The credential with which the batch was sent.
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

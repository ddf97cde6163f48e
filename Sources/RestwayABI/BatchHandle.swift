import RestwayClient

/// The host's hold on a batch session: when the last reference goes, one that was not sent never
/// will be.
///
/// Lent ones hold nothing: by then the session was sent.
final class BatchHandle: Sendable {
    let batch: BatchSession

    init(_ batch: BatchSession) {
        self.batch = batch
    }

    deinit {
        batch.abandon()
    }
}

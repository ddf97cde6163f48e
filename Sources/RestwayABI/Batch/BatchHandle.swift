import RestwayClient
import RestwayThreads

/// The program's reference to a batch session. When the last one is released, a session that was
/// not sent is cancelled.
///
/// The session of a handle that the library lends was sent before, so nothing happens at its end.
final class BatchHandle: HandleObject, Sendable {
    let batch: BatchSession
    let generation = ProcessGeneration.current

    init(_ batch: BatchSession) {
        self.batch = batch
    }

    deinit {
        batch.abandon()
    }
}

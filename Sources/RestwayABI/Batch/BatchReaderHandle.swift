import RestwayBatch
import RestwayThreads

/// The answer to a batch, as a decode function sees it, and the answers that the function makes of
/// it.
///
/// `@unchecked Sendable`: only one thread uses it, while the question is asked.
final class BatchReaderHandle: HandleObject, @unchecked Sendable {
    let body: BatchBody
    let texts = LentTexts()
    var answers: [BatchAnswer?]
    let generation = ProcessGeneration.current

    init(_ body: BatchBody, count: Int) {
        self.body = body
        answers = Array(repeating: nil, count: count)
    }
}

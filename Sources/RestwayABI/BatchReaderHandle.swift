import RestwayBatch

/// The answer to a batch, as a decode function sees it, and the answers that it makes of it.
///
/// `@unchecked Sendable`: one thread has it, for as long as the question is asked.
final class BatchReaderHandle: @unchecked Sendable {
    let body: BatchBody
    let texts = LentTexts()
    var answers: [BatchAnswer?]

    init(_ body: BatchBody, count: Int) {
        self.body = body
        answers = Array(repeating: nil, count: count)
    }
}

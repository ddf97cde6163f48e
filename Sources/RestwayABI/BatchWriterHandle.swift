import RestwayBatch

/// The requests of a batch, as an encode function sees them, and the body that it makes of them.
///
/// `@unchecked Sendable`: one thread has it, for as long as the question is asked.
final class BatchWriterHandle: @unchecked Sendable {
    let items: [BatchItem]
    let texts = LentTexts()
    var body: BatchBody?

    init(_ items: [BatchItem]) {
        self.items = items
    }

    func item(_ index: Int) -> BatchItem? {
        items.indices.contains(index) ? items[index] : nil
    }
}

import RestwayBatch
import RestwayThreads

/// The requests of a batch, as an encode function sees them, and the body that the function makes
/// of them.
///
/// `@unchecked Sendable`: only one thread uses it, while the question is asked.
final class BatchWriterHandle: HandleObject, @unchecked Sendable {
    let items: [BatchItem]
    let texts = LentTexts()
    var body: BatchBody?
    let generation = ProcessGeneration.current

    init(_ items: [BatchItem]) {
        self.items = items
    }

    func item(_ index: Int) -> BatchItem? {
        items.indices.contains(index) ? items[index] : nil
    }
}

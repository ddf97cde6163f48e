/// The seam of batch formats: how several requests become the body of one, and one answer several.
///
/// Both functions are asked on a worker; for different calls side by side.
package protocol BatchFormat: Sendable {
    /// Whether a body that is no text can be part of a batch.
    var takesBinaryBodies: Bool { get }

    /// The body of the call that carries `items`, of which there is at least one.
    func encode(_ items: [BatchItem]) throws(BatchError) -> BatchBody

    /// The answers to `count` items, by position, from a body that came with a 2xx status.
    func decode(_ body: BatchBody, count: Int) throws(BatchError) -> [BatchAnswer]
}

/// A body and its media type, which a server may leave out.
package struct BatchBody: Equatable, Sendable {
    package var bytes: [UInt8]
    package var mediaType: String?

    package init(_ bytes: [UInt8], mediaType: String?) {
        self.bytes = bytes
        self.mediaType = mediaType
    }
}

extension BatchFormat {
    /// What `decode` gives, when it can be the answers to `count` items.
    package func answers(_ body: BatchBody, count: Int) throws(BatchError) -> [BatchAnswer] {
        let answers = try decode(body, count: count)
        guard answers.count == count else {
            throw BatchError("\(answers.count) answers came for \(count) requests")
        }
        for (index, answer) in answers.enumerated() {
            guard BatchAnswer.codes.contains(answer.code) else {
                throw BatchError(
                    "answer \(index) has the code \(answer.code), which is not between "
                        + "\(BatchAnswer.codes.lowerBound) and \(BatchAnswer.codes.upperBound)",
                    field: "[\(index)].code")
            }
        }
        return answers
    }
}

package import RestwayCalls
package import RestwayThreads

/// The interface for batch formats: combines several requests in one body, and separates the
/// answer.
///
/// Both functions run on a worker, and may run for different calls at the same time.
package protocol BatchFormat: Sendable {
    /// Whether a binary body can be part of a batch.
    var takesBinaryBodies: Bool { get }

    /// The body of the call in which `items` are sent. There is at least one item.
    func encode(_ items: [BatchItem]) throws(BatchError) -> BatchBody

    /// The answers to `count` items, by position. An error says why the answer to one item cannot
    /// be read, or is missing; the other items have theirs. The body came with a 2xx status.
    func decode(
        _ body: BatchBody, count: Int
    ) throws(BatchError) -> [Result<BatchAnswer, BatchError>]
}

/// A body and its media type. A server may leave the media type out.
package struct BatchBody: Equatable, Sendable {
    package var bytes: [UInt8]
    package var mediaType: String?

    package init(_ bytes: [UInt8], mediaType: String?) {
        self.bytes = bytes
        self.mediaType = mediaType
    }
}

extension BatchFormat {
    /// The result of `decode`, if it can be the answers to `count` items.
    package func answers(
        _ body: BatchBody, count: Int
    ) throws(BatchError) -> [Result<BatchAnswer, BatchError>] {
        let answers = try decode(body, count: count)
        guard answers.count == count else {
            throw BatchError("\(answers.count) answers came for \(count) requests")
        }
        return answers.enumerated().map { index, answer in
            answer.flatMap { answer -> Result<BatchAnswer, BatchError> in
                guard !BatchAnswer.codes.contains(answer.code) else { return .success(answer) }
                return .failure(
                    BatchError(
                        "[\(index)].code is \(answer.code), which is not between "
                            + "\(BatchAnswer.codes.lowerBound) and "
                            + "\(BatchAnswer.codes.upperBound)",
                        field: "[\(index)].code"))
            }
        }
    }
}

/// Why requests cannot be written into a batch, or an answer cannot be read.
package struct BatchError: Error, Equatable, Sendable {
    /// The description for an error message. It contains no values, which may be secrets.
    package let message: String
    /// The place in the answer, for example "[2].code".
    package let field: String?
    /// The cause that a function of the program has attached.
    package let cause: (any HostCause)?
    /// Whether the server has given no answer to the request, in the place where it would stand.
    package let isMissing: Bool

    package init(
        _ message: String, field: String? = nil, cause: (any HostCause)? = nil,
        isMissing: Bool = false
    ) {
        self.message = message
        self.field = field
        self.cause = cause
        self.isMissing = isMissing
    }

    /// Compares what the errors say.
    package static func == (left: BatchError, right: BatchError) -> Bool {
        left.message == right.message && left.field == right.field
    }
}

/// Everything that is wrong with a document, in the order in which it was found.
///
/// A class: all nodes of one document report to the same list.
final class DocumentProblems {
    private(set) var details: [Failure.Detail] = []
    private var duplicateCount = 0

    func report(_ path: String, _ message: String) {
        details.append(Failure.Detail(path: path, message: message))
    }

    /// Something equal stands before.
    func reportDuplicate(_ path: String, _ message: String) {
        duplicateCount += 1
        report(path, message)
    }

    /// True when that is all that is wrong.
    var areDuplicates: Bool { duplicateCount > 0 && duplicateCount == details.count }

    /// Throws everything that was reported as one failure, or returns when there was nothing.
    func throwIfAny() throws(Failure) {
        guard !details.isEmpty else { return }
        throw Failure(.config, details: details)
    }
}

package import RestwayOutcome
import RestwayText

/// All problems of a document in the order in which they were found, and the number of steps that
/// reading it took.
///
/// It is a class because all nodes of one document report to the same list.
package final class DocumentProblems {
    package private(set) var details: [Failure.Detail] = []
    private var duplicateCount = 0
    /// The number of steps that reading took: values read, names and templates compared. A test
    /// checks that it is at most a multiple of the document's length.
    private(set) var stepCount = 0
    private var comparedNameCount = 0

    /// Limits the work for names that the document does not have.
    static let comparedNameCountMax = 10_000

    package func step(_ count: Int = 1) {
        stepCount += count
    }

    /// Returns, for example: unknown entity "Entreprise"; did you mean "Enterprise"? A document
    /// with very many problems gets no more hints.
    package func unknown(_ what: String, _ name: String, among known: [String]) -> String {
        let message = "unknown \(what) \"\(name)\""
        guard comparedNameCount + known.count <= Self.comparedNameCountMax else { return message }
        comparedNameCount += known.count
        step(known.count)
        return message + NearestName.hint(for: name, in: known)
    }

    package func report(_ path: String, _ message: String) {
        details.append(Failure.Detail(path: path, message: message))
    }

    /// Reports a part that equals an earlier one.
    func reportDuplicate(_ path: String, _ message: String) {
        duplicateCount += 1
        report(path, message)
    }

    /// Whether duplicates are the only problems.
    var areDuplicates: Bool { duplicateCount > 0 && duplicateCount == details.count }

    /// Throws all reported problems as one failure, or returns if there are none.
    func throwIfAny() throws(Failure) {
        guard !details.isEmpty else { return }
        throw Failure(.config, details: details)
    }
}

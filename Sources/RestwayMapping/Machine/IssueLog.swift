import RestwayObjects
import RestwayThreads

/// The values of a response that did not fit. Those that are not kept are only counted.
struct IssueLog {
    private static let keptMax = 100

    private(set) var kept: [MappingIssue] = []
    private(set) var count = 0
    /// The pointer that the first failed transform attached to its failure.
    private(set) var cause: (any HostCause)?

    var keepsMore: Bool { kept.count < Self.keptMax }

    mutating func add(
        _ reason: String, cause: (any HostCause)? = nil, at places: OpenPlaces
    ) {
        self.cause = self.cause ?? cause
        if keepsMore { kept.append(MappingIssue(keyPath: places.keyPath, reason: reason)) }
        count += 1
    }

    /// Counts an issue that is not kept.
    mutating func addOne() {
        count += 1
    }
}

extension MappingResult {
    init(
        changeSet: ChangeSet, results: [[Int]], value: Value, valueShape: ValueShape?,
        issues: IssueLog
    ) {
        self.init(
            changeSet: changeSet, results: results, value: value, valueShape: valueShape,
            issues: issues.kept, issueCount: issues.count, issueCause: issues.cause)
    }
}

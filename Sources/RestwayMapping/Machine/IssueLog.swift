import RestwayObjects
import RestwayThreads

/// The values of a response that did not fit. Those that are not kept are only counted.
struct IssueLog {
    static let keptMax = 100

    private(set) var kept: [MappingIssue] = []
    private(set) var count = 0
    /// The pointer that the first failed transform attached to its failure.
    private(set) var cause: (any HostCause)?

    private var keepsMore: Bool { kept.count < Self.keptMax }

    /// Adds the reason why a value did not fit, unless a transform left the attribute unchanged.
    ///
    /// - Parameter expectation: Describes the values that a target takes.
    mutating func add(
        _ misfit: Misfit, at places: OpenPlaces, _ expectation: (PlanTarget) -> String
    ) {
        switch misfit {
        case .untouched: break
        case .other(let reason): add(reason, at: places)
        case .failed(let reason, let cause): add(reason, cause: cause, at: places)
        case .found(let found, let target):
            guard keepsMore else { return count += 1 }
            add("expected \(expectation(target)), found \(found)", at: places)
        }
    }

    mutating func add(
        _ reason: String, cause: (any HostCause)? = nil, at places: OpenPlaces
    ) {
        self.cause = self.cause ?? cause
        if keepsMore { kept.append(MappingIssue(keyPath: places.keyPath, reason: reason)) }
        count += 1
    }
}

extension MappingResult {
    init(
        changeSet: ChangeSet, results: [[Int]], hasLists: Bool, value: Value,
        valueShape: ValueShape?, issues: IssueLog
    ) {
        self.init(
            changeSet: changeSet, results: results, hasLists: hasLists, value: value,
            valueShape: valueShape,
            issues: issues.kept, issueCount: issues.count, issueCause: issues.cause)
    }
}

/// The values of a response that did not fit. Those that are not kept are only counted.
struct IssueLog {
    private static let keptMax = 100

    private(set) var kept: [MappingIssue] = []
    private(set) var count = 0

    var keepsMore: Bool { kept.count < Self.keptMax }

    mutating func add(_ reason: String, at places: OpenPlaces) {
        if keepsMore { kept.append(MappingIssue(keyPath: places.keyPath, reason: reason)) }
        count += 1
    }

    /// Counts an issue that is not kept.
    mutating func addOne() {
        count += 1
    }
}

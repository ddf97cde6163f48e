import RestwayObjects

/// Records values that did not fit.
extension MachineCore {
    /// The number of issues that are kept. Later issues are only counted.
    static var issuesKeptMax: Int { 100 }

    mutating func issue(_ reason: String) {
        guard countIssue() else { return }
        issues.append(MappingIssue(keyPath: keyPath, reason: reason))
    }

    /// Reports that the value is of the wrong kind. `target` stays unchanged.
    mutating func refuse(_ target: PlanTarget, _ row: Int, _ found: StaticString) {
        guard countIssue() else { return }
        issues.append(
            MappingIssue(
                keyPath: keyPath, reason: "expected \(expectation(target, row)), found \(found)"))
    }

    /// Counts an issue and returns whether it is to be kept.
    private mutating func countIssue() -> Bool {
        issueCount += 1
        return issues.count < Self.issuesKeptMax
    }

    /// The current place: the keys and list positions of the open frames.
    var keyPath: String {
        var path = ""
        for index in 0..<frames.count {
            let frame = frames[index]
            if frame.isArray {
                // A list has no position before its first element.
                if frame.index >= 0 { path += "[\(frame.index)]" }
            } else if let key = frame.current?.pointee.key {
                path += (path.isEmpty ? "" : ".") + String(decoding: key, as: UTF8.self)
            }
        }
        return path
    }

    private func expectation(_ target: PlanTarget, _ row: Int) -> String {
        if target.isIdentity {
            switch target.conversion {
            case .string: return "an identity (a string)"
            case .int: return "an identity (an integer)"
            default: return "an identity (an integer or a string)"
            }
        }
        switch target.conversion {
        case .any, .json, .custom: return "a value"
        case .bool: return "a boolean"
        case .boolWords: return "a boolean, or a word for one"
        case .int: return "an integer"
        case .intText: return "an integer, or a string with one"
        case .double: return "a number"
        case .doubleText: return "a number, or a string with one"
        case .string: return "a string"
        case .numberAsText: return "a number or a string"
        case .url: return "an absolute URL"
        case .base64Text: return "a string of base64 that holds text"
        case .bytes: return "a string of base64"
        case .iso8601: return "a date (ISO 8601)"
        case .day, .pattern, .epoch:
            return "a date (\(formats[rows[row].mapping][target.detail].text))"
        }
    }
}

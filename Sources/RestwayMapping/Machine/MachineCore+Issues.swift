import RestwayObjects

/// What did not fit.
extension MachineCore {
    /// Reports beyond this many are counted, not kept.
    static var issuesKeptMax: Int { 100 }

    mutating func issue(_ reason: String) {
        guard countIssue() else { return }
        issues.append(MappingIssue(keyPath: keyPath, reason: reason))
    }

    /// `target` stays as it is: the value is not of its kind.
    mutating func refuse(_ target: PlanTarget, _ row: Int, _ found: StaticString) {
        guard countIssue() else { return }
        issues.append(
            MappingIssue(
                keyPath: keyPath, reason: "expected \(expectation(target, row)), found \(found)"))
    }

    /// Whether the issue is to be kept.
    private mutating func countIssue() -> Bool {
        issueCount += 1
        return issues.count < Self.issuesKeptMax
    }

    /// Where the machine stands: the keys and list positions of the open frames.
    private var keyPath: String {
        var path = ""
        for index in 0..<frames.count {
            let frame = frames[index]
            if frame.isArray {
                path += "[\(frame.index)]"
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

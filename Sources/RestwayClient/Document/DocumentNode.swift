import RestwayJSON
import RestwaySupport

/// One value of a document and the place where it stands.
///
/// Every question answers `nil` when the value is of another kind, after it reported that: the
/// reader goes on and finds the next problem.
struct DocumentNode {
    let value: JSONValue
    let path: String
    let problems: DocumentProblems

    func report(_ message: String) {
        problems.report(path, message)
    }

    /// The place of member `key`: `$.routes.enterprise`, or `$.headers['X-Debug']` for a key that
    /// is no identifier.
    func path(of key: String) -> String {
        let isIdentifier = key.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default:
                false
            }
        }
        let startsWithLetter = key.first.map { $0.isLetter || $0 == "_" } ?? false
        if isIdentifier && startsWithLetter { return "\(path).\(key)" }
        return "\(path)['\(Self.escaped(key))']"
    }

    /// `key` as a JSON path writes it between single quotes (RFC 9535, section 2.3.1.1).
    private static func escaped(_ key: String) -> String {
        var text = ""
        for scalar in key.unicodeScalars {
            switch scalar {
            case "'": text += "\\'"
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    func node(_ key: String, _ value: JSONValue) -> DocumentNode {
        DocumentNode(value: value, path: path(of: key), problems: problems)
    }

    // MARK: Kinds

    func string() -> String? {
        if let string = value.string { return string }
        return mismatch("a string")
    }

    func nonEmptyString() -> String? {
        guard let string = string() else { return nil }
        guard !string.isEmpty else {
            report("must not be empty")
            return nil
        }
        return string
    }

    func bool() -> Bool? {
        value.bool ?? mismatch("true or false")
    }

    func integer(in range: ClosedRange<Int64>) -> Int64? {
        guard let integer = value.integer else { return mismatch("a whole number") }
        guard range.contains(integer) else {
            report("must be between \(range.lowerBound) and \(range.upperBound), is \(integer)")
            return nil
        }
        return integer
    }

    func elements() -> [DocumentNode]? {
        guard let elements = value.elements else { return mismatch("an array") }
        return elements.enumerated().map { index, element in
            DocumentNode(value: element, path: "\(path)[\(index)]", problems: problems)
        }
    }

    /// The elements of an array, or the value itself when it is none.
    func oneOrMany() -> [DocumentNode] {
        value.kind == .array ? elements() ?? [] : [self]
    }

    /// The members of an object whose keys are the host's own names.
    func namedMembers() -> [(name: String, node: DocumentNode)]? {
        guard let members = value.members else { return mismatch("an object") }
        return members.compactMap { key, value in
            guard !key.isEmpty else {
                report("a name must not be empty")
                return nil
            }
            return (key, node(key, value))
        }
    }

    /// The members of an object that knows its keys. Unknown ones are reported, but for those that
    /// start with `x-`.
    func object(_ known: [String], unsupported: [String] = []) -> DocumentObject? {
        guard let members = value.members else { return mismatch("an object") }
        for (key, value) in members where !known.contains(key) && !key.isExtension {
            if unsupported.contains(key) {
                node(key, value).report("not supported by this version of Restway")
            } else {
                let hint = NearestName.to(key, in: known).map { "; did you mean \"\($0)\"?" } ?? ""
                node(key, value).report("unknown key \"\(key)\"\(hint)")
            }
        }
        return DocumentObject(node: self)
    }

    private func mismatch<Value>(_ expected: String) -> Value? {
        report("must be \(expected), is \(value.kind.withArticle)")
        return nil
    }
}

extension String {
    /// `x-…`: the host's own. Byte by byte, as JSON compares keys.
    var isExtension: Bool { utf8.starts(with: "x-".utf8) }
}

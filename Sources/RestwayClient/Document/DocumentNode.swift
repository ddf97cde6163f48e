import RestwayJSON
import RestwayText
import RestwayThreads

/// One value of a document and its place there.
///
/// Every function that reads the value reports a value of the wrong kind and returns `nil`. So the
/// reader goes on and finds the next problem.
struct DocumentNode {
    let value: JSONValue
    let path: String
    let problems: DocumentProblems

    func report(_ message: String) {
        problems.report(path, message)
    }

    /// Returns the place of member `key`: `$.routes.enterprise`, or `$.headers['X-Debug']` for a
    /// key that is no identifier.
    func path(of key: String) -> String {
        let isIdentifier = key.utf8.allSatisfy { byte in
            ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
        let startsWithLetter = key.first.map { $0.isLetter || $0 == "_" } ?? false
        if isIdentifier && startsWithLetter { return "\(path).\(key)" }
        return "\(path)['\(Self.escaped(key))']"
    }

    /// Returns `key` as a JSON path writes it between single quotes (RFC 9535, section 2.3.1.1).
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
        problems.step()
        return DocumentNode(value: value, path: path(of: key), problems: problems)
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
        problems.step(elements.count)
        return elements.enumerated().map { index, element in
            DocumentNode(value: element, path: "\(path)[\(index)]", problems: problems)
        }
    }

    /// Returns the elements of an array, or the value itself if it is not an array.
    func oneOrMany() -> [DocumentNode] {
        value.kind == .array ? elements() ?? [] : [self]
    }

    /// Returns the members of an object whose keys are names that the author chose.
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

    /// Returns the members of an object with known keys. It reports unknown keys, except those that
    /// start with `x-`.
    func object(_ known: [String], unsupported: [String] = []) -> DocumentObject? {
        guard let members = value.members else { return mismatch("an object") }
        problems.step(members.count)
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
    /// Whether the key starts with `x-` and so belongs to the program. It is compared byte by byte,
    /// as JSON compares keys.
    var isExtension: Bool { utf8.starts(with: "x-".utf8) }
}

package import RestwayJSON
import RestwayObjects
package import RestwayOutcome
import RestwayText

/// One value of a document and its place there.
///
/// Every function that reads the value reports a value of the wrong kind and returns `nil`. So the
/// reader goes on and finds the next problem.
package struct DocumentNode {
    package let value: JSONValue
    /// The place; `$` for a whole document, or for a part that stands in no document.
    package var path = "$"
    let problems: DocumentProblems

    /// Parses a document, or a part that stands in no document.
    package static func parse(_ text: UnsafeRawBufferPointer) throws(Failure) -> JSONValue {
        do {
            return try JSONValue.parse(text, .init(rejectsDuplicateKeys: true))
        } catch {
            throw Failure(.config, details: [.init(path: "$", message: error.message)])
        }
    }

    package func report(_ message: String) {
        problems.report(path, message)
    }

    /// Reports a name that the document does not have, with the known name that was probably meant.
    func reportUnknown(_ what: String, _ name: String, among known: [String]) {
        report(problems.unknown(what, name, among: known))
    }

    /// Reports a value of the wrong kind. It always returns `nil`.
    package func mismatch<Value>(_ expected: String) -> Value? {
        report("must be \(expected), is \(value.kind.withArticle)")
        return nil
    }

    // MARK: Values

    package func string() -> String? {
        value.string ?? mismatch("a string")
    }

    package func nonEmptyString() -> String? {
        guard let string = string() else { return nil }
        guard !string.isEmpty else {
            report("must not be empty")
            return nil
        }
        return string
    }

    package func bool() -> Bool? {
        value.bool ?? mismatch("true or false")
    }

    package func integer<Number: FixedWidthInteger>(in range: ClosedRange<Number>) -> Number? {
        guard let integer = value.integer else { return mismatch("a whole number") }
        guard let number = Number(exactly: integer), range.contains(number) else {
            report("must be between \(range.lowerBound) and \(range.upperBound), is \(integer)")
            return nil
        }
        return number
    }

    /// Reads one of the names in `known`.
    package func choice(_ known: [String]) -> String? {
        guard let text = string() else { return nil }
        if known.contains(text) { return text }
        let hint = NearestName.hint(for: text, in: known)
        report("\"\(text)\" is none of \(known.joined(separator: ", "))\(hint)")
        return nil
    }

    /// Reads the name of one of the cases.
    package func choice<Choice: CaseIterable & RawRepresentable<String>>() -> Choice? {
        choice(Choice.allCases.map(\.rawValue)).flatMap(Choice.init)
    }

    /// Returns the case called `text`, or reports that no `what` has this name.
    package func named<Choice: CaseIterable & RawRepresentable<String>>(
        _ text: String, _ what: String
    ) -> Choice? {
        if let choice = Choice(rawValue: text) { return choice }
        let known = Choice.allCases.map(\.rawValue)
        let hint = NearestName.hint(for: text, in: known)
        report("unknown \(what) \"\(text)\"\(hint) (there are \(known.joined(separator: ", ")))")
        return nil
    }

    // MARK: Arrays and objects

    package func elements() -> [DocumentNode]? {
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
    package func object(_ known: [String], unsupported: [String] = []) -> DocumentObject? {
        guard let members = value.members else { return mismatch("an object") }
        problems.step(members.count)
        for (key, value) in members where !known.contains(key) && !key.isExtension {
            let member = node(key, value)
            if unsupported.contains(key) {
                member.report("not supported by this version of Restway")
            } else {
                member.report("unknown key \"\(key)\"\(NearestName.hint(for: key, in: known))")
            }
        }
        return DocumentObject(node: self)
    }

    // MARK: Members

    fileprivate func node(_ key: String, _ value: JSONValue) -> DocumentNode {
        problems.step()
        return DocumentNode(value: value, path: path(of: key), problems: problems)
    }

    /// Returns the place of member `key`: `$.routes.enterprise`, or `$.headers['X-Debug']` for a
    /// key that is no identifier.
    private func path(of key: String) -> String {
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
}

/// A node that is known to be an object.
package struct DocumentObject {
    package let node: DocumentNode

    /// The member called `key`, if the document has it.
    subscript(key: String) -> DocumentNode? {
        node.value[key].map { node.node(key, $0) }
    }

    /// Returns the member called `key`, and reports a problem if it is missing.
    func required(_ key: String) -> DocumentNode? {
        if let member = self[key] { return member }
        node.report("\"\(key)\" is missing")
        return nil
    }

    /// Reads the member called `key` into `value`, which stays as it is if the member is missing or
    /// has a problem.
    func read<Value>(_ key: String, into value: inout Value, _ read: (DocumentNode) -> Value?) {
        if let member = self[key].flatMap(read) { value = member }
    }

    /// Reads the number called `key`, as the function above does.
    package func read<Number: FixedWidthInteger>(
        _ key: String, in range: ClosedRange<Number>, into number: inout Number
    ) {
        read(key, into: &number) { $0.integer(in: range) }
    }

    /// The members that the document's author added for the program, as JSON text.
    var extensions: [String: String] {
        var result: [String: String] = [:]
        for (key, value) in node.value.members ?? [] where key.isExtension {
            result[key] = String(decoding: value.text(), as: UTF8.self)
        }
        return result
    }
}

extension String {
    /// Whether the key starts with `x-` and so belongs to the program. It is compared byte by byte,
    /// as JSON compares keys.
    fileprivate var isExtension: Bool { utf8.starts(with: "x-".utf8) }
}

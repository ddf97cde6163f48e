package import RestwayJSON
import RestwayText

/// Replaces secret members, found by their names, in bodies that people read: in the export of the
/// outbox and in curl commands.
package struct BodyRedaction {
    package static let mark = "[redacted]"

    private let isSecret: (String) -> Bool
    private let isSecretMember: (String) -> Bool

    /// - Parameters:
    ///   - isSecretField: Returns whether a field of a form or a query is secret, by its name.
    ///   - isSecretMember: Returns whether a member of a JSON object is secret, by its name.
    package init(
        isSecretField: @escaping (String) -> Bool, isSecretMember: @escaping (String) -> Bool
    ) {
        isSecret = isSecretField
        self.isSecretMember = isSecretMember
    }

    /// The member of requests for a token (RFC 6749, section 4).
    private static let grantType = "grant_type"

    /// Returns the rule for the members of one JSON object. A request for a token has the fields of
    /// a form.
    package func rule(
        for members: some Sequence<(key: String, value: JSONValue)>
    ) -> (String) -> Bool {
        members.contains { $0.key == Self.grantType } ? isSecret : isSecretMember
    }

    /// `value` with the values of secret members replaced, to the greatest nesting depth of a body.
    package func json(_ value: JSONValue) -> JSONValue {
        if let members = value.members {
            let isSecret = rule(for: members)
            return .object(
                members.map { member in
                    let isHidden = isSecret(member.0)
                    return (key: member.0, value: isHidden ? .string(Self.mark) : json(member.1))
                })
        }
        return value.elements.map { .array($0.map { json($0) }) } ?? value
    }

    /// Redacts pairs of names and values, as in a query or a form.
    package func form(_ text: Substring) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            let name = pair.prefix { $0 != "=" }
            let isHidden = name.count < pair.count && isSecretField(URLText.decoded(String(name)))
            return isHidden ? "\(name)=\(Self.mark)" : String(pair)
        }.joined(separator: "&")
    }

    /// Whether a field of a form or a query is secret: a nested name such as `card[token]` or
    /// `card.token` is secret if one of its parts is.
    package func isSecretField(_ name: String) -> Bool {
        let parts = name.utf8.split { Self.separators.contains($0) }
        return isSecret(name) || parts.contains { isSecret(String(Substring($0))) }
    }

    private static let separators = Array("[].".utf8)

    /// Returns a body without its secrets. JSON without secrets keeps its spelling. A body that is
    /// declared as JSON but is not valid JSON, and a multipart body whose parts cannot be told
    /// apart, are replaced as a whole.
    ///
    /// - Returns: `nil` if the body is neither JSON nor a form, so that its content is unknown.
    package func body(_ bytes: [UInt8], _ headers: Headers) -> [UInt8]? {
        switch BodyForm(headers) {
        case .urlEncoded:
            return Array(form(String(decoding: bytes, as: UTF8.self)[...]).utf8)
        case .multipart:
            return multipart(bytes, headers)
        case .json:
            guard let text = String(validating: bytes, as: UTF8.self),
                let value = try? JSONValue.parse(text)
            else { return bytes.isEmpty ? [] : Array(Self.mark.utf8) }
            let (plain, redacted) = (value.text(), json(value).text())
            // If two members have the same name, the value has only the last member.
            let isWhole =
                (try? JSONValue.parse(text, .init(rejectsDuplicateKeys: true))) != nil
            return isWhole && plain == redacted ? bytes : redacted
        case .plain:
            return nil
        }
    }

    // MARK: Multipart forms

    /// Replaces the content of secret parts (RFC 7578).
    private func multipart(_ body: [UInt8], _ headers: Headers) -> [UInt8] {
        let parameters = HeaderParameters.read(headers[first: "Content-Type"] ?? "")
        guard let boundary = parameters["boundary"], !boundary.isEmpty else {
            return Array(Self.mark.utf8)
        }
        let delimiter = Array("\r\n--\(boundary)".utf8)
        let headEnd = Array("\r\n\r\n".utf8)
        var output: [UInt8] = []
        var rest = body[...]
        while let end = Self.start(of: headEnd, in: rest) {
            let content = end + headEnd.count
            let head = rest[..<content]
            let contentEnd = Self.start(of: delimiter, in: rest[content...]) ?? rest.endIndex
            output += head
            output += isSecretPart(head) ? Array(Self.mark.utf8)[...] : rest[content..<contentEnd]
            rest = rest[contentEnd...]
        }
        return output + rest
    }

    private func isSecretPart(_ head: ArraySlice<UInt8>) -> Bool {
        for line in head.split(separator: UInt8(ascii: "\n")) {
            let field = String(decoding: line, as: UTF8.self)
            let fieldName = String(field.prefix { $0 != ":" })
            guard ASCII.areEqualIgnoringCase(fieldName, "Content-Disposition") else { continue }
            if let name = HeaderParameters.read(field)["name"], isSecretField(name) { return true }
        }
        return false
    }

    private static func start(of text: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        var index = bytes.startIndex
        while let first = bytes[index...].firstIndex(of: text[0]) {
            if bytes[first...].starts(with: text) { return first }
            index = first + 1
        }
        return nil
    }
}

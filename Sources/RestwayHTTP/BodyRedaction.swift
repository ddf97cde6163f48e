package import RestwayJSON
import RestwayRouting
import RestwayText

/// Replaces secret members, found by their names, in bodies that people read: in the export of the
/// outbox and in curl commands.
package struct BodyRedaction {
    package static let mark = "[redacted]"

    private let isSecret: (String) -> Bool

    /// - Parameter isSecret: Returns whether a member of a JSON object or a form is secret, by its
    ///   name.
    package init(isSecret: @escaping (String) -> Bool) {
        self.isSecret = isSecret
    }

    /// `value` with the values of secret members replaced, to the greatest nesting depth of a body.
    package func json(_ value: JSONValue) -> JSONValue {
        if let members = value.members {
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
            let isHidden = name.count < pair.count && isSecret(URLText.decoded(String(name)))
            return isHidden ? "\(name)=\(Self.mark)" : String(pair)
        }.joined(separator: "&")
    }

    /// A body as text without its secrets. JSON without secrets keeps its spelling. A body that is
    /// declared as JSON but is not valid JSON is replaced as a whole.
    ///
    /// - Returns: `nil` if the body is neither JSON nor a form, so that its content is unknown.
    package func text(_ bytes: [UInt8], _ headers: Headers) -> String? {
        switch BodyForm(headers) {
        case .urlEncoded:
            return form(String(decoding: bytes, as: UTF8.self)[...])
        case .json:
            guard let text = String(validating: bytes, as: UTF8.self),
                let value = try? JSONValue.parse(text)
            else { return bytes.isEmpty ? "" : Self.mark }
            let (plain, redacted) = (value.text(), json(value).text())
            // If two members have the same name, the value has only the last one.
            let isWhole =
                (try? JSONValue.parse(text, .init(rejectsDuplicateKeys: true))) != nil
            return isWhole && plain == redacted ? text : String(decoding: redacted, as: UTF8.self)
        case .messagePack, .plain:
            return nil
        }
    }
}

package import RestwayJSON
import RestwayRouting
import RestwayText

/// The form of a body: it decides how an identity is written into the body, and which values can be
/// read from the body.
package enum BodyForm: Sendable {
    case json, urlEncoded, messagePack
    /// A text in which anything may be anywhere, or an unknown format.
    case plain

    /// Determines the form from the media type. A body without a media type is taken for JSON, the
    /// most common form.
    package init(_ headers: Headers) {
        guard let mediaType = headers[first: "Content-Type"] else {
            self = .json
            return
        }
        self.init(mediaType: mediaType)
    }

    package init(mediaType: String) {
        let type = MediaType.essence(mediaType)
        if type == MediaType.json || type.hasSuffix("+json") {
            self = .json
        } else if Self.messagePackTypes.contains(type) || type.hasSuffix("+msgpack") {
            self = .messagePack
        } else {
            self = type == "application/x-www-form-urlencoded" ? .urlEncoded : .plain
        }
    }

    private static let messagePackTypes: Set<String> = [
        "application/msgpack", "application/x-msgpack", "application/vnd.msgpack",
    ]
}

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
            // If two members have the same name, the value has only the last member.
            let isWhole =
                (try? JSONValue.parse(text, .init(rejectsDuplicateKeys: true))) != nil
            return isWhole && plain == redacted ? text : String(decoding: redacted, as: UTF8.self)
        case .messagePack, .plain:
            return nil
        }
    }
}

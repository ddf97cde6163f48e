package import RestwayHTTP
import RestwayOutcome
import RestwayText

/// Hides secrets in texts that people read: logs and commands.
package struct Redaction: Sendable {
    package static let mark = BodyRedaction.mark

    /// The names of headers, parameters and members that hold secrets, as `bare` writes them.
    private static let standardNames: Set<String> = [
        "authorization", "proxyauthorization", "cookie", "setcookie", "xapikey", "xauthtoken",
        "xcsrftoken", "apikey", "accesstoken", "refreshtoken", "idtoken", "token", "auth", "key",
        "password", "passwd", "secret", "clientsecret", "signature", "sig", "session", "sessionid",
        "jwt",
    ]

    /// The name of the authorization code of OAuth 2 in a query or a form. As a member of JSON it
    /// is usually the code of an error (see `BodyRedaction`).
    private static let authorizationCode = "code"

    /// The endings of header names that hold secrets in many services (`X-Vendor-Token`).
    private static let standardEndings = [
        "-token", "-secret", "-password", "-signature", "-credential", "-jwt", "-api-key",
    ]

    private var names: Set<String>

    /// - Parameter names: The document's own names, besides the standard names.
    package init(_ names: [String] = []) {
        self.names = Self.standardNames.union(names.map(Self.bare))
    }

    package mutating func add(_ name: String) {
        names.insert(Self.bare(name))
    }

    /// Whether a header, a parameter or a field of a form is secret.
    package func isSecret(_ name: String) -> Bool {
        isSecretMember(name) || Self.bare(name) == Self.authorizationCode
    }

    /// Whether a member of JSON is secret, or a value that a text names.
    package func isSecretMember(_ name: String) -> Bool {
        if names.contains(Self.bare(name)) { return true }
        let name = name.lowercased()
        return Self.standardEndings.contains { name.hasSuffix($0) }
    }

    /// Redacts bodies by these names.
    package var ofBodies: BodyRedaction {
        BodyRedaction(isSecretField: isSecret, isSecretMember: isSecretMember)
    }

    /// Returns a name without case and separators, so that `access_token`, `Access-Token` and
    /// `accessToken` are the same name.
    private static func bare(_ name: String) -> String {
        name.lowercased().filter { $0 != "-" && $0 != "_" }
    }

    /// Returns the value of a header, which may be or contain a URL (`Location`, `Link`).
    package func header(_ field: HeaderField) -> String {
        if isSecret(field.name) { return Self.mark }
        let holdsURL = ["Location", "Content-Location", "Referer"].contains(where: field.isNamed)
        return holdsURL ? url(field.value) : parameters(field.value)
    }

    /// Returns `url` without credentials and with the values of secret parameters replaced.
    package func url(_ url: String) -> String {
        parameters(URLText.redacted(url))
    }

    /// Returns a JSON or form body with the values of secret members replaced, and any other body
    /// unchanged.
    package func body(_ bytes: [UInt8], _ fields: [HeaderField]) -> [UInt8] {
        ofBodies.body(bytes, Headers(fields)) ?? bytes
    }

    /// Returns `text` with the values of secret parameters replaced, in queries and in fragments.
    private func parameters(_ text: String) -> String {
        let bytes = text.utf8
        let redaction = ofBodies
        var output = ""
        var written = text.startIndex
        var index = text.startIndex
        while let mark = bytes[index...].firstIndex(where: Self.nameStarts.contains) {
            index = bytes.index(after: mark)
            let nameEnd = bytes[index...].firstIndex(where: Self.nameEnds.contains) ?? text.endIndex
            guard nameEnd < text.endIndex, bytes[nameEnd] == UInt8(ascii: "="),
                redaction.isSecretField(URLText.decoded(String(text[index..<nameEnd])))
            else { continue }
            let value = bytes.index(after: nameEnd)
            index = bytes[value...].firstIndex(where: Self.valueEnds.contains) ?? text.endIndex
            output += text[written..<value] + Self.mark
            written = index
        }
        return output + text[written...]
    }

    private static let nameStarts = Set("?&#".utf8)
    private static let nameEnds = Set("=?".utf8).union(valueEnds)
    /// The last three characters cannot be part of a URL; they stand around it.
    private static let valueEnds = Set("&#>\" ".utf8)
}

extension LoadedAPI: RequestRedactor {
    package func redacted(url: String) -> String { definition.redaction.url(url) }

    package func redacted(_ field: HeaderField) -> String { definition.redaction.header(field) }

    package func redacted(body: [UInt8], _ headers: [HeaderField]) -> [UInt8] {
        definition.redaction.body(body, headers)
    }
}

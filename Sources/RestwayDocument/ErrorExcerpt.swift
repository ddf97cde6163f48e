package import RestwayHTTP
import RestwayJSON
package import RestwayOutcome
import RestwayText
import RestwayThreads

/// The first bytes of an error body that has no known shape, as a text that a message may show.
///
/// Servers and proxies answer with pages, texts and JSON of their own. The excerpt ends before the
/// first secret: a text that was sent as a secret, or the value of a member, parameter or header
/// whose name is secret.
package struct ErrorExcerpt {
    /// The longest excerpt.
    static let bytesMax = 200
    /// The number of bytes in which secrets are looked for, so that a secret that begins in the
    /// excerpt and ends behind it is found.
    package static let readBytesMax = 4 << 10
    /// JSON and forms are read whole, to replace the values of secret members.
    private static let structuredBytesMax = 64 << 10

    private static let plain = "text/plain"

    private let redaction: Redaction
    private let secrets: SentSecrets

    package init(_ redaction: Redaction, _ secrets: SentSecrets = SentSecrets()) {
        self.redaction = redaction
        self.secrets = secrets
    }

    /// Returns the excerpt; `nil` if the body is not text, or too large to find its secrets.
    package func text(of body: Body, mediaType: String?) -> String? {
        let declared = body.withBytes { BodyText.declared($0, contentType: mediaType) }
        let bytes = declared ?? Array(body.bytesAndNUL.dropLast())
        // Some servers name the wrong type for a text or for JSON.
        var type = mediaType ?? Self.plain
        if body.looksLikeJSON {
            type = MediaType.json
        } else if MediaType.isJSON(type) {
            type = Self.plain
        }
        guard let shown = shown(bytes, type) else { return nil }
        let text = Self.onOneLine(beforeSecrets(Array(shown.prefix(Self.readBytesMax))))
        return text.isEmpty ? nil : Self.shortened(text)
    }

    /// Returns the excerpt of a text that does not have the form that it should have, so that it is
    /// read as any text; `nil` if it is not UTF-8.
    package func text(ofBroken bytes: [UInt8]) -> String? {
        let text = Self.onOneLine(beforeSecrets(Array(bytes.prefix(Self.readBytesMax))))
        return text.isEmpty ? nil : Self.shortened(text)
    }

    /// Returns the bytes without the values of secret members.
    private func shown(_ bytes: [UInt8], _ type: String) -> [UInt8]? {
        switch BodyForm(mediaType: type) {
        case .json, .urlEncoded:
            guard bytes.count <= Self.structuredBytesMax else { return nil }
            let redacted = redaction.body(bytes, [HeaderField(name: "Content-Type", value: type)])
            return redacted == Array(Redaction.mark.utf8) ? nil : redacted
        case .plain:
            let essence = MediaType.essence(type)
            let isText =
                essence.hasPrefix("text/") || essence == "application/xml"
                || essence.hasSuffix("+xml")
            return isText ? bytes : nil
        case .multipart:
            return nil
        }
    }

    // MARK: Secrets

    /// Returns the bytes before the first secret and, if there is one, the mark.
    private func beforeSecrets(_ bytes: [UInt8]) -> [UInt8] {
        let first = secrets.firstPlace(in: bytes)
        let named = firstNamedValue(in: bytes)
        guard let end = [first, named].compactMap({ $0 }).min() else { return bytes }
        return Array(bytes[..<end]) + Redaction.mark.utf8
    }

    /// Returns the start of the first value that stands behind a secret name: `token=`,
    /// `X-Api-Key: `, `"password": "`.
    private func firstNamedValue(in bytes: [UInt8]) -> Int? {
        var index = 0
        while index < bytes.count {
            guard Self.isNamePart(bytes[index]) else {
                index += 1
                continue
            }
            let nameEnd = bytes[index...].firstIndex { !Self.isNamePart($0) } ?? bytes.count
            let name = String(decoding: bytes[index..<nameEnd], as: UTF8.self)
            index = nameEnd
            guard redaction.isSecret(name),
                let (value, isParameter) = Self.value(behind: nameEnd, in: bytes),
                isParameter || redaction.isSecretMember(name)
            else { continue }
            // The value of a member that was secret is replaced already.
            if !bytes[value...].starts(with: Redaction.mark.utf8) { return value }
        }
        return nil
    }

    /// Returns the start of the value behind a name that ends at `end`, and whether it stands there
    /// as in a query; `nil` if no value follows.
    private static func value(
        behind end: Int, in bytes: [UInt8]
    ) -> (start: Int, isParameter: Bool)? {
        var separator: UInt8?
        for index in end..<bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "="), UInt8(ascii: ":"): separator = bytes[index]
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\""), UInt8(ascii: "'"):
                continue
            default: return separator.map { (index, $0 == UInt8(ascii: "=")) }
            }
        }
        return nil
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    // MARK: Text

    /// Returns the text with each run of controls and spaces as one space; empty if the bytes are
    /// not UTF-8, because their characters are then unknown.
    private static func onOneLine(_ bytes: [UInt8]) -> String {
        var text = ""
        var isBehindSpace = true
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if scalar.value <= 0x20 || (0x7F...0xA0).contains(scalar.value) {
                if !isBehindSpace { text += " " }
                isBehindSpace = true
            } else {
                text.unicodeScalars.append(scalar)
                isBehindSpace = false
            }
            if text.utf8.count > bytesMax { break }
        }
        guard !text.unicodeScalars.contains("\u{FFFD}") else { return "" }
        return isBehindSpace ? String(text.dropLast()) : text
    }

    /// Returns the text with at most `bytesMax` bytes, cut between two characters.
    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > bytesMax else { return text }
        var text = text.unicodeScalars
        while text.reduce(0, { $0 + UTF8.width($1) }) > bytesMax - 3 { text.removeLast() }
        return String(text) + "..."
    }
}

/// The parts of an exchange that may hold its credential. They are kept until the call ends, so
/// that no message repeats a secret that the server has sent back.
package struct AuthorizedParts: Sendable {
    let headers: [HeaderField]
    let url: String
    let password: Secret?

    package init(_ exchange: Exchange) {
        headers = exchange.headers
        url = exchange.url
        password = exchange.digest?.password
    }
}

/// The secrets of one request as they went out: its credential, and the values of headers, of query
/// parameters and of members of its body whose names are secret.
package struct SentSecrets {
    private var texts: [[UInt8]] = []

    /// Nothing was sent.
    package init() {}

    /// - Parameters:
    ///   - request: The exchange before it was given a credential.
    ///   - sent: The headers and the URL with the credential; `nil` if it was given none.
    package init(_ request: Exchange, sent: AuthorizedParts?, _ redaction: Redaction) {
        let known = Set(request.headers.map(\.name))
        for field in sent?.headers ?? request.headers
        where redaction.isSecret(field.name) || !known.contains(field.name) {
            add(header: field.value)
        }
        let url = sent?.url ?? request.url
        if let query = url.utf8.firstIndex(of: UInt8(ascii: "?")) {
            add(form: url[url.index(after: query)...], redaction)
        }
        if let password = sent?.password { add(password.revealed.utf8) }
        guard case .bytes(let bytes) = request.body, bytes.count <= Self.bodyBytesMax
        else { return }
        switch BodyForm(Headers(request.headers)) {
        case .json:
            if let value = try? JSONValue.parse(String(decoding: bytes, as: UTF8.self)) {
                add(members: value, isSecret: false, redaction)
            }
        case .urlEncoded: add(form: String(decoding: bytes, as: UTF8.self)[...], redaction)
        case .multipart, .plain: break
        }
    }

    private static let bodyBytesMax = 64 << 10

    /// Returns the first place at which one of the secrets begins.
    func firstPlace(in bytes: [UInt8]) -> Int? {
        bytes.indices.first { index in
            texts.contains { bytes[index...].starts(with: $0) }
        }
    }

    private mutating func add(_ text: some Sequence<UInt8>) {
        let text = Array(text)
        if !text.isEmpty { texts.append(text) }
    }

    /// Adds the value of a header without its scheme (`Bearer abc`). Basic authentication shows
    /// the password only in base64.
    private mutating func add(header value: String) {
        let parts = value.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
        let secret = Array(parts.last ?? value.utf8[...])
        add(secret)
        let count = Base64.byteCountMax(secret.count)
        let plain = [UInt8](unsafeUninitializedCapacity: count) { output, written in
            written =
                output.baseAddress.flatMap { output in
                    secret.withUnsafeBytes { Base64.decode($0, into: output) }
                } ?? 0
        }
        if let colon = plain.firstIndex(of: UInt8(ascii: ":")) { add(plain[(colon + 1)...]) }
        for pair in value.utf8.split(separator: UInt8(ascii: ";")) {
            guard let mark = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
            add(pair[pair.index(after: mark)...])
        }
    }

    private mutating func add(form text: Substring, _ redaction: Redaction) {
        let fields = redaction.ofBodies
        for pair in text.split(separator: "&") {
            guard let mark = pair.utf8.firstIndex(of: UInt8(ascii: "=")),
                fields.isSecretField(URLText.decoded(String(pair[..<mark])))
            else { continue }
            let value = pair[pair.index(after: mark)...]
            add(value.utf8)
            add(URLText.decoded(String(value)).utf8)
        }
    }

    private mutating func add(members value: JSONValue, isSecret: Bool, _ redaction: Redaction) {
        let members = value.members ?? []
        let isSecretMember = redaction.ofBodies.rule(for: members)
        for (name, member) in members {
            add(members: member, isSecret: isSecret || isSecretMember(name), redaction)
        }
        for element in value.elements ?? [] {
            add(members: element, isSecret: isSecret, redaction)
        }
        guard isSecret else { return }
        switch value.kind {
        case .string: add((value.string ?? "").utf8)
        case .integer, .real: add(value.text())
        case .boolean, .null, .array, .object: break
        }
    }
}

import RestwayHTTP

/// Header fields as they stand in the file: a line for each.
enum HeaderText {
    /// Credentials of this exchange, which the next one gets anew.
    private static let secretNames: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "set-cookie2",
    ]

    /// - Parameter secrets: Further names, in lower case, whose fields are left out.
    /// - Throws: For a field that could not be told from others later.
    static func text(
        _ fields: [HeaderField], without secrets: Set<String>
    ) throws(OutboxError) -> String {
        let fields = fields.filter { !isSecret($0.name, secrets) }
        for field in fields where !isStorable(field) { throw .invalidHeader(field.name) }
        return stored(fields)
    }

    static func isSecret(_ name: String, _ secrets: Set<String>) -> Bool {
        let name = name.lowercased()
        return secretNames.contains(name) || secrets.contains(name)
    }

    /// What cannot be stored is left out.
    static func stored(_ fields: [HeaderField]) -> String {
        fields.filter(isStorable).map { "\($0.name): \($0.value)\n" }.joined()
    }

    private static func isStorable(_ field: HeaderField) -> Bool {
        Headers.isValidName(field.name) && Headers.isValidValue(field.value)
    }

    static func fields(_ text: String) -> [HeaderField] {
        text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            return HeaderField(
                name: String(Substring(line[..<colon])),
                value: String(Substring(line[line.index(after: colon)...].dropFirst())))
        }
    }
}

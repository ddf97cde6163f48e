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
        var text = ""
        for field in fields where !isSecret(field.name, secrets) {
            guard isStorable(field) else { throw .invalidHeader(field.name) }
            append(field, to: &text)
        }
        return text
    }

    static func isSecret(_ name: String, _ secrets: Set<String>) -> Bool {
        let name = name.lowercased()
        return secretNames.contains(name) || secrets.contains(name)
    }

    /// What cannot be stored is left out.
    static func stored(_ fields: [HeaderField]) -> String {
        var text = ""
        for field in fields where isStorable(field) { append(field, to: &text) }
        return text
    }

    private static func append(_ field: HeaderField, to text: inout String) {
        text += field.name
        text += ": "
        text += field.value
        text += "\n"
    }

    private static func isStorable(_ field: HeaderField) -> Bool {
        Headers.isValidName(field.name) && Headers.isValidValue(field.value)
    }

    static func fields(_ text: String) -> [HeaderField] {
        var text = text
        return text.withUTF8 { bytes in
            var fields: [HeaderField] = []
            var start = 0
            while start < bytes.count {
                let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                if let colon = bytes[start..<end].firstIndex(of: UInt8(ascii: ":")) {
                    fields.append(
                        HeaderField(
                            name: string(bytes[start..<colon]),
                            value: string(bytes[min(colon + 2, end)..<end])))
                }
                start = end + 1
            }
            return fields
        }
    }

    private static func string(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
    }
}

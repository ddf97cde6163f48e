import RestwayHTTP

/// Header fields as the file stores them: one line for each field.
enum HeaderText {
    /// Credentials of one exchange. The next exchange gets new ones.
    static let secretNames = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "set-cookie2",
    ]

    /// - Parameter secrets: The names whose fields are left out.
    /// - Throws: If a field could not be told from other fields later.
    static func text(
        _ fields: [HeaderField], without secrets: [String]
    ) throws(OutboxError) -> String {
        let fields = fields.filter { !isSecret($0, secrets) }
        if let field = fields.first(where: { !isStorable($0) }) {
            throw .invalidHeader(field.name)
        }
        return lines(fields)
    }

    static func isSecret(_ field: HeaderField, _ secrets: [String]) -> Bool {
        secrets.contains { field.isNamed($0) }
    }

    /// Returns the fields that can be stored, and leaves out the others.
    static func stored(_ fields: [HeaderField]) -> String {
        lines(fields.filter(isStorable))
    }

    private static func lines(_ fields: [HeaderField]) -> String {
        let count = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 }
        return String(unsafeUninitializedCapacity: count) { text in
            var end = 0
            func put(_ piece: String) {
                var piece = piece
                piece.withUTF8 { end = text[end...].initialize(fromContentsOf: $0) }
            }
            for field in fields {
                put(field.name)
                put(": ")
                put(field.value)
                put("\n")
            }
            return end
        }
    }

    private static func isStorable(_ field: HeaderField) -> Bool {
        Headers.isValidName(field.name) && Headers.isValidValue(field.value)
    }

    static func fields(of text: String) -> [HeaderField] {
        var text = text
        return text.withUTF8 { fields(UnsafeRawBufferPointer($0)) }
    }

    static func fields(_ bytes: UnsafeRawBufferPointer) -> [HeaderField] {
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

    private static func string(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self)
    }

    /// Remembers the text that was read last, because neighbouring rows usually have the same
    /// headers.
    struct Last {
        private var text: [UInt8] = []
        private var known: [HeaderField] = []

        mutating func fields(_ bytes: UnsafeRawBufferPointer) -> [HeaderField] {
            let isKnown = text.withUnsafeBytes { text in
                text.count == bytes.count && text.elementsEqual(bytes)
            }
            if !isKnown { (text, known) = (Array(bytes), HeaderText.fields(bytes)) }
            return known
        }
    }
}

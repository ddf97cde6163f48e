/// The part of a problem document (RFC 9457) in an answer that matters to the outbox.
package struct OutboxProblem: Equatable, Sendable {
    /// The problem type, usually a URI.
    package var type: String?
    /// Whether the problem is about the Idempotency-Key of the request.
    package var concernsKey: Bool

    package init(type: String? = nil, concernsKey: Bool = false) {
        self.type = type
        self.concernsKey = concernsKey
    }

    /// - Parameter words: The texts of the problem: its type, title, detail and code.
    package init(type: String?, words: [String]) {
        self.init(type: type, concernsKey: words.contains(where: Self.namesKey))
    }

    private static let key = Array("idempoten".utf8)

    /// Byte by byte: `String.contains` would link the whole of Swift's string processing, a MiB.
    private static func namesKey(_ words: String) -> Bool {
        let bytes = Array(words.lowercased().utf8)
        guard bytes.count >= key.count else { return false }
        return (0...bytes.count - key.count).contains { start in
            bytes[start..<start + key.count].elementsEqual(key)
        }
    }
}

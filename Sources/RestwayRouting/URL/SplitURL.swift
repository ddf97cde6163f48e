package import RestwayText

/// The parts of an absolute http or https URL, for programs that read URLs.
package struct SplitURL: Sendable {
    /// The scheme, the host and the port.
    package let origin: Origin
    /// The path, percent-encoded.
    package let path: String
    /// The decoded parameters of the query, in their order.
    package let parameters: [Pair]
    /// The decoded fragment; `nil` for a URL without one.
    package let fragment: String?

    package init(_ text: String) throws(RoutingError) {
        let url = try HTTPURL(text)
        origin = url.origin
        path = url.path
        parameters = Self.parameters(url.query ?? "")
        let hash = text.utf8.firstIndex(of: ASCII.hash)
        fragment = hash.map { Self.decoded(text.utf8[text.utf8.index(after: $0)...]) }
    }

    /// The decoded parameters of a query, in their order.
    static func parameters(_ query: String) -> [Pair] {
        query.utf8.split(separator: UInt8(ascii: "&")).map { parameter in
            // Forms write a space as a plus.
            let text = parameter.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
            let parts = text.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return Pair(
                name: decoded(parts[0]), value: parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    /// Decodes the triplets of a text for C, where a NUL would end it.
    private static func decoded(_ text: some Sequence<UInt8>) -> String {
        let bytes = PercentEncoding.decode(Array(text)[...]).bytes
        // 0xFF is never a part of UTF-8, and so is replaced like other invalid bytes.
        return String(decoding: bytes.map { $0 == 0 ? 0xFF : $0 }, as: UTF8.self)
    }
}

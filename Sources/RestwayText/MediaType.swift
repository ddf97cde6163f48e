/// Media types (RFC 9110, section 8.3.1).
package enum MediaType {
    /// The type that nearly all servers send.
    package static let json = "application/json"

    /// Whether the type is `application/json`, `text/json` or ends in `+json` (RFC 6839).
    package static func isJSON(_ type: String) -> Bool {
        if type == json { return true }
        let essence = essence(type)
        return essence == json || essence == "text/json" || essence.hasSuffix("+json")
    }

    /// Returns the type without parameters, in lower case.
    package static func essence(_ type: String) -> String {
        type.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
    }

    /// Whether `text` names a media type, or a range like `image/*` (RFC 9110, section 12.5.1), and
    /// may stand in a header.
    package static func isRange(_ text: String) -> Bool {
        let parts = essence(text).split(separator: "/", omittingEmptySubsequences: false)
        let isToken = { (part: Substring) in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    ASCII.isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
        }
        return parts.count == 2 && parts.allSatisfy(isToken)
            && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: ",") }
    }

    /// Whether `essence` is one of `ranges`.
    package static func isAccepted(_ essence: String, _ ranges: [String]) -> Bool {
        ranges.contains { range in
            let range = Self.essence(range)
            if range == essence || range == "*/*" { return true }
            return range.hasSuffix("/*") && essence.hasPrefix(range.dropLast())
        }
    }
}

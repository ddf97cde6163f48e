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

    /// Whether the type is HTML, in either syntax.
    package static func isHTML(_ type: String) -> Bool {
        let essence = essence(type)
        return essence == "text/html" || essence == "application/xhtml+xml"
    }

    /// Returns the type without parameters, in lower case.
    package static func essence(_ type: String) -> String {
        type.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
    }

    /// Whether `text` names a media type, or a range like `image/*` (RFC 9110, section 12.5.1), and
    /// may stand in a header.
    package static func isRange(_ text: String) -> Bool {
        let parts = essence(text).split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { ASCII.isToken($0) }
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

/// A media type or a range of media types, with parameters, that answers are compared with (RFC
/// 9110, sections 8.3 and 12.5.1). Equal ranges are written in the same or in other cases.
package struct MediaRange: Hashable, Sendable {
    private let type: String
    private let subtype: String
    private let parameters: [String: String]

    /// - Parameter text: For example `application/vnd.api+json; version="2"`.
    package init(_ text: String) {
        let parts = MediaType.essence(text).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        type = String(parts[0])
        subtype = parts.count > 1 ? String(parts[1]) : ""
        var parameters = HeaderParameters.read(text)
        // Names of charsets have no case; other values do.
        if let charset = parameters["charset"] { parameters["charset"] = charset.lowercased() }
        self.parameters = parameters
    }

    /// How specifically the range names `other`, the media type of an answer; `nil` if it does not
    /// name it. An answer may have parameters that the range does not have.
    ///
    /// A range with more parameters names a type more specifically. The type itself is more
    /// specific than the type of its suffix (`application/json` for `application/problem+json`, RFC
    /// 6839), then come `application/*` and `*/*`.
    package func rank(of other: MediaRange) -> Int? {
        let step = 1 << 16
        guard parameters.allSatisfy({ other.parameters[$0.key] == $0.value }) else { return nil }
        if type == other.type, subtype == other.subtype { return 4 * step + parameters.count }
        if type == "application", subtype == other.suffix { return 3 * step + parameters.count }
        guard subtype == "*" else { return nil }
        if type == other.type { return 2 * step + parameters.count }
        return type == "*" ? step + parameters.count : nil
    }

    /// The structured syntax of the type: `json` for `application/problem+json`.
    private var suffix: String? {
        subtype.utf8.lastIndex(of: UInt8(ascii: "+")).map { place in
            String(subtype[subtype.utf8.index(after: place)...])
        }
    }
}

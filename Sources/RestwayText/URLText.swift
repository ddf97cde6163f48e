/// Functions for the text of URLs.
package enum URLText {
    /// Whether `text` begins with a scheme and "://" (RFC 3986, section 3.1).
    package static func isAbsolute(_ text: String) -> Bool {
        guard let length = schemeLength(of: text) else { return false }
        return text.utf8.dropFirst(length).starts(with: "://".utf8)
    }

    /// Whether `text` begins with a scheme and ":".
    package static func hasScheme(_ text: String) -> Bool {
        schemeLength(of: text) != nil
    }

    /// Removes user and password from `url`, even if it is not a valid URL.
    package static func redacted(_ url: String) -> String {
        let utf8 = url.utf8
        guard utf8.contains(ASCII.at) else { return url }
        var start = utf8.startIndex
        var hasAuthority = utf8.starts(with: "//".utf8)
        if let length = schemeLength(of: url) {
            let rest = utf8.dropFirst(length + 1)
            if rest.first == ASCII.slash {
                start = rest.startIndex
                hasAuthority = true
            }
        }
        start = utf8[start...].firstIndex { $0 != ASCII.slash } ?? utf8.endIndex
        let authorityEnd =
            utf8[start...].firstIndex { $0 == ASCII.slash || ASCII.endsPath($0) } ?? utf8.endIndex
        var at = utf8[start..<authorityEnd].lastIndex(of: ASCII.at)
        let host = utf8[start..<authorityEnd]
        let colon = host.lastIndex(of: ASCII.colon)
        // A path may begin with "a@b"; only "a:b@c" is taken for credentials.
        if !hasAuthority && colon == nil { return url }
        if at == nil, let colon, host.first != UInt8(ascii: "["),
            !host[colon...].dropFirst().allSatisfy(ASCII.isDigit)
        {
            // This is not a port. A password with a slash in it looks like this.
            at = utf8[start...].lastIndex(of: ASCII.at)
        }
        guard let at else { return url }
        return String(url[..<start] + url[utf8.index(after: at)...])
    }

    /// `url` for a log or a message, without credentials, and without its query and fragment, which
    /// may contain a token.
    package static func withoutQuery(_ url: String) -> String {
        let url = redacted(url)
        let end = url.utf8.firstIndex(where: ASCII.endsPath) ?? url.endIndex
        return String(url[..<end])
    }

    /// `text` with its triplets decoded, for reading. Invalid UTF-8 is replaced.
    package static func decoded(_ text: String) -> String {
        String(decoding: PercentEncoding.decode(Array(text.utf8)[...]).bytes, as: UTF8.self)
    }

    /// Returns text like `a=1&b=x%20y`. All characters except unreserved characters are
    /// percent-encoded.
    package static func encodedQuery(_ pairs: [Pair]) -> String {
        var output: [UInt8] = []
        for (index, pair) in pairs.enumerated() {
            if index > 0 { output.append(UInt8(ascii: "&")) }
            PercentEncoding.append(pair.name, keeping: .unreserved, to: &output)
            output.append(UInt8(ascii: "="))
            PercentEncoding.append(pair.value, keeping: .unreserved, to: &output)
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends `pairs` to the query of `url`, which has no fragment.
    package static func appendingQuery(_ pairs: [Pair], to url: String) -> String {
        if pairs.isEmpty { return url }
        guard url.utf8.contains(ASCII.question) else { return url + "?" + encodedQuery(pairs) }
        let isOpen = url.utf8.last == ASCII.question || url.utf8.last == UInt8(ascii: "&")
        return url + (isOpen ? "" : "&") + encodedQuery(pairs)
    }

    /// Removes the parameters called `name` from the query of `url`, which has no fragment.
    package static func withoutParameter(_ name: String, in url: String) -> String {
        let bytes = Array(url.utf8)
        guard let question = bytes.firstIndex(of: ASCII.question) else { return url }
        let name = Array(name.utf8)
        let query = bytes[(question + 1)...]
        var kept = Array(bytes[...question])
        for parameter in query.split(
            separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        {
            let written = parameter.prefix { $0 != UInt8(ascii: "=") }
            if PercentEncoding.decode(written).bytes == name { continue }
            if kept.count > question + 1 { kept.append(UInt8(ascii: "&")) }
            kept += parameter
        }
        if kept.count == question + 1, !query.isEmpty { kept.removeLast() }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Percent-encodes characters that are not allowed in a path and query. Existing triplets are
    /// kept.
    package static func encodedWithoutFragment(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        let end = bytes.firstIndex(of: ASCII.hash) ?? bytes.endIndex
        let pathEnd = bytes[..<end].firstIndex(of: ASCII.question) ?? end
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        PercentEncoding.append(bytes[..<pathEnd], keeping: .path, to: &output)
        if pathEnd < end {
            output.append(ASCII.question)
            PercentEncoding.append(bytes[(pathEnd + 1)..<end], keeping: .query, to: &output)
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The length of the scheme before a ":"; nil if there is no scheme.
    private static func schemeLength(of text: String) -> Int? {
        guard let first = text.utf8.first, ASCII.isLetter(first) else { return nil }
        var length = 0
        for byte in text.utf8 {
            if byte == ASCII.colon { return length }
            if !ASCII.continuesScheme(byte) { return nil }
            length += 1
        }
        return nil
    }
}

/// A name and a value in a list whose order matters.
package struct Pair: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// The grammar of absolute URLs of any scheme (RFC 3986, section 3).
package enum AbsoluteURL {
    /// Whether `text` is a scheme followed by allowed text. After `//` there must be a host, except
    /// for files, and a port is at most 65535. Allocates no memory.
    package static func isValid(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let first = text.first, ASCII.isLetter(first),
            let colon = text.firstIndex(of: ASCII.colon), colon + 1 < text.count,
            text[..<colon].allSatisfy(ASCII.continuesScheme), mayStand(text[(colon + 1)...])
        else { return false }
        let rest = text[(colon + 1)...]
        guard rest.starts(with: "//".utf8) else { return true }
        let authority = rest.dropFirst(2).prefix { $0 != ASCII.slash && !ASCII.endsPath($0) }
        let isFile = text[..<colon].elementsEqual("file".utf8)
        return isFile && authority.isEmpty || isAuthority(authority)
    }

    private static func isAuthority(_ authority: Slice<UnsafeRawBufferPointer>) -> Bool {
        let at = authority.lastIndex(of: ASCII.at)
        var host = at.map { authority[($0 + 1)...] } ?? authority
        if host.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let rest = host[(end + 1)...]
            return end > host.startIndex + 1
                && (rest.isEmpty || rest.first == ASCII.colon && isPort(rest.dropFirst()))
        }
        if let colon = host.firstIndex(of: ASCII.colon) {
            guard isPort(host[(colon + 1)...]) else { return false }
            host = host[..<colon]
        }
        return !host.isEmpty
    }

    private static func isPort(_ digits: Slice<UnsafeRawBufferPointer>) -> Bool {
        var port = 0
        for digit in digits {
            guard ASCII.isDigit(digit) else { return false }
            port = min(port * 10 + Int(digit - 0x30), 65_536)
        }
        return port <= 65_535
    }

    /// Whether `text` has only characters of URLs and whole percent triplets.
    private static func mayStand(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            if byte == ASCII.percent {
                guard PercentEncoding.isTriplet(text[index...]) else { return false }
                index += 3
                continue
            }
            guard byte > 0x20, byte < 0x7F else { return false }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
                UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
                UInt8(ascii: "}"):
                return false
            default:
                index += 1
            }
        }
        return true
    }
}

/// Functions for slashes and dot segments (RFC 3986, section 3.3).
package enum PathSegment {
    /// Whether a segment is "." or "..", also when its dots are percent-encoded.
    package static func isDots(_ segment: ArraySlice<UInt8>) -> Bool {
        dots(segment) != nil
    }

    /// Whether `path` is the same in a URL below a base URL, as most paths are: no character is
    /// encoded, and no segment leads upwards.
    package static func isPlain(_ path: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = path.first, first != ASCII.slash else { return false }
        return path.allSatisfy { byte in
            ASCII.isAlphanumeric(byte) || byte == ASCII.slash || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "_")
        }
    }

    /// Whether following `path` ever leads above its start. Empty segments do not count as going
    /// down, because some servers drop them.
    package static func climbs(_ path: Substring.UTF8View) -> Bool {
        guard path.contains(where: { $0 == ASCII.dot || $0 == ASCII.percent }) else { return false }
        var depth = 0
        for segment in Array(path).split(separator: ASCII.slash) {
            switch dots(segment) {
            case 2?: depth -= 1
            case .some: break
            case nil: depth += 1
            }
            if depth < 0 { return true }
        }
        return false
    }

    /// Removes slashes byte by byte, because a slash and a combining mark after it are one
    /// Character.
    package static func withoutLeadingSlashes(_ text: Substring) -> Substring {
        Substring(text.utf8.drop { $0 == ASCII.slash })
    }

    package static func withoutTrailingSlashes(_ text: Substring) -> Substring {
        var utf8 = text.utf8
        while utf8.last == ASCII.slash { utf8.removeLast() }
        return Substring(utf8)
    }

    /// Returns 1 for ".", 2 for "..", and nil for other segments.
    private static func dots(_ segment: ArraySlice<UInt8>) -> Int? {
        guard (1...6).contains(segment.count) else { return nil }
        let bytes = PercentEncoding.decode(segment).bytes
        return bytes.count <= 2 && bytes.allSatisfy { $0 == ASCII.dot } ? bytes.count : nil
    }
}

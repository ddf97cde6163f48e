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
                guard index + 2 < text.endIndex, ASCII.hexValue(text[index + 1]) != nil,
                    ASCII.hexValue(text[index + 2]) != nil
                else { return false }
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

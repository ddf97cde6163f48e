package import RestwayDocument
import RestwayHTTP
import RestwayText

/// What the entries that can answer a request have in common: method, URL and owner, and for an
/// unsafe method the body.
///
/// Different requests never have equal keys. The text has only ASCII characters, so that keys that
/// compare as equal texts are equal byte by byte.
package struct CacheKey: Sendable, Hashable {
    package let text: String

    /// - Parameter owner: Whose answers these are; see `CacheOwner`.
    package init(_ request: CacheRequest, owner: String) {
        var method = "GET"
        var digest = ""
        if !request.isGetOrHead && request.rules.keepsUnsafe {
            method = request.method
            digest = Self.digest(request.body ?? [])
        }
        let target = Self.target(request.url, request.rules.ignoredParameters)
        let owner = PercentEncoding.encode(owner, keeping: .unreserved)
        text = "\(method) \(target) \(digest) \(owner)"
    }

    private static func digest(_ body: [UInt8]) -> String {
        guard let computation = DigestComputation(.sha256) else {
            preconditionFailure("libcrypto has no SHA-256")
        }
        body.withUnsafeBytes { computation.add($0) }
        return computation.finishAsText()
    }
}

extension CacheKey {
    /// The URL as it stands in a key: scheme and host in lower case, without a default port and a
    /// fragment, percent triplets in capitals, and the parameters of the query sorted by name.
    /// Parameters of one name keep their order, because it may mean something.
    package static func target(
        _ url: String, _ ignored: CacheRules.IgnoredParameters = .none
    ) -> String {
        let bytes = Array(url.utf8)
        let end = bytes.firstIndex(of: ASCII.hash) ?? bytes.endIndex
        let pathStart = authorityEnd(bytes[..<end])
        let queryStart = bytes[pathStart..<end].firstIndex(of: ASCII.question)
        var output = authority(bytes[..<pathStart])
        if bytes[pathStart..<(queryStart ?? end)].isEmpty { output.append(ASCII.slash) }
        append(bytes[pathStart..<(queryStart ?? end)], to: &output)
        if let queryStart {
            appendQuery(bytes[(queryStart + 1)..<end], ignored, to: &output)
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func authorityEnd(_ bytes: ArraySlice<UInt8>) -> Int {
        guard let colon = bytes.firstIndex(of: ASCII.colon) else { return bytes.startIndex }
        let start = bytes[(colon + 1)...].firstIndex { $0 != ASCII.slash } ?? bytes.endIndex
        return bytes[start...].firstIndex { $0 == ASCII.slash || ASCII.endsPath($0) }
            ?? bytes.endIndex
    }

    private static func authority(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let text = bytes.map(ASCII.lowercased)
        for (scheme, port) in [("http:", ":80"), ("https:", ":443")] {
            let end = text.suffix(port.utf8.count)
            if text.starts(with: scheme.utf8), end.elementsEqual(port.utf8) {
                return Array(text.dropLast(port.utf8.count))
            }
        }
        return text
    }

    private static func appendQuery(
        _ query: ArraySlice<UInt8>, _ ignored: CacheRules.IgnoredParameters,
        to output: inout [UInt8]
    ) {
        if ignored == .all { return }
        var parameters: [(name: [UInt8], text: [UInt8])] = []
        for parameter in query.split(
            separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        {
            let name = parameter.prefix { $0 != UInt8(ascii: "=") }
            if case .named(let names) = ignored, isNamed(name, names) { continue }
            var normal: (name: [UInt8], text: [UInt8]) = ([], [])
            append(name, to: &normal.name)
            append(parameter, to: &normal.text)
            parameters.append(normal)
        }
        // The sort of the standard library keeps the order of equal elements.
        parameters.sort { $0.name.lexicographicallyPrecedes($1.name) }
        for (index, parameter) in parameters.enumerated() {
            output.append(index == 0 ? ASCII.question : UInt8(ascii: "&"))
            output += parameter.text
        }
    }

    private static func isNamed(_ name: ArraySlice<UInt8>, _ names: [String]) -> Bool {
        let spaced = name.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        let decoded = PercentEncoding.decode(spaced[...]).bytes
        return names.contains { $0.utf8.elementsEqual(decoded) }
    }

    /// Appends text of a URL. The digits of triplets become capitals (RFC 3986, section 6.2.2.1),
    /// and what no URL has becomes a triplet.
    private static func append(_ source: ArraySlice<UInt8>, to output: inout [UInt8]) {
        var index = source.startIndex
        while index < source.endIndex {
            let byte = source[index]
            if byte == ASCII.percent, PercentEncoding.isTriplet(source[index...]) {
                output.append(byte)
                output.append(capital(source[index + 1]))
                output.append(capital(source[index + 2]))
                index += 3
                continue
            }
            if byte > 0x20 && byte < 0x7F {
                output.append(byte)
            } else {
                output.append(ASCII.percent)
                output.append(ASCII.upperHexDigit(byte >> 4))
                output.append(ASCII.upperHexDigit(byte & 0xF))
            }
            index += 1
        }
    }

    private static func capital(_ digit: UInt8) -> UInt8 {
        ASCII.isLetter(digit) ? digit & ~0x20 : digit
    }
}

/// Whose answers are kept together. Texts of different owners are never equal.
package enum CacheOwner {
    /// - Parameters:
    ///   - discriminator: What the program calls the user; it comes before the holder.
    ///   - holder: The holder of the credential; `nil` for a request without one.
    package static func text(discriminator: String?, holder: UInt64?) -> String {
        if let discriminator { return "d" + discriminator }
        return holder.map { "h" + String($0, radix: 16) } ?? ""
    }
}

package import RestwayDocument
import RestwayHTTP
import RestwayText

/// The properties by which entries that can answer a request are found: method, URL and owner, the
/// media types that the route accepts, and for an unsafe method the route, the header fields and
/// the body.
///
/// Different requests never have equal keys. The text has only ASCII characters, so that keys that
/// compare as equal texts are equal byte by byte.
package struct CacheKey: Sendable, Hashable {
    package let text: String

    /// - Parameters:
    ///   - owner: Whose answers these are; see `OwnerText`.
    ///   - route: The name of the route; it counts for unsafe methods.
    package init(_ request: CacheRequest, owner: String, route: String? = nil) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(request.url.utf8.count + owner.utf8.count + 80)
        let hasBody = !request.isGetOrHead && request.rules.keepsUnsafe
        bytes += (hasBody ? request.method : "GET").utf8
        bytes.append(Self.separator)
        bytes += Self.normal(request.url, request.rules.ignoredParameters)
        bytes.append(Self.separator)
        if hasBody {
            bytes += Self.digest(Self.operation(request, route)).utf8
        } else if !request.accepted.isEmpty {
            bytes += Self.digest(Array(Self.types(request.accepted).utf8)).utf8
        }
        bytes.append(Self.separator)
        if !owner.isEmpty { PercentEncoding.append(owner, keeping: .unreserved, to: &bytes) }
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// Everything of an unsafe request that may say what it asks for. APIs with one URL name the
    /// operation in a header field (`X-Amz-Target`, `SOAPAction`), the media type or the body.
    private static func operation(_ request: CacheRequest, _ route: String?) -> [UInt8] {
        let fields = request.headers.fields
            .map { (name: ASCII.lowercased($0.name), value: $0.value) }
            .filter { !uncountedNames.contains($0.name) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        // A line of a header field holds no line feed, and the body follows the empty line.
        var text = (route ?? "") + "\n" + types(request.accepted) + "\n"
        for field in fields { text += "\(field.name): \(field.value)\n" }
        return Array((text + "\n").utf8) + (request.body ?? [])
    }

    /// Header fields that do not say what a request asks for: another value in each request, or
    /// what the program wants of caches.
    private static let uncountedNames: Set<String> = [
        "cache-control", "expect", "idempotency-key", "pragma", "traceparent", "tracestate",
    ]

    private static func types(_ accepted: [String]) -> String {
        accepted.joined(separator: ",")
    }

    /// No part of a key has a space.
    private static let separator = UInt8(ascii: " ")

    static func digest(_ bytes: [UInt8]) -> String {
        guard let computation = DigestComputation(.sha256) else {
            preconditionFailure("libcrypto has no SHA-256")
        }
        bytes.withUnsafeBytes { computation.add($0) }
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
        String(decoding: normal(url, ignored), as: UTF8.self)
    }

    /// - Parameter colon: Where the scheme ends.
    private static func hasDefaultPort(_ authority: ArraySlice<UInt8>, _ colon: Int) -> Bool {
        // Only "https" has five letters.
        let port: StaticString = colon == 5 ? ":443" : ":80"
        return authority.suffix(port.utf8CodeUnitCount)
            .elementsEqual(
                UnsafeBufferPointer(start: port.utf8Start, count: port.utf8CodeUnitCount))
    }

    private static func normal(
        _ url: String, _ ignored: CacheRules.IgnoredParameters
    ) -> [UInt8] {
        var bytes = Array(url.utf8)
        if let end = bytes.firstIndex(of: ASCII.hash) { bytes.removeSubrange(end...) }
        let pathStart = normalizeAuthority(&bytes)
        if bytes[pathStart...].contains(where: isOdd) {
            var text = Array(bytes[..<pathStart])
            append(bytes[pathStart...], to: &text)
            bytes = text
        }
        if let question = bytes[pathStart...].firstIndex(of: ASCII.question) {
            sortQuery(&bytes, question, ignored)
        }
        return bytes
    }

    /// Writes the scheme and the host in their normal form, and adds the path "/" to a URL without
    /// a path. Returns the index at which the path begins.
    private static func normalizeAuthority(_ bytes: inout [UInt8]) -> Int {
        let colon = bytes.firstIndex(of: ASCII.colon) ?? 0
        let start = bytes[colon...].dropFirst().firstIndex { $0 != ASCII.slash } ?? bytes.count
        var end =
            bytes[start...].firstIndex { $0 == ASCII.slash || ASCII.endsPath($0) } ?? bytes.count
        for index in 0..<end { bytes[index] = ASCII.lowercased(bytes[index]) }
        if hasDefaultPort(bytes[..<end], colon) {
            let port = bytes[..<end].lastIndex(of: ASCII.colon) ?? end
            bytes.removeSubrange(port..<end)
            end = port
        }
        if end == bytes.count || bytes[end] != ASCII.slash { bytes.insert(ASCII.slash, at: end) }
        return end
    }

    /// Sorts the parameters behind the question mark, and leaves out those that do not count.
    private static func sortQuery(
        _ bytes: inout [UInt8], _ question: Int, _ ignored: CacheRules.IgnoredParameters
    ) {
        if ignored == .all {
            bytes.removeSubrange(question...)
            return
        }
        var parameters = bytes[(question + 1)...].split(
            separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        if case .named(let names) = ignored {
            parameters.removeAll { isNamed(name(of: $0), names) }
        }
        // The sort of the standard library keeps the order of equal elements.
        parameters.sort { name(of: $0).lexicographicallyPrecedes(name(of: $1)) }
        var query: [UInt8] = []
        for parameter in parameters {
            query.append(query.isEmpty ? ASCII.question : UInt8(ascii: "&"))
            query += parameter
        }
        bytes.replaceSubrange(question..., with: query)
    }

    private static func name(of parameter: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        parameter.prefix { $0 != UInt8(ascii: "=") }
    }

    private static func isNamed(_ name: ArraySlice<UInt8>, _ names: [String]) -> Bool {
        let spaced = name.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        let decoded = PercentEncoding.decode(spaced[...]).bytes
        return names.contains { $0.utf8.elementsEqual(decoded) }
    }

    /// Whether a byte has other forms, or does not stand in a URL.
    private static func isOdd(_ byte: UInt8) -> Bool {
        byte == ASCII.percent || byte <= 0x20 || byte >= 0x7F
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
            if byte == ASCII.percent || !isOdd(byte) {
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

/// How keys and files write for whom an answer is kept (`EntryOwner`, or everybody). Texts of
/// different owners are never equal.
package enum OwnerText {
    /// In a removal: everybody but discriminators.
    static let undiscriminated = "-"
    static let holderMark = "h"
    private static let discriminatorMark = "d"

    /// - Parameters:
    ///   - discriminator: What the program calls the user; it comes before the holder.
    ///   - holder: The holder of the credential; `nil` for a request without one.
    package static func text(discriminator: String?, holder: UInt64?) -> String {
        if let discriminator { return discriminatorMark + discriminator }
        return holder.map { holderMark + String($0, radix: 16) } ?? ""
    }

    static func discriminator(of owner: String) -> String? {
        owner.utf8.first == discriminatorMark.utf8.first
            ? String(decoding: owner.utf8.dropFirst(), as: UTF8.self) : nil
    }
}

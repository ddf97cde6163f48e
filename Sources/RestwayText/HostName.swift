/// Converts host names to ASCII, and tells names from addresses.
///
/// libcurl can convert names too, but only if the process has a UTF-8 locale, which a library
/// cannot require.
package enum HostName {
    /// The host in lower case, with labels of other characters as A-labels (RFC 5890, section
    /// 2.3.2.1); nil if that is not possible. Characters must be composed (NFC).
    package static func ascii(_ host: String) -> String? {
        if host.utf8.allSatisfy({ $0 < 0x80 }) { return ASCII.lowercased(host) }
        var labels: [String] = []
        for label in host.split(separator: ".", omittingEmptySubsequences: false) {
            guard let label = ascii(label: label) else { return nil }
            labels.append(label)
        }
        return labels.joined(separator: ".")
    }

    /// Whether a host is an IP address, which has no subdomains. An IPv6 address may be in
    /// brackets.
    package static func isAddress(_ host: String) -> Bool {
        host.utf8.contains(ASCII.colon)
            || host.utf8.allSatisfy { ASCII.isDigit($0) || $0 == ASCII.dot }
    }

    private static func ascii(label: Substring) -> String? {
        var lower = String.UnicodeScalarView()
        for scalar in label.unicodeScalars {
            lower.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
        }
        if lower.allSatisfy(\.isASCII) { return String(lower) }
        guard lower.count <= 63, lower.allSatisfy(mayStand),
            let encoded = Punycode.encode(Array(lower))
        else { return nil }
        let result = "xn--" + encoded
        return result.utf8.count <= 63 ? result : nil
    }

    /// Accepts letters, marks and digits (RFC 5892, section 2.1), as far as the standard library
    /// knows them.
    private static func mayStand(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark,
            .decimalNumber:
            true
        default:
            scalar == "-"
        }
    }
}

/// Encodes Unicode as letters, digits and hyphens (RFC 3492).
enum Punycode {
    private static let base = 36
    private static let leastThreshold = 1
    private static let mostThreshold = 26

    /// Encodes a label (RFC 3492, section 6.3). Returns nil for more than a label of a host can
    /// have (63 scalars). Within this limit no number below overflows.
    static func encode(_ input: [Unicode.Scalar]) -> String? {
        guard input.count <= 63 else { return nil }
        var output = input.filter(\.isASCII).map { UInt8($0.value) }
        let basicCount = output.count
        var handled = basicCount
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var bound = 128
        var delta = 0
        var bias = 72
        while handled < input.count {
            let next = input.lazy.map { Int($0.value) }.filter { $0 >= bound }.min() ?? bound
            delta += (next - bound) * (handled + 1)
            bound = next
            for scalar in input {
                if scalar.value < bound { delta += 1 }
                guard scalar.value == bound else { continue }
                append(delta, bias: bias, to: &output)
                bias = adapt(delta, count: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            bound += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends a variable-length integer (RFC 3492, section 3.3).
    private static func append(_ delta: Int, bias: Int, to output: inout [UInt8]) {
        var rest = delta
        var step = base
        while true {
            let threshold = min(max(step - bias, leastThreshold), mostThreshold)
            if rest < threshold { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            step += base
        }
        output.append(digit(rest))
    }

    /// Adapts the bias (RFC 3492, section 6.1).
    private static func adapt(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - leastThreshold) * mostThreshold / 2 {
            delta /= base - leastThreshold
            steps += base
        }
        return steps + (base - leastThreshold + 1) * delta / (delta + 38)
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? Int(UInt8(ascii: "a")) + value : Int(UInt8(ascii: "0")) + value - 26)
    }
}

/// Converts host names to ASCII.
///
/// libcurl can do this too, but only if the process has a UTF-8 locale, which a library cannot
/// require.
enum HostName {
    /// The host in lower case, with labels of other characters as A-labels (RFC 5890, section
    /// 2.3.2.1); nil if that is not possible. Characters must be composed (NFC).
    static func ascii(_ host: String) -> String? {
        if host.utf8.allSatisfy({ $0 < 0x80 }) { return ASCII.lowercased(host) }
        var labels: [String] = []
        for label in host.split(separator: ".", omittingEmptySubsequences: false) {
            guard let label = ascii(label: label) else { return nil }
            labels.append(label)
        }
        return labels.joined(separator: ".")
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

import RestwayText

/// The header that tells a server in which languages the program wants its answers (RFC 9110,
/// section 12.5.4).
package enum AcceptLanguage {
    package static let name = "Accept-Language"

    /// The longest list: its last language has the weight 0.1.
    package static let languagesMax = 10

    /// Returns the value for a list of at most `languagesMax` languages, the preferred one first.
    package static func value(_ languages: [String]) -> String {
        languages.enumerated().map { index, language in
            index == 0 ? language : "\(language);q=0.\(languagesMax - index)"
        }.joined(separator: ", ")
    }

    /// Whether `text` is a language range (RFC 4647, section 2.1): "de-CH", or "*" for any
    /// language.
    package static func isRange(_ text: String) -> Bool {
        if text == "*" { return true }
        let parts = text.utf8.split(
            separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts[0].allSatisfy(ASCII.isLetter)
            && parts.allSatisfy { part in
                (1...8).contains(part.count) && part.allSatisfy(ASCII.isAlphanumeric)
            }
    }
}

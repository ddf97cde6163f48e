/// Why a text is not a date format.
package enum DateFormatError: Error, Equatable, Sendable {
    case unknownLetter(String)
    case unsupportedWidth(String)
    case unterminatedQuote
    case noField

    package var message: String {
        switch self {
        case .unknownLetter(let letter): "\"\(letter)\" is not a field of a date pattern"
        case .unsupportedWidth(let field): "\"\(field)\" is not supported in a date pattern"
        case .unterminatedQuote: "a quote of the date pattern has no end"
        case .noField: "the date pattern has no field"
        }
    }
}

/// Why a body cannot be decoded.
package enum BodyError: Error, Equatable, Sendable {
    /// The decoded body would exceed the limit.
    case tooLarge(bytesMax: Int)
    /// The compressed stream ends too early.
    case truncated(coding: String)
    /// The compressed stream is invalid.
    case corrupt(coding: String)
    /// More bytes follow the end of the compressed stream.
    case trailingBytes(coding: String, count: Int)
    case unknownCoding(String)
    case tooManyCodings(max: Int)
    case outOfMemory

    package var message: String {
        switch self {
        case .tooLarge(let bytesMax):
            "the decoded body is larger than \(bytesMax) bytes"
        case .truncated(let coding):
            "the \(coding) body is truncated"
        case .corrupt(let coding):
            "the \(coding) body is corrupt"
        case .trailingBytes(let coding, let count):
            "\(count) bytes stand behind the end of the \(coding) body"
        case .unknownCoding(let name):
            "the body's content coding is unknown: \(name)"
        case .tooManyCodings(let max):
            "the body has more than \(max) content codings"
        case .outOfMemory:
            "no memory is left to decode the body"
        }
    }
}

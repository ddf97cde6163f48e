/// Why a text is not valid or not usable JSON.
package enum JSONError: Error, Equatable, Sendable {
    /// Lines and columns count from 1, bytes from 0. The reason never quotes the text.
    case malformed(line: Int, column: Int, byteOffset: Int, reason: String)
    case tooDeep(max: Int)
    case empty
    case outOfMemory

    package var message: String {
        switch self {
        case .malformed(let line, let column, let byteOffset, let reason):
            "not valid JSON: \(reason) at line \(line), column \(column) (byte \(byteOffset))"
        case .tooDeep(let max):
            "JSON nested deeper than \(max) levels"
        case .empty:
            "no JSON: the text is empty"
        case .outOfMemory:
            "out of memory while reading JSON"
        }
    }
}

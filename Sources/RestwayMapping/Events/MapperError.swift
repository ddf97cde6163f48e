/// Why a body could not be read.
package struct MapperError: Error, Equatable, Sendable {
    /// The message, which quotes no part of the body.
    package let message: String
    /// The line and column count from 1, the offset from 0. All are 0 if the place is not known.
    package let line: Int
    package let column: Int
    package let byteOffset: Int

    package init(_ message: String, line: Int = 0, column: Int = 0, byteOffset: Int = 0) {
        self.message = message
        self.line = line
        self.column = column
        self.byteOffset = byteOffset
    }
}

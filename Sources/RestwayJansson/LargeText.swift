import RestwayJSON

/// The limits that decide how large texts are divided.
package struct LargeText: Sendable {
    /// A text up to this size becomes one tree.
    package var bytesMin = 64 << 10
    /// Elements of a list are parsed together until they have this size.
    package var partBytes = 8 << 10
    /// Containers deeper than this are not divided: each level scans the text once more.
    package var openedDepthMax = 4
    /// Objects with more members are not divided. They are collections, and all their keys would
    /// have to be kept to detect duplicates.
    package var membersMax = 64

    package init() {}

    /// A placeholder. `TextWalker.large` determines the place of the error.
    static let malformed = JSONError.malformed(
        line: 1, column: 1, byteOffset: 0, reason: "misplaced bracket or comma")
}

import RestwayJSON

/// How large texts are taken apart.
package struct LargeText: Sendable {
    /// What is not larger than this becomes a tree as a whole.
    package var bytesMin = 64 << 10
    /// Elements of a list are read together until they have this size.
    package var partBytes = 8 << 10
    /// Containers deeper than this are not opened: each opening looks through the text once more.
    package var openedDepthMax = 4
    /// Objects with more members are not opened: those are collections, whose keys would all have
    /// to be kept to see whether one comes twice.
    package var membersMax = 64

    package init() {}

    /// A placeholder: `TextWalker.large` finds out where it is wrong.
    static let malformed = JSONError.malformed(
        line: 1, column: 1, byteOffset: 0, reason: "misplaced bracket or comma")
}

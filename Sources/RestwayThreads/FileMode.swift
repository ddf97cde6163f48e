/// The permissions of a file that the library creates.
///
/// The owner can always read and write the file. It is never executable.
package struct FileMode: Equatable, Sendable {
    /// The permission bits, as in `chmod`.
    package let bits: UInt32

    package static let ownerOnly = FileMode(0o600)!

    /// Checks the bits; `nil` if a file of the library cannot have them.
    package init?(_ bits: Int64) {
        guard bits & 0o600 == 0o600, bits & ~0o666 == 0 else { return nil }
        self.bits = UInt32(bits)
    }

    /// - Parameter octal: The bits in octal, as in "0640".
    package init?(octal: String) {
        guard (3...4).contains(octal.utf8.count), octal.utf8.count == 3 || octal.hasPrefix("0"),
            let bits = Int64(octal, radix: 8)
        else { return nil }
        self.init(bits)
    }
}

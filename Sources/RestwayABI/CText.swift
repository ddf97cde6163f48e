import Glibc

/// A NUL-terminated copy of a string, for as long as this lives.
///
/// `@unchecked Sendable`: nothing changes the bytes after `init`.
final class CText: @unchecked Sendable {
    let pointer: UnsafePointer<CChar>

    init(_ text: String) {
        // Given to C as it is, a string is copied into an array first.
        guard let copy = text.withCString({ strdup($0) }) else {
            preconditionFailure("out of memory")
        }
        pointer = UnsafePointer(copy)
    }

    convenience init?(_ text: String?) {
        guard let text else { return nil }
        self.init(text)
    }

    deinit {
        free(UnsafeMutableRawPointer(mutating: pointer))
    }
}

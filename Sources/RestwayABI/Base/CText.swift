import Glibc

/// A NUL-terminated copy of a string, which lives as long as this object.
///
/// `@unchecked Sendable`: nothing changes the bytes after `init`.
final class CText: @unchecked Sendable {
    let pointer: UnsafePointer<CChar>

    init(_ text: String) {
        // Passing the string to C directly would first copy it into an array.
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

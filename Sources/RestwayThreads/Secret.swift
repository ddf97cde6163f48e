import Glibc

/// A text that must not outlive its use. Its bytes are overwritten when the last reference is
/// released.
///
/// Copies that are made for sending (a header, a body) are not overwritten here. They live only as
/// long as their exchange.
///
/// `@unchecked Sendable`: the bytes do not change between `init` and `deinit`.
package final class Secret: @unchecked Sendable {
    private let bytes: UnsafeMutableBufferPointer<UInt8>

    private let inspect: (([UInt8]) -> Void)?

    /// - Parameter inspect: Receives the bytes just before the memory is freed; for tests.
    package init(_ text: String, inspect: (([UInt8]) -> Void)? = nil) {
        self.inspect = inspect
        let utf8 = text.utf8
        bytes = .allocate(capacity: utf8.count)
        _ = bytes.initialize(from: utf8)
    }

    deinit {
        // A compiler may remove memset for memory that is not read again; it keeps this call.
        if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        inspect?(Array(bytes))
        bytes.deallocate()
    }

    /// A copy of the text. Keep it no longer than sending takes.
    package var revealed: String { String(decoding: bytes, as: UTF8.self) }

    /// Lends the text as a C string while `body` runs; `nil` gives NULL. The copy is overwritten
    /// afterwards.
    package static func lend(
        _ secret: Secret?, _ body: (UnsafePointer<CChar>?) -> Void
    ) {
        guard let secret else { return body(nil) }
        let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: secret.bytes.count + 1)
        copy.initialize(repeating: 0)
        for (index, byte) in secret.bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
        defer {
            explicit_bzero(copy.baseAddress!, copy.count)
            copy.deallocate()
        }
        body(copy.baseAddress)
    }

    package var isEmpty: Bool { bytes.isEmpty }
}

extension Secret: Equatable {
    package static func == (left: Secret, right: Secret) -> Bool {
        left.bytes.elementsEqual(right.bytes)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[secret]" }
    package var debugDescription: String { "[secret]" }
    /// A dump must not show the text either.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

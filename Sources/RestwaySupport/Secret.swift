import Glibc

/// A text that must not outlive its use: its bytes are overwritten when the last reference goes.
///
/// What is made of it on the way to the wire (a header, a body) is a copy that this cannot reach;
/// those live only as long as their exchange.
///
/// `@unchecked Sendable`: nothing changes the bytes between `init` and `deinit`.
package final class Secret: @unchecked Sendable {
    private let bytes: UnsafeMutableBufferPointer<UInt8>

    private let inspect: (([UInt8]) -> Void)?

    /// - Parameter inspect: Shown the memory right before it is given back: for tests.
    package init(_ text: String, inspect: (([UInt8]) -> Void)? = nil) {
        self.inspect = inspect
        let utf8 = text.utf8
        bytes = .allocate(capacity: utf8.count)
        _ = bytes.initialize(from: utf8)
    }

    deinit {
        // Unlike memset, which may be left out for memory that nobody reads again.
        if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        inspect?(Array(bytes))
        bytes.deallocate()
    }

    /// A copy of the text. Keep it no longer than it takes to send it.
    package var revealed: String { String(decoding: bytes, as: UTF8.self) }

    /// The text as C sees it, for as long as `body` runs; `nil` gives NULL. The copy is
    /// overwritten.
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
    /// Not even a dump shows it.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

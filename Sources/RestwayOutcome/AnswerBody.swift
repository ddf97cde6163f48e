import Glibc
import RestwayHTTP
import RestwayJSON
import RestwayMapping
import RestwayText
import RestwayThreads

/// Where the body of an answer is.
package enum BodyPlace: Sendable {
    /// In memory, without its content coding.
    case memory(Body)
    /// In a file of the response cache. It still has to be read, or brought to where the request
    /// wants it.
    case kept(CachedBodyFile)
    /// In a file, or with the program.
    case saved(SavedBody)
    /// Nowhere: it was dropped while it arrived, or the answer broke off.
    case dropped
}

/// The bytes of a body, followed by a NUL for C.
package struct Body: Sendable {
    /// The bytes and the NUL, so that the array is never empty.
    package let bytesAndNUL: [UInt8]

    package static let empty = Body()

    /// Takes over `bytes`, without a copy if nothing else holds them.
    package init(_ bytes: consuming [UInt8] = []) {
        var bytes = bytes
        bytes.reserveCapacity(bytes.count + 1 + MappingLimits.paddingCount)
        bytes.append(0)
        bytesAndNUL = bytes
    }

    /// Copies `bytes`.
    package init(copying bytes: UnsafeRawBufferPointer) {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count + 1 + MappingLimits.paddingCount)
        copy.append(contentsOf: bytes)
        self.init(consume copy)
    }

    package var count: Int { bytesAndNUL.count - 1 }
    package var isEmpty: Bool { count == 0 }

    /// Whether the body is only white space, as JSON defines it, after an optional byte order mark.
    package var isBlank: Bool {
        withBytes { bytes in
            JSONValue.withoutByteOrderMark(bytes).allSatisfy(ASCII.isJSONSpace)
        }
    }

    /// Whether the body may be JSON whatever its type is: some servers send JSON as `text/plain`.
    package var looksLikeJSON: Bool {
        let first = bytesAndNUL.first { !ASCII.isJSONSpace($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// The body as a reader of JSON takes it: in UTF-8, also if the server has sent it in another
    /// charset, which `contentType` names.
    package func forJSON(contentType: String?) -> Body {
        withBytes { BodyText.declared($0, contentType: contentType) }.map { Body($0) } ?? self
    }

    /// Calls `body` with the bytes without the NUL.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytesAndNUL.withUnsafeBytes { body(.init(rebasing: $0.dropLast())) }
    }
}

/// A body that was not kept in memory: it was saved in a file, or given to the program.
package struct SavedBody: Sendable {
    /// The path of the file as the program gave it; `nil` if the program got the bytes.
    package let path: String?
    /// The number of bytes, without a content coding.
    package let length: Int64
    /// The SHA-256 digest in hexadecimal digits; `nil` if it was not asked for.
    package let digest: String?
    /// The number of bytes that were there before the last exchange, so that it did not send them.
    package let resumedFrom: Int64
    /// Removes the file when the last response that refers to it has ended; `nil` if it stays.
    private let temporary: TemporaryFile?
    /// The bytes in the file, for the response cache; `nil` if it cannot keep the body.
    package let content: SavedContent?

    package init(
        path: String?, length: Int64, digest: String?, resumedFrom: Int64,
        temporary: TemporaryFile? = nil, content: SavedContent? = nil
    ) {
        self.path = path
        self.length = length
        self.digest = digest
        self.resumedFrom = resumedFrom
        self.temporary = temporary
        self.content = content
    }
}

/// The bytes of a saved body, for who reads them before the call ends.
package final class SavedContent: Sendable {
    private let descriptor: Lock<Int32>

    /// Fails if no descriptor is free.
    package init?(duplicating descriptor: Int32) {
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return nil }
        self.descriptor = Lock(own)
    }

    deinit { end() }

    /// The descriptor. It can be read at any position until `end`; its own position is shared and
    /// must not be moved.
    package var number: Int32? { descriptor.withLock { $0 >= 0 ? $0 : nil } }

    /// Gives the descriptor back, because responses may live long.
    package func end() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }
}

/// A file that is removed when the last reference to this object has ended, unless the program has
/// moved it.
package final class TemporaryFile: Sendable {
    private let path: String
    private let generation = ProcessGeneration.current

    package init(path: String) {
        self.path = path
    }

    // A forked child has no part in the files of its parent.
    deinit { if generation == ProcessGeneration.current { unlink(path) } }
}

/// A kept body in a file, without its content coding.
package struct CachedBodyFile: Sendable {
    package let path: String
    package let length: Int64
    /// Keeps the file from being collected as long as it lives.
    package let keeper: any AnyObject & Sendable

    package init(path: String, length: Int64, keeper: any AnyObject & Sendable) {
        self.path = path
        self.length = length
        self.keeper = keeper
    }
}

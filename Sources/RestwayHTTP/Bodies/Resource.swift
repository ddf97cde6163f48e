import Glibc
import RestwayText
import RestwayThreads
import Synchronization

/// Bytes, a file or a descriptor that is sent as a body or as a part of one. It never changes, but
/// its file may.
package final class Resource: Sendable {
    package enum Content: Sendable {
        case bytes([UInt8])
        case file(path: String)
        case descriptor(ResourceDescriptor)
    }

    package let content: Content
    /// The name of the file in a multipart body; `nil` if it has none.
    package let name: String?
    package let mediaType: String
    private let digests = Lock<[DigestAlgorithm: KnownDigest]>([:])

    /// A digest, and the state of the file of which it is the digest.
    private struct KnownDigest {
        let bytes: [UInt8]
        let state: FileState?
    }

    /// - Parameters:
    ///   - name: `nil` takes the last part of a file's path.
    ///   - mediaType: `nil` takes what the system knows of the name.
    package init(_ content: Content, name: String?, mediaType: String?) {
        self.content = content
        var ownName = name
        if ownName == nil, case .file(let path) = content {
            ownName = path.split(separator: "/").last.map { String($0) }
        }
        self.name = ownName
        self.mediaType = mediaType ?? NamedMediaTypes.type(of: ownName)
    }

    /// The bytes, if they are in memory.
    package var bytes: [UInt8]? {
        if case .bytes(let bytes) = content { bytes } else { nil }
    }

    /// The name of the resource in messages.
    var title: String {
        switch content {
        case .bytes: "the resource"
        case .file(let path): "the file \"\(path)\""
        case .descriptor: name.map { "the file \"\($0)\"" } ?? "the descriptor"
        }
    }

    /// The size of the resource now, and the state of its file. It asks the file system.
    package func extent() throws(ResourceError) -> ResourceExtent {
        switch content {
        case .bytes(let bytes):
            return ResourceExtent(length: Int64(bytes.count))
        case .file(let path):
            var status = stat()
            guard stat(path, &status) == 0 else { throw .system("cannot find", title) }
            guard let state = FileState(regular: status) else {
                throw ResourceError("\(title) is not a regular file")
            }
            return ResourceExtent(length: state.size, state: state)
        case .descriptor(let descriptor):
            guard descriptor.start != nil else { return ResourceExtent(length: nil) }
            let state = try descriptor.state(title)
            return ResourceExtent(length: descriptor.length(state), state: state)
        }
    }

    /// Returns a text that is different after the resource has changed. It reads the bytes only if
    /// they are in memory.
    package func fingerprint(_ extent: ResourceExtent) throws(ResourceError) -> String {
        guard let state = extent.state else { return Base64.encode(try digest(.sha256)) }
        let numbers = [
            state.size, extent.length ?? -1, Int64(state.modifiedSeconds),
            Int64(state.modifiedNanoseconds), Int64(bitPattern: state.device),
            Int64(bitPattern: state.inode),
        ]
        return numbers.map { String($0) }.joined(separator: " ")
    }

    /// Returns the digest of the present bytes. It reads the whole file, unless the file is as it
    /// was when it was read before.
    package func digest(_ algorithm: DigestAlgorithm) throws(ResourceError) -> [UInt8] {
        let extent = try extent()
        guard extent.length != nil else {
            throw ResourceError(isMisuse: true, "\(title) can be read only once, to be sent")
        }
        let known = digests.withLock { $0[algorithm] }
        if let known, known.state == extent.state { return known.bytes }
        guard let computation = DigestComputation(algorithm) else {
            throw ResourceError("libcrypto does not offer the digest that was asked for")
        }
        let reader = ResourceReader(self, extent)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = try reader.read(into: buffer)
            guard count > 0 else { break }
            computation.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        let bytes = computation.finish()
        digests.withLock { $0[algorithm] = KnownDigest(bytes: bytes, state: extent.state) }
        return bytes
    }
}

/// The size of a resource at one moment.
package struct ResourceExtent: Sendable {
    /// The number of bytes; `nil` if it is not known before the end.
    package let length: Int64?
    /// The state of the file; `nil` if the resource is no regular file.
    package let state: FileState?

    init(length: Int64?, state: FileState? = nil) {
        self.length = length
        self.state = state
    }
}

/// The state of a regular file at one moment, by which a change shows.
package struct FileState: Equatable, Sendable {
    let device: UInt64
    let inode: UInt64
    let size: Int64
    let modifiedSeconds: Int
    let modifiedNanoseconds: Int

    /// Returns `nil` if `status` does not belong to a regular file.
    init?(regular status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modifiedSeconds = status.st_mtim.tv_sec
        modifiedNanoseconds = status.st_mtim.tv_nsec
    }

    /// Returns `nil` if the descriptor does not refer to a regular file.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(regular: status)
    }
}

/// The descriptor of a resource: a duplicate, which is closed with the resource.
package final class ResourceDescriptor: Sendable {
    let number: Int32
    /// Where a regular file begins; `nil` for a pipe or a socket, which can be read only once.
    let start: Int64?
    private let wasTaken = Atomic<Bool>(false)

    /// Duplicates the program's descriptor.
    ///
    /// - Parameter offset: Where a regular file begins; -1 for its present offset.
    package init(duplicating descriptor: Int32, offset: Int64) throws(ResourceError) {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0 else { throw .system("cannot use", "descriptor \(descriptor)") }
        guard flags & O_ACCMODE != O_WRONLY else {
            throw ResourceError("descriptor \(descriptor) is not open for reading")
        }
        if FileState(of: descriptor) != nil {
            let present = lseek(descriptor, 0, SEEK_CUR)
            start = offset < 0 ? Int64(max(0, present)) : offset
        } else {
            guard offset < 0 else {
                throw ResourceError(
                    isMisuse: true,
                    "descriptor \(descriptor) is no regular file, so it has no offset")
            }
            start = nil
        }
        number = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { throw .system("cannot duplicate", "descriptor \(descriptor)") }
    }

    deinit {
        close(number)
    }

    func state(_ title: String) throws(ResourceError) -> FileState {
        guard let state = FileState(of: number) else { throw .system("cannot read", title) }
        return state
    }

    func length(_ state: FileState) -> Int64 { max(0, state.size - (start ?? 0)) }

    /// Takes the descriptor of a pipe or a socket; false if it was taken before.
    func takeOnce() -> Bool { !wasTaken.exchange(true, ordering: .relaxed) }
}

/// Why a resource cannot be read.
package struct ResourceError: Error, Equatable, Sendable {
    package let message: String
    /// Whether the program asks for something that the resource cannot do.
    package let isMisuse: Bool

    init(isMisuse: Bool = false, _ message: String) {
        self.message = message
        self.isMisuse = isMisuse
    }

    /// Describes the error that the system has just reported.
    static func system(_ what: String, _ title: String) -> ResourceError {
        let code = errno
        return ResourceError("\(what) \(title): \(String(cString: strerror(code)))")
    }
}

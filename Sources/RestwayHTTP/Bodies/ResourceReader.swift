import Glibc
import RestwayThreads

/// Reads a resource piece by piece, and makes sure that a file gives the bytes that were announced.
///
/// It opens a file at the first read, and again after `rewind`.
///
/// `@unchecked Sendable`: its owner calls one function at a time.
package final class ResourceReader: @unchecked Sendable {
    private let resource: Resource
    private let extent: ResourceExtent
    /// Whether the file must not have changed at all since the extent was found, because a digest
    /// was announced too.
    private let isExact: Bool
    private let start: Int64
    /// The position behind the last byte that is read; `nil` if it is not known.
    private let end: Int64?
    private var position: Int64
    /// The open file; -1 if it is not open.
    private var file: Int32 = -1
    private var hasBegun = false

    /// - Parameters:
    ///   - start: The position of the first byte that is read; 0 for a pipe or a socket.
    ///   - end: The position behind the last byte that is read; `nil` for the end of the resource.
    package init(
        _ resource: Resource, _ extent: ResourceExtent, isExact: Bool = false,
        from start: Int64 = 0, to end: Int64? = nil
    ) {
        self.resource = resource
        self.extent = extent
        self.isExact = isExact
        self.start = start
        self.end = end ?? extent.length
        position = start
    }

    deinit {
        closeFile()
    }

    package var length: Int64? { end.map { $0 - start } }

    /// Whether the resource can be read again.
    package var isRewindable: Bool { extent.length != nil }

    package func rewind() throws(ResourceError) {
        guard isRewindable || !hasBegun else { throw readBefore }
        position = start
        closeFile()
    }

    /// Fills a buffer, which has room, and returns the number of bytes; 0 is the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(ResourceError) -> Int {
        let count: Int
        switch resource.content {
        case .bytes(let bytes):
            count = copy(bytes.prefix(Int(end ?? 0)), to: buffer)
        case .file(let path):
            try open(path)
            count = try readFile(file, at: position, into: buffer)
        case .descriptor(let descriptor):
            if let start = descriptor.start {
                if position == self.start { try check(descriptor.number) }
                count = try readFile(descriptor.number, at: start + position, into: buffer)
            } else {
                count = try readStream(descriptor, into: buffer)
            }
        }
        position += Int64(count)
        return count
    }

    private func copy(_ bytes: ArraySlice<UInt8>, to buffer: UnsafeMutableRawBufferPointer) -> Int {
        let start = Int(position)
        let count = min(buffer.count, bytes.count - start)
        bytes.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
        }
        return count
    }

    // MARK: Files

    private func open(_ path: String) throws(ResourceError) {
        guard file < 0 else { return }
        file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else { throw .system("cannot open", resource.title) }
        try check(file)
    }

    /// Makes sure that the file is still the file that was announced.
    private func check(_ file: Int32) throws(ResourceError) {
        guard let now = FileState(of: file) else {
            throw ResourceError("\(resource.title) is not a regular file")
        }
        guard let before = extent.state else { return }
        guard !isExact || now == before else {
            throw ResourceError(
                "\(resource.title) has changed since its digest was made or its upload began")
        }
        guard now.size == before.size else {
            throw ResourceError(
                "\(resource.title) had \(before.size) bytes when its length was announced, and "
                    + "has \(now.size) now")
        }
    }

    private func readFile(
        _ file: Int32, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(ResourceError) -> Int {
        let length = extent.length ?? 0
        let room = min(buffer.count, Int((end ?? 0) - position))
        guard room > 0 else {
            try checkEnd(file)
            return 0
        }
        let count = SystemCall.pread(file, buffer.baseAddress, room, at: offset)
        guard count >= 0 else { throw .system("cannot read", resource.title) }
        guard count > 0 else {
            throw ResourceError(
                "\(resource.title) became shorter while it was sent: it ended after "
                    + "\(position) of \(length) bytes")
        }
        return count
    }

    /// Makes sure that the file has not become longer while it was read.
    private func checkEnd(_ file: Int32) throws(ResourceError) {
        guard let before = extent.state, let now = FileState(of: file) else { return }
        guard now.size <= before.size else {
            throw ResourceError(
                "\(resource.title) became longer while it was sent: it had \(before.size) bytes, "
                    + "and has \(now.size) now")
        }
    }

    private func closeFile() {
        if file >= 0 { close(file) }
        file = -1
    }

    // MARK: Pipes and sockets

    private var readBefore: ResourceError {
        ResourceError(
            isMisuse: true, "\(resource.title) was read before, and cannot be read again")
    }

    private func readStream(
        _ descriptor: ResourceDescriptor, into buffer: UnsafeMutableRawBufferPointer
    ) throws(ResourceError) -> Int {
        if !hasBegun {
            guard descriptor.takeOnce() else { throw readBefore }
            hasBegun = true
        }
        let count = SystemCall.read(descriptor.number, buffer.baseAddress, buffer.count)
        guard count >= 0 else { throw .system("cannot read", resource.title) }
        return count
    }
}

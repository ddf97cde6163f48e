import CLinux
import Glibc
import RestwayHTTP
import RestwayOutcome
import RestwayThreads

/// A file of a body that cannot be written, and the reason.
struct BodyFileError: Error {
    let code: Int32
    let path: String

    init(_ path: String) { (code, self.path) = (errno, path) }

    var isFull: Bool { [ENOSPC, EDQUOT].contains(code) }
    var isReadOnly: Bool { [EROFS, EACCES, EPERM].contains(code) }
    var text: String { "\"\(path)\": \(String(cString: strerror(code)))" }
}

/// Why a body cannot be read.
enum LostBody: Error {
    /// The file is gone, for example because another process has removed the entry, or the system
    /// does not read it.
    case unreadable
    /// The file holds other bytes.
    case damaged
}

/// An open file. Its bytes stay readable when its name is removed.
final class OpenFile: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The name by which the system opens the file again, even if it has no other name any more.
    var path: String { pathOfDescriptor(descriptor) }

    deinit { close(descriptor) }
}

/// The folder with the large bodies, beside the file of the cache. A file there has a name that was
/// never used before and is moved to it when it is complete, so no name ever has two contents.
struct BodyFolder: Sendable {
    static let partSuffix = ".part"
    private static let chunkBytes = 1 << 18

    let path: String
    let mode: FileMode

    func path(_ name: String) -> String { path + "/" + name }

    /// Returns a name for the body of an entry that no body has had.
    static func newName(for id: Int64) -> String {
        String(id, radix: 36) + "-" + String(UInt64.random(in: 0 ... .max), radix: 36)
    }

    // MARK: Writing

    /// Writes a body.
    ///
    /// Nothing waits for the disk: a reader checks the digest.
    func write(_ name: String, _ bytes: UnsafeRawBufferPointer) throws(BodyFileError) -> BodyName {
        try fill(name) { file, digest in
            digest.add(bytes)
            return SystemCall.writeAll(file, bytes) ? Int64(bytes.count) : nil
        }
    }

    /// Copies a file of the program; `nil` if the file has another length, or if the program has
    /// changed it meanwhile.
    func copy(
        _ name: String, from source: Int32, length: Int64
    ) throws(BodyFileError) -> BodyName? {
        var status = stat()
        guard fstat(source, &status) == 0, Int64(status.st_size) == length else { return nil }
        var buffer = [UInt8](repeating: 0, count: Self.chunkBytes)
        let copied = try fill(name) { file, digest in
            var length: Int64 = 0
            while true {
                let count = SystemCall.pread(source, &buffer, buffer.count, at: length)
                guard count >= 0 else { return nil }
                guard count > 0 else { return length }
                let isWritten = buffer.withUnsafeBytes { bytes in
                    let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<count])
                    digest.add(bytes)
                    return SystemCall.writeAll(file, bytes)
                }
                guard isWritten else { return nil }
                length += Int64(count)
            }
        }
        var now = stat()
        guard fstat(source, &now) == 0, now.st_size == status.st_size,
            copied.length == length, now.st_mtim.tv_sec == status.st_mtim.tv_sec,
            now.st_mtim.tv_nsec == status.st_mtim.tv_nsec
        else {
            remove(name)
            return nil
        }
        return copied
    }

    /// - Parameter body: Writes the content; returns the length, or `nil` and an `errno`.
    private func fill(
        _ name: String, _ body: (Int32, DigestComputation) -> Int64?
    ) throws(BodyFileError) -> BodyName {
        let part = path(name + Self.partSuffix)
        errno = ENOMEM
        guard let digest = DigestComputation(.sha256) else { throw BodyFileError(part) }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        var file = Glibc.open(part, flags, FileMode.ownerOnly.bits)
        if file < 0, errno == ENOENT {
            // The folder may be read by those who may read the files.
            mkdir(path, 0o700)
            _ = chmod(path, mode.bits | (mode.bits & 0o444) >> 2)
            file = Glibc.open(part, flags, FileMode.ownerOnly.bits)
        }
        guard file >= 0 else { throw BodyFileError(part) }
        _ = fchmod(file, mode.bits)
        let length = body(file, digest)
        let code = errno
        close(file)
        errno = code
        guard let length, rename(part, path(name)) == 0 else {
            let error = BodyFileError(part)
            unlink(part)
            throw error
        }
        return BodyName(name: name, length: length, digest: digest.finish())
    }

    // MARK: Reading

    /// Opens a body.
    func open(_ body: BodyName) throws(LostBody) -> CachedBodyFile {
        var buffer = [UInt8](
            repeating: 0, count: Int(min(body.length, Int64(Self.chunkBytes))))
        return try open(body, &buffer)
    }

    /// Reads a body into memory.
    func bytes(of body: BodyName) throws(LostBody) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(body.length))
        _ = try open(body, &bytes)
        return bytes
    }

    /// Opens a body and reads it through a buffer.
    private func open(
        _ body: BodyName, _ buffer: inout [UInt8]
    ) throws(LostBody) -> CachedBodyFile {
        let descriptor = Glibc.open(path(body.name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable }
        let keeper = OpenFile(descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, let digest = DigestComputation(.sha256) else {
            throw .unreadable
        }
        guard Int64(status.st_size) == body.length else { throw .damaged }
        var position = 0
        while position < Int(body.length) {
            let count = buffer.withUnsafeMutableBytes { bytes in
                let start = position % bytes.count
                let part = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
                let count = SystemCall.pread(
                    descriptor, part.baseAddress, part.count, at: Int64(position))
                if count > 0 { digest.add(UnsafeRawBufferPointer(rebasing: part[..<count])) }
                return count
            }
            guard count > 0 else { throw .unreadable }
            position += count
        }
        guard digest.finish() == body.digest else { throw .damaged }
        return CachedBodyFile(path: keeper.path, length: body.length, keeper: keeper)
    }

    // MARK: Removing

    func remove(_ name: String) { unlink(path(name)) }

    func has(_ name: String) -> Bool { access(path(name), F_OK) == 0 }

    /// Returns the names of the files that were last written before `time`, in seconds since 1970.
    func names(writtenBefore time: Int64) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard !name.hasPrefix("."), lstat(path(name), &status) == 0,
                Int64(status.st_mtim.tv_sec) < time
            else { continue }
            names.append(name)
        }
        return names
    }
}

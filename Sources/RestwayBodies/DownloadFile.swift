import CLinux
import Glibc
import RestwayHTTP
import RestwayOutcome
import RestwayThreads

/// The file that receives a body until the body is complete. It lies in the folder of its target,
/// so that it can be moved there in one step.
///
/// A file whose part stays after a failure is called like the target with ".part" at its end.
/// Beside it lies a file ".part.info", which says of which version of which body it is a part. Any
/// other file has no name until it is complete; only on file systems without such files it has
/// one, which is removed after a failure.
///
/// One thread at a time uses it.
final class DownloadFile {
    private static let partSuffix = ".part"
    private static let infoSuffix = ".part.info"
    private static let infoTitle = "restway part 1"
    private static let infoBytesMax = 4 << 10

    private let path: String
    /// The last component of the path.
    private let name: String
    private let folder: Int32
    private let descriptor: Int32
    private let keepsPart: Bool
    /// The name of the file in its folder; `nil` if it has none.
    private var currentName: String?

    init(path: String, keepsPart: Bool) throws(Failure) {
        let slash = path.lastIndex(of: "/")
        let folderPath = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        guard !name.isEmpty, name != ".", name != ".." else {
            throw Self.failure(path, "the path does not name a file")
        }
        let folder = rw_open_folder(folderPath)
        guard folder >= 0 else { throw Self.failure(path, Self.errorText) }
        do throws(Failure) {
            try Self.refuseToReplace(name, in: folder, path)
            let opened =
                try keepsPart
                ? Self.openPart(name + Self.partSuffix, in: folder, path)
                : Self.create(in: folder, mode: 0o600, path)
            (descriptor, currentName) = opened
        } catch {
            close(folder)
            throw error
        }
        (self.path, self.name, self.folder, self.keepsPart) = (path, name, folder, keepsPart)
    }

    deinit {
        close(descriptor)
        close(folder)
    }

    // MARK: Opening

    /// Refuses everything that is there but a regular file: a folder, a device, a FIFO or a socket,
    /// also one that a symbolic link leads to.
    private static func refuseToReplace(
        _ name: String, in folder: Int32, _ path: String
    ) throws(Failure) {
        var status = stat()
        guard fstatat(folder, name, &status, 0) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: throw failure(path, String(cString: strerror(EISDIR)))
        default: throw failure(path, "it is no regular file, and only regular files are replaced")
        }
    }

    /// Whether the file that is open is a regular file.
    private static func isRegular(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Creates a file, without a name if the file system can do that.
    private static func create(
        in folder: Int32, mode: mode_t, _ path: String
    ) throws(Failure) -> (descriptor: Int32, name: String?) {
        let unnamed = rw_open_unnamed(folder, mode)
        if unnamed >= 0 { return (unnamed, nil) }
        guard [EOPNOTSUPP, EISDIR, ENOENT, EINVAL].contains(errno) else {
            throw failure(path, errorText)
        }
        let name = randomName()
        let named = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard named >= 0 else { throw failure(path, errorText) }
        return (named, name)
    }

    private static func randomName() -> String {
        ".restway-" + randomText()
    }

    /// Returns a text that no other file has in its name.
    static func randomText() -> String {
        String(UInt64.random(in: 0 ... .max), radix: 36)
            + String(UInt64.random(in: 0 ... .max), radix: 36)
    }

    /// Opens or creates a part and locks it, so that no other download writes to it.
    private static func openPart(
        _ name: String, in folder: Int32, _ path: String
    ) throws(Failure) -> (descriptor: Int32, name: String?) {
        // Opening a device could wait, or do something.
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        while true {
            try refuseToReplace(name, in: folder, path + partSuffix)
            let descriptor = openat(folder, name, flags, 0o600)
            guard descriptor >= 0 else { throw failure(path + partSuffix, errorText) }
            let code = rw_description_lock(descriptor, 1)
            guard code == 0 else {
                close(descriptor)
                let isBusy = code == EAGAIN
                throw failure(
                    path + partSuffix,
                    isBusy ? "another download writes to it" : String(cString: strerror(code)))
            }
            // Another download may have moved or removed the file before it was locked.
            var (own, named) = (stat(), stat())
            if fstat(descriptor, &own) == 0,
                fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0, own.st_ino == named.st_ino,
                own.st_dev == named.st_dev
            {
                return (descriptor, name)
            }
            close(descriptor)
        }
    }

    // MARK: Parts

    /// Writes of which body the file is a part.
    func describe(_ part: PartialBody, of url: String) throws(Failure) {
        guard let validator = part.validator else { return removeInfo() }
        let total = part.total.map(String.init) ?? "-"
        let text = [Self.infoTitle, try Self.mark(url), validator, total, "end\n"]
            .joined(separator: "\n")
        let infoName = name + Self.infoSuffix
        try Self.refuseToReplace(infoName, in: folder, path + Self.infoSuffix)
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let info = openat(folder, infoName, flags, 0o600)
        guard info >= 0 else { throw Self.failure(path + Self.infoSuffix, Self.errorText) }
        defer { close(info) }
        let failure = Array(text.utf8).withUnsafeBytes { Self.write($0, to: info) }
        if let failure { throw Self.failure(path + Self.infoSuffix, failure) }
    }

    /// Returns the part of the body of `url` that the file holds; `nil` if the
    /// file holds no part of it.
    func part(of url: String) -> PartialBody? {
        guard keepsPart else { return nil }
        // Opening a FIFO would wait for a writer.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let info = openat(folder, name + Self.infoSuffix, flags)
        guard info >= 0 else { return nil }
        defer { close(info) }
        guard Self.isRegular(info) else { return nil }
        var buffer = [UInt8](repeating: 0, count: Self.infoBytesMax)
        let count = buffer.withUnsafeMutableBytes { SystemCall.readAll(info, $0) }
        guard count > 0, let text = String(validating: buffer[..<count], as: UTF8.self) else {
            return nil
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var status = stat()
        guard lines.count == 6, lines[0] == Self.infoTitle, lines[1] == (try? Self.mark(url)),
            lines[4] == "end", Headers.isValidValue(lines[2]), !lines[2].isEmpty,
            fstat(descriptor, &status) == 0
        else { return nil }
        return PartialBody(
            length: Int64(status.st_size), validator: lines[2], total: Int64(lines[3]))
    }

    /// Returns the digest by which a file recognises a text with a URL. The URL may hold secrets.
    static func mark(_ text: String) throws(Failure) -> String {
        let digest = try newDigest()
        Array(text.utf8).withUnsafeBytes { digest.add($0) }
        return digest.finishAsText()
    }

    private func removeInfo() {
        let infoName = name + Self.infoSuffix
        guard keepsPart,
            (try? Self.refuseToReplace(infoName, in: folder, path + Self.infoSuffix)) != nil
        else { return }
        unlinkat(folder, infoName, 0)
    }

    // MARK: Bytes

    /// Drops everything from this position on. Writing goes on there.
    func begin(at position: Int64) throws(Failure) {
        guard ftruncate(descriptor, off_t(position)) == 0,
            lseek(descriptor, off_t(position), SEEK_SET) == off_t(position)
        else { throw Self.failure(path, Self.errorText) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        if let text = Self.write(bytes, to: descriptor) { throw Self.failure(path, text) }
    }

    func write(_ text: String) throws(Failure) {
        let problem = Array(text.utf8).withUnsafeBytes { Self.write($0, to: descriptor) }
        if let problem { throw Self.failure(path, problem) }
    }

    /// Writes all bytes; returns the text of an error.
    private static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
    ) -> String? {
        SystemCall.writeAll(descriptor, bytes) ? nil : errorText
    }

    /// Waits until the bytes are on the disk.
    func synchronize() throws(Failure) {
        guard fsync(descriptor) == 0 else { throw Self.failure(path, Self.errorText) }
    }

    static func newDigest() throws(Failure) -> DigestComputation {
        guard let digest = DigestComputation(.sha256) else {
            throw Failure(.outOfMemory, "libcrypto cannot make a SHA-256 digest")
        }
        return digest
    }

    /// Computes the digest of the first bytes.
    func digest(of length: Int64) throws(Failure) -> DigestComputation {
        let digest = try Self.newDigest()
        var position: Int64 = 0
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while position < length {
            let wanted = min(buffer.count, Int(length - position))
            let count = SystemCall.pread(descriptor, &buffer, wanted, at: position)
            guard count > 0 else {
                throw Self.failure(path, count < 0 ? Self.errorText : "the part has become shorter")
            }
            buffer.withUnsafeBytes { digest.add(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            position += Int64(count)
        }
        return digest
    }

    /// Returns the bytes for another reader; `nil` if no descriptor is free.
    func content() -> SavedContent? { SavedContent(duplicating: descriptor) }

    // MARK: The end

    /// Moves the file to its target in one step, in place of a file that is there.
    ///
    /// - Parameter isPrivate: Whether only the owner can read it then. Otherwise it has the
    ///   permissions of other new files.
    func publish(isPrivate: Bool) throws(Failure) {
        // It may have come since the file was opened.
        try Self.refuseToReplace(name, in: folder, path)
        guard fchmod(descriptor, isPrivate ? 0o600 : try usualMode()) == 0 else {
            throw Self.failure(path, Self.errorText)
        }
        let current = if let currentName { currentName } else { try link() }
        guard renameat(folder, current, folder, name) == 0 else {
            let text = Self.errorText
            if !keepsPart { unlinkat(folder, current, 0) }
            throw Self.failure(path, text)
        }
        currentName = nil
        removeInfo()
    }

    /// Gives a file without a name a random one.
    private func link() throws(Failure) -> String {
        let name = Self.randomName()
        let own = pathOfDescriptor(descriptor)
        guard linkat(AT_FDCWD, own, folder, name, AT_SYMLINK_FOLLOW) == 0 else {
            throw Self.failure(path, Self.errorText)
        }
        return name
    }

    /// Returns the permissions that a new file gets in this folder, after the umask and the rules
    /// of the folder.
    private func usualMode() throws(Failure) -> mode_t {
        let probe = try Self.create(in: folder, mode: 0o666, path)
        defer { close(probe.descriptor) }
        if let name = probe.name { unlinkat(folder, name, 0) }
        var status = stat()
        guard fstat(probe.descriptor, &status) == 0 else {
            throw Self.failure(path, Self.errorText)
        }
        return status.st_mode & 0o777
    }

    /// Removes the file, and the description of its part.
    func remove() {
        if let currentName { unlinkat(folder, currentName, 0) }
        currentName = nil
        removeInfo()
    }

    // MARK: Errors

    static var errorText: String { String(cString: strerror(errno)) }

    static func failure(_ path: String, _ text: String) -> Failure {
        Failure(.io, "\(path): \(text)", domain: .usage, field: path)
    }
}

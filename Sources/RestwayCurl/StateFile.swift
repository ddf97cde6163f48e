import Glibc
import RestwayHTTP
import RestwayThreads

/// A small file in which a transport keeps what it has learnt from servers. Only its owner can read
/// it, and it is replaced as a whole.
final class StateFile: Sendable {
    private static let bytesMax = 16 << 20

    private struct Saved {
        /// The text in the file.
        var text: String?
        var isClosed = false
    }

    private let path: String
    /// The name of the setting.
    private let field: String
    private let isDue = Lock(false)
    /// The lock is held while the file is written, so that an older text never replaces a newer
    /// one.
    private let saved = Lock(Saved())

    init(path: String, field: String) {
        self.path = path
        self.field = field
    }

    // MARK: Reading

    /// The content of a file.
    struct Content {
        var text = ""
        /// When it was written, in seconds since 1970, by the clock of that time.
        var written = NotedTime(0)

        /// Returns when something expires that the file has. If the clock went back since the file
        /// was written, it lives on for as long as it had left then, and not for longer.
        ///
        /// - Parameter time: Its end in the file, in seconds since 1970.
        func expiry(_ time: Int64, now: Int64) -> Int64 {
            // A writer leaves out what has expired. Somebody else has set the time of such a file.
            guard time > written.time else { return time }
            return written.end(ofWaitUntil: time, now: now, longest: .max)
        }
    }

    /// Returns the content of the file; an empty one if there is no file.
    func read() throws(NetworkSettingError) -> Content {
        // Opening a FIFO would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return Content() }
            throw error(Self.errorText)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw error(Self.errorText) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw error("it is no regular file") }
        guard status.st_size <= Self.bytesMax else {
            throw error("it has more than \(Self.bytesMax) bytes")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let length = bytes.withUnsafeMutableBytes { SystemCall.readAll(descriptor, $0) }
        guard length >= 0 else { throw error(Self.errorText) }
        guard let text = String(validating: bytes[..<length], as: UTF8.self) else {
            throw error("it is no text in UTF-8")
        }
        return Content(text: text, written: NotedTime(Int64(status.st_mtim.tv_sec)))
    }

    func error(_ text: String) -> NetworkSettingError {
        NetworkSettingError(field, "\(field) \(path): \(text)")
    }

    // MARK: Writing

    /// Writes the text that `make` returns, unless the file already has this text. The last save
    /// closes the file: later saves have no effect.
    func save(isLast: Bool = false, _ make: () -> String) throws(NetworkSettingError) {
        try saved.withLock { saved throws(NetworkSettingError) in
            guard !saved.isClosed else { return }
            saved.isClosed = isLast
            let text = make()
            guard text != saved.text else { return }
            try write(Array(text.utf8))
            saved.text = text
        }
    }

    /// Saves on a worker. All changes before the worker runs are saved together.
    func saveSoon(_ make: @escaping @Sendable () -> String) {
        let starts = isDue.withLock { isDue in
            defer { isDue = true }
            return !isDue
        }
        guard starts else { return }
        WorkerPool.forBodies.submit { [self] in
            isDue.withLock { $0 = false }
            saveOrWarn(make)
        }
    }

    /// Saves, and writes a failure into the log. The next save tries again.
    func saveOrWarn(isLast: Bool = false, _ make: () -> String) {
        do throws(NetworkSettingError) {
            try save(isLast: isLast, make)
        } catch {
            Log.shared.write(.warning, .client, error.message)
        }
    }

    /// Writes a new file, whose permissions are the owner's alone, and moves it into place.
    private func write(_ bytes: [UInt8]) throws(NetworkSettingError) {
        let name = path + ".restway-" + String(UInt64.random(in: 0 ... .max), radix: 36)
        let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw error(makingProblem) }
        defer { close(descriptor) }
        let isWritten = bytes.withUnsafeBytes { SystemCall.writeAll(descriptor, $0) }
        guard isWritten else { throw abandon(name) }
        guard rename(name, path) == 0 else { throw abandon(name) }
    }

    private func abandon(_ name: String) -> NetworkSettingError {
        let text = Self.errorText
        unlink(name)
        return error(text)
    }

    private static var errorText: String { String(cString: strerror(errno)) }

    /// Why the file cannot be made.
    private var makingProblem: String {
        let text = Self.errorText
        return Folder.problem(of: path) ?? text
    }
}

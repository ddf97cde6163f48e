import Glibc
import RestwayHTTP
import RestwayOutcome
import RestwayRouting
import RestwayText

/// The file that names an upload for a later call. Only its owner can read it, because the URL of
/// an upload may be a secret.
struct UploadStateFile: Sendable {
    private static let title = "restway upload 1"
    private static let bytesMax = 16 << 10

    private let path: String
    /// The digest of the request that has created the upload. The URL of a request may hold
    /// secrets.
    private let request: String
    /// The state of the resource; `nil` if it may have changed.
    private let source: String?

    /// - Parameters:
    ///   - request: What identifies the request.
    ///   - source: The state of the resource; `nil` if it may have changed.
    init(path: String, of request: [String], source: String?) throws(Failure) {
        self.path = path
        self.request = try DownloadFile.mark(request.joined(separator: "\n"))
        self.source = source
    }

    /// Returns the URL of the upload of the same request and the same resource; `nil` if the file
    /// names no upload of theirs.
    func read() throws(Failure) -> String? {
        // Opening a FIFO would wait for a writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(DownloadFile.errorText)
        }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: Self.bytesMax)
        let count = Glibc.read(file, &buffer, buffer.count)
        guard count >= 0 else { throw failure(DownloadFile.errorText) }
        guard let text = String(validating: buffer[..<count], as: UTF8.self) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 6, lines[0] == Self.title, lines[1] == request,
            lines[2] == source ?? lines[2], lines[4] == "end",
            let url = try? URLText.normalizedAbsolute(lines[3])
        else { return nil }
        return url
    }

    /// Writes the URL of an upload. The file is replaced in one step.
    func write(_ url: String) throws(Failure) {
        let text = [Self.title, request, source ?? "", url, "end", ""].joined(separator: "\n")
        let temporary = path + ".new"
        unlink(temporary)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = open(temporary, flags, 0o600)
        guard file >= 0 else { throw failure(DownloadFile.errorText) }
        var problem = Array(text.utf8).withUnsafeBytes { DownloadFile.write($0, to: file) }
        if problem == nil, fsync(file) != 0 { problem = DownloadFile.errorText }
        close(file)
        if problem == nil, rename(temporary, path) != 0 { problem = DownloadFile.errorText }
        if let problem {
            unlink(temporary)
            throw failure(problem)
        }
    }

    func remove() {
        unlink(path)
    }

    private func failure(_ problem: String) -> Failure { DownloadFile.failure(path, problem) }
}

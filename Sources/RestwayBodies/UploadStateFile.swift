import CLinux
import Glibc
import RestwayHTTP
package import RestwayOutcome
import RestwayRouting
import RestwayText
import RestwayThreads

/// The file that names an upload for a later call. Only its owner can read it, because the URL of
/// an upload may be a secret.
package struct UploadStateFile: Sendable {
    private static let title = "restway upload 1"
    /// The beginning of the state files of all versions.
    private static let mark = "restway upload "
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
    package init(path: String, of request: [String], source: String?) throws(Failure) {
        self.path = path
        self.request = try DownloadFile.mark(request.joined(separator: "\n"))
        self.source = source
    }

    /// Returns the URL of the upload of the same request and the same resource; `nil` if the file
    /// names no upload of theirs. Throws if the file is no state file.
    package func read() throws(Failure) -> String? {
        guard let text = try content() else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 6, lines[0] == Self.title, lines[1] == request,
            lines[2] == source ?? lines[2], lines[4] == "end",
            let url = try? URLText.normalizedAbsolute(lines[3])
        else { return nil }
        return url
    }

    /// Returns the text of the state file; `nil` if there is no file. Any other file belongs to
    /// somebody else, and a slip in a path must not cost that file.
    private func content() throws(Failure) -> String? {
        // Opening a FIFO would wait for a writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(DownloadFile.errorText)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure(DownloadFile.errorText) }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw failure(String(cString: strerror(EISDIR)))
        }
        var count = 0
        var buffer = [UInt8](repeating: 0, count: Self.bytesMax)
        if status.st_mode & S_IFMT == S_IFREG {
            count = buffer.withUnsafeMutableBytes { SystemCall.readAll(file, $0) }
            guard count >= 0 else { throw failure(DownloadFile.errorText) }
        }
        guard buffer[..<count].starts(with: Self.mark.utf8),
            let text = String(validating: buffer[..<count], as: UTF8.self)
        else {
            throw failure("it is no state file of an upload, and stays as it is")
        }
        return text
    }

    /// Writes the URL of an upload. The file is replaced in one step.
    package func write(_ url: String) throws(Failure) {
        let text = [Self.title, request, source ?? "", url, "end", ""].joined(separator: "\n")
        let file = try DownloadFile(path: path, keepsPart: false)
        do throws(Failure) {
            try file.write(text)
            try file.synchronize()
            // Another file may have taken the place since it was read.
            _ = try content()
            try file.publish(isPrivate: true)
        } catch {
            file.remove()
            throw error
        }
    }

    /// Removes the file, unless another file has taken its place.
    package func remove() {
        if (try? content()) != nil { unlink(path) }
    }

    private func failure(_ problem: String) -> Failure { DownloadFile.failure(path, problem) }
}

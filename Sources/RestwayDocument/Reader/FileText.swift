import Glibc
import RestwayOutcome
import RestwayThreads

/// Reads whole small files.
enum FileText {
    /// A larger file is no document: the path is wrong, or it is an attack.
    private static let bytesMax = 64 << 20

    static func read(_ path: String) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = SystemCall.read(descriptor, &chunk, chunk.count)
            if count == 0 { return text }
            guard count > 0 else { throw failure(path) }
            text.append(contentsOf: chunk[..<count])
            guard text.count <= bytesMax else {
                throw Failure(
                    .io, "cannot read \"\(path)\": it is larger than \(bytesMax >> 20) MiB",
                    field: path)
            }
        }
    }

    private static func failure(_ path: String) -> Failure {
        let reason = String(cString: strerror(errno))
        return Failure(.io, "cannot read \"\(path)\": \(reason)", field: path)
    }
}

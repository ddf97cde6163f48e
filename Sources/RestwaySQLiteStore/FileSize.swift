import Glibc
import RestwayObjects

enum FileSize {
    /// Returns the size in bytes; 0 if there is no such file.
    static func of(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}

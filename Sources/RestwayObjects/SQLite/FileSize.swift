import Glibc

enum FileSize {
    /// In bytes; 0 for what is not there.
    static func of(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}

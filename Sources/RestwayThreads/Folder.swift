import Glibc

/// Folders as messages name them.
package enum Folder {
    /// Returns a sentence about the folder of a file if it is missing; otherwise `nil`.
    package static func problem(of path: String) -> String? {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let folder = slash == path.utf8.startIndex ? "/" : String(path[..<slash])
        var status = stat()
        if stat(folder, &status) != 0 {
            return errno == ENOENT ? "the folder \"\(folder)\" does not exist" : nil
        }
        return status.st_mode & S_IFMT == S_IFDIR ? nil : "\"\(folder)\" is no folder"
    }
}

/// The reason why a store refused an operation.
package enum StoreError: Error, Equatable, Sendable {
    /// A row was committed before.
    case alreadyCommitted
    /// The store keeps only the entities that it was opened with, and this is not one of them.
    case foreignEntity(String)
    /// The file or the disk failed.
    case file(FileFailure)
    /// The file is a database of another program.
    case foreignFile(path: String)
    /// A later version of the library wrote the file.
    case newerFile(path: String, version: Int64)
    /// The objects or the tables of the file do not fit the document.
    case incompatible(path: String, reason: String)

    /// A failure of a store's file or of the disk.
    package struct FileFailure: Equatable, Sendable {
        package let path: String
        /// A description that names the file.
        package let message: String
        /// Whether this is a forked process that must not use its parent's file.
        package let isForked: Bool
        /// Whether the same operation may succeed a moment later.
        package let isTemporary: Bool
        /// Whether the disk is full, or the file may not grow.
        package let isFull: Bool

        package init(
            path: String, message: String, isForked: Bool, isTemporary: Bool, isFull: Bool
        ) {
            self.path = path
            self.message = message
            self.isForked = isForked
            self.isTemporary = isTemporary
            self.isFull = isFull
        }
    }

    package var message: String {
        switch self {
        case .alreadyCommitted: "these changes have already been committed"
        case .foreignEntity(let name):
            "the store was not opened with this entity \"\(name)\": it is of another api"
        case .file(let error): "the store \(error.message)"
        case .foreignFile(let path):
            "the store \"\(path)\": the file is a database of another program"
        case .newerFile(let path, let version):
            "the store \"\(path)\": the file has format \(version), of a later Restway"
        case .incompatible(let path, let reason): "the store \"\(path)\": \(reason)"
        }
    }

    /// Whether this is a forked process that must not use its parent's file.
    package var isForked: Bool {
        if case .file(let error) = self { return error.isForked }
        return false
    }

    /// Whether the same operation may succeed a moment later.
    package var isTemporary: Bool {
        if case .file(let error) = self { return error.isTemporary }
        return false
    }

    /// The path of the file that the error is about; `nil` if it is about no file.
    package var path: String? {
        switch self {
        case .alreadyCommitted, .foreignEntity: nil
        case .file(let error): error.path
        case .foreignFile(let path), .newerFile(let path, _), .incompatible(let path, _): path
        }
    }
}

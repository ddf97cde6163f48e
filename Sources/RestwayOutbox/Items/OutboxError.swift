package import RestwaySQLite

/// Why the journal refused. Nothing has changed then.
package enum OutboxError: Error, Equatable, Sendable {
    /// The file, or the disk below it.
    case file(SQLiteError)
    /// A database of something else.
    case foreignFile(path: String)
    /// Written by a later version of the library.
    case newerFile(path: String, version: Int64)
    /// The lock of the one sender cannot be had; not because somebody else has it.
    case lock(path: String, reason: String)
    /// No item creates this object, and the server has not named it either.
    case unknownLocalID(LocalID)
    case noSuchItem(Int64)
    /// Only dead letters are edited and retried.
    case notDead(Int64)
    /// Another item creates the object, or the server has named it.
    case alreadyCreated(LocalID)
    /// A header that cannot be one.
    case invalidHeader(String)
    /// A user or a password stands in its URL.
    case credentialInPath
    /// Another process sends, or nobody does.
    case notSender(path: String)
    case closed(path: String)

    package var message: String {
        switch self {
        case .file(let error): "the outbox \(error.text)"
        case .foreignFile(let path):
            "the outbox \"\(path)\": the file is a database of another program"
        case .newerFile(let path, let version):
            "the outbox \"\(path)\": the file has format \(version), of a later Restway"
        case .lock(let path, let reason): "the outbox's lock \"\(path)\": \(reason)"
        case .unknownLocalID(let local):
            "the request is about \(local.text), which no request of the outbox creates"
        case .noSuchItem(let id): "the outbox has no item \(id)"
        case .notDead(let id): "item \(id) of the outbox is no dead letter"
        case .alreadyCreated(let local):
            "\(local.text) is created by another request of the outbox already"
        case .invalidHeader(let name): "a header \"\(name)\" cannot be stored as it is"
        case .credentialInPath: "a URL with a user or a password cannot be stored"
        case .notSender(let path): "the outbox \"\(path)\" is not sent by this client"
        case .closed(let path): "the outbox \"\(path)\" is closed"
        }
    }

    /// Whether the same may succeed a moment later.
    package var isTemporary: Bool {
        if case .file(let error) = self { return error.isBusy }
        return false
    }
}

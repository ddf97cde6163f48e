import RestwaySQLite

/// The reason why the journal refused an operation. The operation has then changed nothing.
enum OutboxError: Error, Equatable, Sendable {
    /// The file or the disk failed.
    case file(SQLiteError)
    /// The file belongs to another program.
    case foreignFile(path: String)
    /// A later version of the library wrote the file.
    case newerFile(path: String, version: Int64)
    /// The sender's lock cannot be taken, although no other journal holds it.
    case lock(path: String, reason: String)
    /// No item creates this object, and the server has not named it either.
    case unknownLocalID(LocalID)
    case noSuchItem(Int64)
    /// The item is not a dead letter; only dead letters are edited and retried.
    case notDead(Int64)
    /// The item is parked: the program decides its conflict, or drops it.
    case parked(Int64)
    /// The item is not parked; only the conflicts of parked items are resolved.
    case notParked(Int64)
    /// Another item creates the object, or the server has already named it.
    case alreadyCreated(LocalID)
    /// The field cannot be sent as a header.
    case invalidHeader(String)
    /// The server's identity of an object cannot be written into the body.
    case unwritableBody(String)
    /// The URL holds a user or a password.
    case credentialInPath
    /// Another process is the sender, or there is no sender.
    case notSender(path: String)
    case closed(path: String)

    var message: String {
        switch self {
        case .file(let error): "the outbox \(error.text)"
        case .foreignFile(let path):
            "the outbox \"\(path)\": a file of another program is at this path"
        case .newerFile(let path, let version):
            "the outbox \"\(path)\": the file has format \(version), of a later Restway"
        case .lock(let path, let reason): "the outbox's lock \"\(path)\": \(reason)"
        case .unknownLocalID(let local):
            "the request is about \(local.text), which no request of the outbox creates"
        case .noSuchItem(let id): "the outbox has no item \(id)"
        case .notDead(let id): "item \(id) of the outbox is no dead letter"
        case .parked(let id):
            "item \(id) of the outbox is parked because of a conflict: resolve the conflict, or "
                + "drop the item"
        case .notParked(let id): "item \(id) of the outbox has no conflict to resolve"
        case .alreadyCreated(let local):
            "\(local.text) is created by another request of the outbox already"
        case .invalidHeader(let name): "a header \"\(name)\" cannot be stored as it is"
        case .unwritableBody(let why):
            "the identity of an object cannot be written into the body: \(why)"
        case .credentialInPath: "a URL with a user or a password cannot be stored"
        case .notSender(let path): "the outbox \"\(path)\" is not sent by this client"
        case .closed(let path): "the outbox \"\(path)\" is closed"
        }
    }

    init(_ refusal: Migrations.Refusal, path: String) {
        switch refusal {
        case .foreign: self = .foreignFile(path: path)
        case .newer(let version): self = .newerFile(path: path, version: version)
        case .failed(let error): self = .file(error)
        }
    }

    /// Whether this is a forked process that must not use its parent's file.
    var isForked: Bool {
        if case .file(let error) = self { return error.isForked }
        return false
    }

    /// Whether the disk is full.
    var isFull: Bool {
        if case .file(let error) = self { return error.isFull }
        return false
    }

    /// Whether the same operation may succeed a moment later.
    var isTemporary: Bool {
        if case .file(let error) = self { return error.isBusy }
        return false
    }
}

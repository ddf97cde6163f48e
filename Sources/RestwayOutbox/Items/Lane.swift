import RestwayObjects

/// A queue inside the outbox. Requests of one lane are delivered in order; different lanes are
/// independent of each other. If the order is strict, the journal treats all lanes as one.
struct Lane: Hashable, Sendable {
    let name: String

    /// Makes a lane that the request names.
    init(named name: String) {
        self.name = "name:" + name
    }

    /// Makes the lane of an object that the server has named.
    init(entity: String, _ identity: Identity) {
        name =
            switch identity {
            case .integer(let integer): "object:\(entity):#\(integer)"
            case .string(let string): "object:\(entity):\(string)"
            }
    }

    /// Makes the lane of an object that the server has not named yet. Once the server names it, the
    /// items that wait here move to the lane that `OutboxSettlement` gives.
    init(_ local: LocalID) {
        name = Self.localPrefix + local.text
    }

    /// Returns the identities that the object of this lane may have; empty for a lane of anything
    /// else.
    func identities(entity: String) -> [Identity] {
        let prefix = "object:\(entity):"
        guard name.utf8.starts(with: prefix.utf8) else { return [] }
        let text = String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        guard text.hasPrefix("#"), let integer = Int64(text.dropFirst()) else {
            return [.string(text)]
        }
        return [.integer(integer), .string(String(integer)), .string(text)]
    }

    private static let localPrefix = "local:"

    /// The object of this lane, if the server had not named it; otherwise `nil`.
    var local: LocalID? {
        name.hasPrefix(Self.localPrefix)
            ? LocalID(String(name.dropFirst(Self.localPrefix.count))) : nil
    }

    /// Makes the lane of a request that is about no object. The query of the path does not count.
    init(path: String) {
        let path = path.prefix { $0 != "?" && $0 != "#" }
        name = "path:" + path
    }

    /// Makes a lane from its name in the journal.
    init(stored name: String) {
        self.name = name
    }
}

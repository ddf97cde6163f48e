package import RestwayObjects

/// Requests of one lane are delivered in their order; those of different lanes know nothing of each
/// other. Where the order is strict, all lanes are one: the journal sees to that.
package struct Lane: Hashable, Sendable {
    package let name: String

    /// A lane that the request names.
    package init(named name: String) {
        self.name = "name:" + name
    }

    /// The lane of an object that the server knows.
    package init(entity: String, _ identity: Identity) {
        name =
            switch identity {
            case .integer(let integer): "object:\(entity):#\(integer)"
            case .string(let string): "object:\(entity):\(string)"
            }
    }

    /// The lane of an object that the server has not named yet. When it does, what waits here goes
    /// over to the lane that `OutboxSettlement` names.
    package init(_ local: LocalID) {
        name = Self.localPrefix + local.text
    }

    private static let localPrefix = "local:"

    /// The object whose lane it is, when the server had not named it.
    var local: LocalID? {
        name.hasPrefix(Self.localPrefix)
            ? LocalID(String(name.dropFirst(Self.localPrefix.count))) : nil
    }

    /// The lane of a request that is about no object; its query is none of it.
    package init(path: String) {
        let path = path.prefix { $0 != "?" && $0 != "#" }
        name = "path:" + path
    }

    /// As it stands in the journal.
    init(stored name: String) {
        self.name = name
    }
}

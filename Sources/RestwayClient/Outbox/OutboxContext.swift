import RestwayDocument
import RestwayJSON

/// The information that the client stores with a request to send it later in the same way as now.
struct OutboxContext: Sendable {
    /// Headers of the document and the environment that the request leaves out.
    var without: [String] = []
    /// The authentication mode that the request asked for.
    var auth: AuthMode?
    /// The text that identifies the store in memory whose key the item has, because another store
    /// gives the same keys to other objects; `nil` for a store in a file.
    var life: String?
    /// The objects that were written whole in the request; see `StoredObjects`.
    var sent: JSONValue?

    private static let modes: [(AuthMode, String)] = [
        (.full, "full"), (.bypass, "bypass"), (AuthMode.none, "none"),
    ]

    var bytes: [UInt8] {
        var members: [(key: String, value: JSONValue)] = []
        if !without.isEmpty {
            members.append((key: "without", value: .array(without.map { .string($0) })))
        }
        if let auth, let word = Self.modes.first(where: { $0.0 == auth })?.1 {
            members.append((key: "auth", value: .string(word)))
        }
        if let life { members.append((key: "life", value: .string(life))) }
        if let sent { members.append((key: "sent", value: sent)) }
        return members.isEmpty ? [] : JSONValue.object(members).text()
    }

    init(without: [String] = [], auth: AuthMode? = nil) {
        self.without = without
        self.auth = auth
    }

    init(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, let value = try? bytes.withUnsafeBytes({ try JSONValue.parse($0) })
        else { return }
        without = value["without"]?.elements?.compactMap(\.string) ?? []
        let word = value["auth"]?.string
        auth = Self.modes.first { $0.1 == word }?.0
        life = value["life"]?.string
        sent = value["sent"]
    }
}

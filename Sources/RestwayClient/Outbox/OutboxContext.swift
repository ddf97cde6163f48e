import RestwayJSON

/// What the client keeps beside a stored request, to send it later as it would have been sent now.
struct OutboxContext: Sendable {
    /// Headers of the document and the environment that the request goes out without.
    var without: [String] = []
    /// What the request said about authentication.
    var auth: AuthMode?
    /// The life of the store whose key the item has, where that is no file: another one gives the
    /// same keys to other objects.
    var life: String?
    /// See `StoredObjects`.
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

import RestwayCalls
import RestwayThreads

/// The user in whose name a request is sent: the discriminator that the program has set or, without
/// a discriminator, the user that the credential names. A token names no user, so the user may be
/// unknown.
struct ItemOwner: Equatable, Sendable {
    /// The form in the file, in which discriminators and users differ; `nil` if nothing is known.
    let text: String?

    private static let discriminatorMark = "d"
    private static let userMark = "u"

    /// - Parameter text: The form in the file.
    init(text: String? = nil) {
        self.text = text
    }

    init(discriminator: String?, userName: String?) {
        text = discriminator.map { Self.discriminatorMark + $0 }
            ?? userName.map { Self.userMark + $0 }
    }

    /// The discriminator; `nil` without one.
    var discriminator: String? {
        isDiscriminated ? text.map { String($0.dropFirst()) } : nil
    }

    /// Whether a client that sends in the name of this owner may send a request of `other`. Where
    /// one of them has a discriminator, both must have the same. Otherwise two users differ only if
    /// both are known.
    func maySend(_ other: ItemOwner) -> Bool {
        if text == other.text { return true }
        if isDiscriminated || other.isDiscriminated { return false }
        return text == nil || other.text == nil
    }

    private var isDiscriminated: Bool { text?.hasPrefix(Self.discriminatorMark) == true }

    /// The rule `maySend` as a condition of SQL.
    ///
    /// - Parameters:
    ///   - item: The column with the owner of a request.
    ///   - sender: The parameter or the query with the owner in whose name the client sends.
    static func condition(item: String, by sender: String) -> String {
        "(\(item) IS \(sender) OR ((\(item) IS NULL OR \(sender) IS NULL) "
            + "AND coalesce(substr(\(item), 1, 1), '') != '\(discriminatorMark)' "
            + "AND coalesce(substr(\(sender), 1, 1), '') != '\(discriminatorMark)'))"
    }

    /// A condition on rows of `item` for the requests that the last sender may send.
    static let conditionOfSender = condition(
        item: "item.owner", by: "(SELECT outbox.owner FROM outbox)")
}

/// In whose name a client sends now.
final class PresentOwner: Sendable {
    private let credentials: any CredentialSource
    private let given = Lock<String?>(nil)

    init(_ credentials: any CredentialSource) {
        self.credentials = credentials
    }

    /// The discriminator that the program has set.
    var discriminator: String? { given.withLock { $0 } }

    var now: ItemOwner {
        ItemOwner(discriminator: discriminator, userName: credentials.userName)
    }

    func setDiscriminator(_ discriminator: String?) {
        given.withLock { $0 = discriminator }
    }
}

import RestwayDocument
import RestwayThreads

/// The fields with which a client authenticates. The scheme of the API document says which of them
/// are used: a user name and a password, a token, or a token with a refresh token.
///
///     try client.auth.setCredential(Credential(token: token))
///
/// Its descriptions show no secret.
public struct Credential: Sendable, Equatable {
    /// The user's name; with OAuth 2, the client's identifier.
    public var user: String?
    /// The password; with OAuth 2, the client's secret.
    public var password: String?
    /// The bearer token, the access token or the API key.
    public var token: String?
    /// The token with which a refresh gets a new access token.
    public var refreshToken: String?
    /// How long the token is valid after it was received; `nil` if it is not known.
    public var expiresIn: Duration?

    /// Makes a credential with the given fields; a field that is `nil` has no value.
    public init(
        user: String? = nil, password: String? = nil, token: String? = nil,
        refreshToken: String? = nil, expiresIn: Duration? = nil
    ) {
        self.user = user
        self.password = password
        self.token = token
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the fields that have a value.
    public var description: String {
        let fields = [
            ("user", user), ("password", password), ("token", token),
            ("refreshToken", refreshToken),
        ]
        let names = fields.compactMap { $0.1 == nil ? nil : $0.0 }
        return "<Credential with \(names.isEmpty ? "no fields" : names.joined(separator: ", "))>"
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The credentials of the core.
extension Credential {
    init(_ core: RestwayDocument.Credential) {
        self.init(
            user: core.user, password: core.password?.revealed, token: core.token?.revealed,
            refreshToken: core.refreshToken?.revealed,
            expiresIn: core.expiresInMilliseconds.map(Duration.milliseconds))
    }

    var core: RestwayDocument.Credential {
        var core = RestwayDocument.Credential()
        core.user = user
        core.password = password.map { Secret($0) }
        core.token = token.map { Secret($0) }
        core.refreshToken = refreshToken.map { Secret($0) }
        core.expiresInMilliseconds = expiresIn?.milliseconds
        return core
    }
}

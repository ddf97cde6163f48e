package import RestwayThreads

/// The data with which a client identifies itself. The scheme decides which fields are used.
package struct Credential: Sendable, Equatable {
    /// The user's name; with OAuth 2 the client's identifier.
    package var user: String?
    /// The password; with OAuth 2 the client's secret.
    package var password: Secret?
    /// The bearer token, the access token or the API key.
    package var token: Secret?
    package var refreshToken: Secret?
    /// How long `token` is valid after it was received.
    package var expiresInMilliseconds: Int64?

    package init() {}

    /// A copy of this credential, with the fields that `other` has.
    package func updated(by other: Credential) -> Credential {
        var result = self
        if let user = other.user { result.user = user }
        if let password = other.password { result.password = password }
        if let refreshToken = other.refreshToken { result.refreshToken = refreshToken }
        if let token = other.token {
            result.token = token
            // The lifetime of the old token says nothing about the new one.
            result.expiresInMilliseconds = other.expiresInMilliseconds
        } else if let expiry = other.expiresInMilliseconds {
            result.expiresInMilliseconds = expiry
        }
        return result
    }
}

import RestwayDocument
import RestwayText
import RestwayThreads

/// A request to a token endpoint (RFC 6749, sections 4.4.2 and 6).
struct TokenRequest: Sendable {
    /// The form fields of the body. They may contain secrets.
    private(set) var fields: [(name: String, value: String)]
    /// The text for the Authorization header: both parts form-encoded, separated by a colon; `nil`
    /// if the client identifies itself in the body, or has no secret.
    private(set) var basicCredentials: String?

    /// - Throws: An error that names the missing part of the credential.
    init(_ settings: OAuthSettings, _ credential: Credential) throws(AuthFailure) {
        fields = []
        switch settings.grant {
        case .clientCredentials:
            guard credential.user != nil else {
                throw .refused(
                    reason: "there is no client identifier to get a token with", isFinal: true)
            }
            fields.append(("grant_type", "client_credentials"))
        case .refreshToken:
            guard let token = credential.refreshToken else {
                throw .refused(
                    reason: "there is no refresh token to get a new token with", isFinal: true)
            }
            fields += [("grant_type", "refresh_token"), ("refresh_token", token.revealed)]
        }
        if let scope = settings.scope { fields.append(("scope", scope)) }
        fields += settings.parameters
        guard let id = credential.user else { return }
        if settings.clientAuthentication == .basic, let secret = credential.password {
            basicCredentials =
                FormFields.encode(id) + ":" + FormFields.encode(secret.revealed)
        } else {
            fields.append(("client_id", id))
            if let secret = credential.password {
                fields.append(("client_secret", secret.revealed))
            }
        }
    }

    var body: [UInt8] { FormFields.encode(fields) }
}

import RestwayHTTP
package import RestwayText
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

    /// Whether no field has a value.
    package var isEmpty: Bool { self == Credential() }

    /// A copy of this credential, with the fields that a refresh has brought. A refresh is about
    /// the same user, so the other fields stay.
    package func updated(by other: Credential) -> Credential {
        var result = self
        if let user = other.user { result.user = user }
        if let password = other.password { result.password = password }
        if let refreshToken = other.refreshToken { result.refreshToken = refreshToken }
        if let token = other.token {
            result.token = token
            // The lifetime of the old token says nothing about the lifetime of the new token.
            result.expiresInMilliseconds = other.expiresInMilliseconds
        } else if let expiry = other.expiresInMilliseconds {
            result.expiresInMilliseconds = expiry
        }
        return result
    }
}

/// A text of a credential, with its name in `restway_credential`.
package enum CredentialField: String, CaseIterable, Sendable {
    case user
    case password
    case token
    case refreshToken = "refresh_token"

    /// The name with its article, for messages about the answer of a token endpoint.
    package var title: String {
        switch self {
        case .user: "a user name"
        case .password: "a password"
        case .token: "an access token"
        case .refreshToken: "a refresh token"
        }
    }

    package func text(of credential: Credential) -> String? {
        switch self {
        case .user: credential.user
        case .password: credential.password?.revealed
        case .token: credential.token?.revealed
        case .refreshToken: credential.refreshToken?.revealed
        }
    }
}

/// The only check of the texts of credentials, wherever they come from: the document, the program
/// or a token endpoint.
extension AuthDefinition.Scheme {
    /// Returns why `text` cannot be this field of a credential, as the end of a sentence that
    /// begins with the field; `nil` if it can. The result never repeats the text.
    package func problem(of field: CredentialField, _ text: String) -> String? {
        switch field {
        case .token:
            // A token is sent as the value of a header, or as a part of it.
            return Headers.isValidValue(text)
                ? nil : "holds a character that a header value may not have"
        case .user, .password, .refreshToken:
            // These texts are encoded, so only control characters are forbidden (RFC 7617, section
            // 2; RFC 6749, appendix A).
            guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
            else { return "holds a control character" }
        }
        if field == .user, joinsUserAndPassword, text.utf8.contains(UInt8(ascii: ":")) {
            return "holds a colon, which a user name must not have (RFC 7617, section 2)"
        }
        return nil
    }

    /// Returns the first field of `credential` that cannot be sent, and its problem.
    package func problem(in credential: Credential) -> (field: CredentialField, text: String)? {
        for field in CredentialField.allCases {
            guard let text = field.text(of: credential), let problem = problem(of: field, text)
            else { continue }
            return (field, problem)
        }
        return nil
    }

    /// Whether the server ends the user name at the first colon.
    private var joinsUserAndPassword: Bool {
        switch self {
        case .basic, .digest: true
        case .custom, .bearer, .apiKey, .oauth2: false
        }
    }
}

/// The settings by which a client gets its tokens (RFC 6749).
package struct OAuthSettings: Equatable, Sendable {
    package enum Grant: String, CaseIterable, Sendable {
        /// The grant of section 4.4.
        case clientCredentials
        /// The grant of section 6.
        case refreshToken
    }

    /// The place of the client's identifier and secret (section 2.3.1).
    package enum ClientAuthentication: String, CaseIterable, Sendable {
        case basic
        case body
    }

    package var grant: Grant
    /// An absolute URL.
    package var tokenURL: String
    package var scope: String?
    package var clientAuthentication = ClientAuthentication.basic
    /// Further parameters that the server needs (an audience, a resource).
    package var parameters: [Pair] = []
}

import RestwayAuth
import RestwayHTTP
import RestwayThreads

/// A text of a credential, with its name in `restway_credential`.
enum CredentialField: String, CaseIterable, Sendable {
    case user
    case password
    case token
    case refreshToken = "refresh_token"

    /// The name with its article, for messages about the answer of a token endpoint.
    var title: String {
        switch self {
        case .user: "a user name"
        case .password: "a password"
        case .token: "an access token"
        case .refreshToken: "a refresh token"
        }
    }

    func text(of credential: Credential) -> String? {
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
    func problem(of field: CredentialField, _ text: String) -> String? {
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
    func problem(in credential: Credential) -> (field: CredentialField, text: String)? {
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

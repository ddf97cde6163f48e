import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayRequests
import RestwayText
import RestwayThreads

/// Puts a credential into an exchange, as the document's scheme says.
extension AuthDefinition {
    func authorize(_ exchange: inout Exchange, with credential: Credential) {
        switch scheme {
        case .custom:
            break
        case .basic:
            guard let user = credential.user else { return }
            exchange.headers.set(
                "Authorization", Self.basic(user + ":" + (credential.password?.revealed ?? "")))
        case .digest:
            guard let user = credential.user else { return }
            exchange.digest = DigestCredential(
                user: user, password: credential.password ?? Secret(""))
        case .bearer, .oauth2:
            guard let token = credential.token else { return }
            exchange.headers.set("Authorization", "Bearer " + token.revealed)
        case .apiKey(let name, let isInQuery):
            guard let key = credential.token?.revealed else { return }
            if isInQuery {
                exchange.addParameter(name, key)
            } else {
                exchange.headers.set(name, key)
            }
        }
    }

    /// Returns the value of the header for basic authentication (RFC 7617).
    static func basic(_ userAndPassword: String) -> String {
        "Basic " + Base64.encode(Array(userAndPassword.utf8))
    }
}

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
    package var parameters: [(name: String, value: String)] = []

    package init(grant: Grant, tokenURL: String) {
        self.grant = grant
        self.tokenURL = tokenURL
    }

    package static func == (left: OAuthSettings, right: OAuthSettings) -> Bool {
        left.grant == right.grant && left.tokenURL == right.tokenURL && left.scope == right.scope
            && left.clientAuthentication == right.clientAuthentication
            && left.parameters.elementsEqual(right.parameters, by: ==)
    }
}

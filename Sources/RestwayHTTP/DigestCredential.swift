package import RestwaySupport

/// What a transport answers a Digest challenge with (RFC 7616).
package struct DigestCredential: Sendable, Equatable {
    package var user: String
    package var password: Secret

    package init(user: String, password: Secret) {
        self.user = user
        self.password = password
    }
}

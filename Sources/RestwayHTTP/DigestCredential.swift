package import RestwayThreads

/// The credential with which a transport answers a Digest challenge (RFC 7616).
package struct DigestCredential: Sendable, Equatable {
    package var user: String
    package var password: Secret

    package init(user: String, password: Secret) {
        self.user = user
        self.password = password
    }
}

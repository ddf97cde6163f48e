import CRestway
import RestwayAuth
import RestwayClient
import RestwayThreads

/// Converts credentials from and to the struct of the header.
extension Credential {
    /// sizeof(restway_credential) in version 0.1.0.
    static let structSizeMin = 48

    /// Reads a credential; `nil` for NULL.
    static func optional(
        _ pointer: UnsafePointer<restway_credential>?
    ) throws(Failure) -> Credential? {
        guard let pointer else { return nil }
        let c = try SizedOptions.read(
            pointer, zero: restway_credential(), sizeMin: structSizeMin, "credential")
        var credential = Credential()
        credential.user = try Argument.optionalString(c.user, "credential.user")
        credential.password = try secret(c.password, "credential.password")
        credential.token = try secret(c.token, "credential.token")
        credential.refreshToken = try secret(c.refresh_token, "credential.refresh_token")
        guard c.expires_in_milliseconds >= 0 else {
            throw Failure(
                .invalidArgument, "credential.expires_in_milliseconds is negative",
                field: "credential.expires_in_milliseconds")
        }
        if c.expires_in_milliseconds > 0 {
            credential.expiresInMilliseconds = c.expires_in_milliseconds
        }
        return credential
    }

    private static func secret(
        _ text: UnsafePointer<CChar>?, _ name: String
    ) throws(Failure) -> Secret? {
        try Argument.optionalString(text, name).map { Secret($0) }
    }

    /// Calls `body` with the fields as a C struct, and then overwrites the copies.
    func withC(_ body: (UnsafePointer<restway_credential>) -> Void) {
        let user = user.map { Secret($0) }
        Secret.lend(user) { user in
            Secret.lend(password) { password in
                Secret.lend(token) { token in
                    Secret.lend(refreshToken) { refreshToken in
                        var fields = restway_credential()
                        fields.struct_size = MemoryLayout<restway_credential>.size
                        fields.user = user
                        fields.password = password
                        fields.token = token
                        fields.refresh_token = refreshToken
                        fields.expires_in_milliseconds = expiresInMilliseconds ?? 0
                        withUnsafePointer(to: &fields) { body($0) }
                    }
                }
            }
        }
    }
}

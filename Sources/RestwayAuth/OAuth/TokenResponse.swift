import RestwayJSON
import RestwaySupport

/// What a token endpoint answered (RFC 6749, sections 5.1 and 5.2).
package enum TokenResponse: Equatable, Sendable {
    /// The new fields: a token, and what came with it. A refresh token that did not come stands.
    case granted(Credential)
    /// No token. `isTemporary`: the same request may succeed later.
    case refused(reason: String, isTemporary: Bool)

    package init(status: Int, body: UnsafeRawBufferPointer) {
        let json = unsafe try? JSONValue.parse(body)
        guard (200..<300).contains(status) else {
            self = Self.refusal(status, json)
            return
        }
        guard let json, let token = json["access_token"]?.string, !token.isEmpty else {
            self = .refused(
                reason: "the token endpoint answered \(status) without an access_token",
                isTemporary: false)
            return
        }
        let type = json["token_type"]?.string ?? "bearer"
        guard type.lowercased() == "bearer" else {
            self = .refused(
                reason: "the token endpoint gave a token of an unknown type", isTemporary: false)
            return
        }
        var credential = Credential()
        credential.token = Secret(token)
        if let refresh = json["refresh_token"]?.string, !refresh.isEmpty {
            credential.refreshToken = Secret(refresh)
        }
        credential.expiresInMilliseconds = Self.milliseconds(json["expires_in"])
        self = .granted(credential)
    }

    private static func refusal(_ status: Int, _ json: JSONValue?) -> TokenResponse {
        var reason = "the token endpoint answered \(status)"
        let code = json?["error"]?.string
        if let code { reason += " (\(printable(code)))" }
        if let text = json?["error_description"]?.string { reason += ": \(printable(text))" }
        let isTemporary =
            status >= 500 || status == 408 || status == 425 || status == 429
            || code == "temporarily_unavailable" || code == "server_error"
        return .refused(reason: reason, isTemporary: isTemporary)
    }

    /// What section 5.2 allows in an error, and no more of it than a message should hold.
    private static func printable(_ text: String) -> String {
        String(
            text.unicodeScalars.prefix(200).map { scalar in
                scalar.value >= 0x20 && scalar.value < 0x7F ? Character(scalar) : "?"
            })
    }

    /// Seconds, which some servers send as a string or with a fraction.
    private static func milliseconds(_ value: JSONValue?) -> Int64? {
        guard let value else { return nil }
        guard let seconds = value.double ?? value.string.flatMap(Double.init),
            seconds.isFinite, seconds >= 0
        else { return nil }
        return Int64(min(seconds, 1e12) * 1_000)
    }
}

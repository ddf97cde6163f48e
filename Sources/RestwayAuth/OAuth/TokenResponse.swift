import RestwayDocument
import RestwayJSON
import RestwayThreads

/// The answer of a token endpoint (RFC 6749, sections 5.1 and 5.2).
enum TokenResponse: Equatable, Sendable {
    /// The new fields: a token, and the fields that came with it. Without a new refresh token, the
    /// old one remains.
    case granted(Credential)
    /// No token. If `isFinal`, the endpoint has refused the request itself (section 5.2). Any other
    /// answer says nothing about the credential, and the same request may succeed later.
    case refused(reason: String, isFinal: Bool)

    init(status: Int, body: UnsafeRawBufferPointer) {
        let json = unsafe try? JSONValue.parse(body)
        guard (200..<300).contains(status) else {
            self = Self.refusal(status, json)
            return
        }
        guard let json, let token = json["access_token"]?.string, !token.isEmpty else {
            self = .refused(
                reason: "the token endpoint answered \(status) without an access_token",
                isFinal: false)
            return
        }
        let type = json["token_type"]?.string ?? "bearer"
        guard type.lowercased() == "bearer" else {
            self = .refused(
                reason: "the token endpoint gave a token of an unknown type", isFinal: false)
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
        let isFinal =
            (400..<500).contains(status) && ![408, 425, 429].contains(status)
            && code != "temporarily_unavailable" && code != "server_error"
        return .refused(reason: reason, isFinal: isFinal)
    }

    /// The characters that section 5.2 allows in an error, limited to the length of a message.
    private static func printable(_ text: String) -> String {
        String(
            text.unicodeScalars.prefix(200).map { scalar in
                scalar.value >= 0x20 && scalar.value < 0x7F ? Character(scalar) : "?"
            })
    }

    /// Reads seconds, which some servers send as a string or with a fraction.
    private static func milliseconds(_ value: JSONValue?) -> Int64? {
        guard let value else { return nil }
        guard let seconds = value.double ?? value.string.flatMap(Double.init),
            seconds.isFinite, seconds >= 0
        else { return nil }
        return Int64(min(seconds, 1e12) * 1_000)
    }
}

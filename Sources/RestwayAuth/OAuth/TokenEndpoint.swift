import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayJSON
import RestwayMapping
import RestwayOutcome
import RestwayRequests
import RestwayRouting
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
                throw .refused("the credential has no client identifier", isFinal: true)
            }
            fields.append(("grant_type", "client_credentials"))
        case .refreshToken:
            guard let token = credential.refreshToken else {
                throw .refused("the credential has no refresh token", isFinal: true)
            }
            fields += [("grant_type", "refresh_token"), ("refresh_token", token.revealed)]
        }
        if let scope = settings.scope { fields.append(("scope", scope)) }
        fields += settings.parameters.map { ($0.name, $0.value) }
        guard let id = credential.user else { return }
        if settings.clientAuthentication == .basic, let secret = credential.password {
            basicCredentials = FormFields.encode(id) + ":" + FormFields.encode(secret.revealed)
        } else {
            fields.append(("client_id", id))
            if let secret = credential.password {
                fields.append(("client_secret", secret.revealed))
            }
        }
    }

    var body: [UInt8] { FormFields.encode(fields) }

    /// Returns the exchange for the token endpoint. It goes straight to the transport, so that
    /// nothing of the environment, no modifier and no redirect affects it.
    func exchange(to url: String, _ options: CallOptions, timeoutMilliseconds: Int64) -> Exchange {
        var headers = Headers()
        headers.set("Accept", "application/json")
        headers.set("Content-Type", "application/x-www-form-urlencoded")
        headers.set("User-Agent", options.userAgent)
        if let basicCredentials {
            headers.set("Authorization", AuthDefinition.basic(basicCredentials))
        }
        var timeouts = options.timeouts
        timeouts.totalMilliseconds = timeoutMilliseconds
        var exchange = Exchange(
            method: "POST", url: url, headers: headers.fields, body: .bytes(body),
            timeouts: timeouts, usesCookies: false)
        exchange.isAuthorized = true
        return exchange
    }
}

/// Reads the answer of a token endpoint (RFC 6749, sections 5.1 and 5.2).
enum TokenResponse {
    /// The largest answer of a token endpoint; a server that sends more is not a token endpoint.
    static let bytesMax = 1 << 20

    static func credential(_ recorder: ExchangeRecorder) throws(AuthFailure) -> Credential {
        if case .failure(let error) = recorder.result {
            // The message names only the host and the port of the request.
            throw .refused("the token endpoint cannot be reached: \(error.message)")
        }
        guard let head = recorder.head else {
            throw .refused("the token endpoint gave no answer")
        }
        let body: [UInt8]
        do {
            body = try ContentDecoder.decode(
                recorder.takeBody(), headers: head.headers, bytesMax: bytesMax)
        } catch {
            throw .refused("the token endpoint's answer is damaged: \(error.message)")
        }
        let declared = unsafe body.withUnsafeBytes {
            unsafe BodyText.declared($0, contentType: head.headers[first: "Content-Type"])
        }
        do throws(AuthFailure) {
            return try credential(status: head.status, body: declared ?? body)
        } catch {
            guard case .refused(let why, let isFinal, let cause) = error,
                let coding = ContentDecoder.reasonNotDecoded(head.headers)
            else { throw error }
            throw .refused("\(why) (\(coding))", isFinal: isFinal, cause: cause)
        }
    }

    /// Returns the new fields: a token, and the fields that came with it. Without a new refresh
    /// token, the old one remains.
    ///
    /// - Throws: Why there is no token. The failure is final if the endpoint has refused the
    ///   request itself (section 5.2). Any other answer says nothing about the credential, and the
    ///   same request may succeed later.
    static func credential(status: Int, body: [UInt8]) throws(AuthFailure) -> Credential {
        let json = unsafe body.withUnsafeBytes { unsafe try? JSONValue.parse($0) }
        guard (200..<300).contains(status) else { throw refusal(status, json) }
        guard let json, let token = json["access_token"]?.string, !token.isEmpty else {
            // Some servers, for example GitHub, refuse with status 200.
            if let code = json?["error"]?.string, !code.isEmpty { throw refusal(status, json) }
            throw .refused("the token endpoint answered \(status) without an access_token")
        }
        let type = json["token_type"]?.string ?? "bearer"
        guard type.lowercased() == "bearer" else {
            throw .refused("the token endpoint gave a token of an unknown type")
        }
        var credential = Credential()
        credential.token = Secret(token)
        if let refresh = json["refresh_token"]?.string, !refresh.isEmpty {
            credential.refreshToken = Secret(refresh)
        }
        credential.expiresInMilliseconds = lifetime(json["expires_in"])
        return credential
    }

    private static func refusal(_ status: Int, _ json: JSONValue?) -> AuthFailure {
        var reason = "the token endpoint answered \(status)"
        let code = json?["error"]?.string
        if let code { reason += " (\(printable(code)))" }
        if let text = json?["error_description"]?.string { reason += ": \(printable(text))" }
        let isFinal =
            (200..<500).contains(status) && !AnswerMeaning(AnswerFacts(status: status)).mayPass
            && code != "temporarily_unavailable" && code != "server_error"
        return .refused(reason, isFinal: isFinal)
    }

    /// The characters that section 5.2 allows in an error, limited to the length of a message.
    private static func printable(_ text: String) -> String {
        String(
            text.unicodeScalars.prefix(200).map { scalar in
                scalar.value >= 0x20 && scalar.value < 0x7F ? Character(scalar) : "?"
            })
    }

    /// The longest lifetime of a token that is a time, in seconds: about 31,700 years.
    private static let secondsMax = 1e12

    /// Reads the lifetime of a token. A value that is no time is named in the log, and the token is
    /// used until a server refuses it.
    private static func lifetime(_ value: JSONValue?) -> Int64? {
        guard let value, value.kind != .null else { return nil }
        if let milliseconds = milliseconds(value) { return milliseconds }
        Log.shared.write(.warning, .auth, problem(ofLifetime: value))
        return nil
    }

    /// Says that a value is no lifetime. A text is not shown: it may be a token in a wrong place.
    static func problem(ofLifetime value: JSONValue) -> String {
        let shown = value.double.map { "\($0)" } ?? value.kind.withArticle
        return "expires_in of the token endpoint's answer is \(shown), which is no lifetime in "
            + "seconds; the token is used until it is refused"
    }

    /// Reads seconds, which some servers send as a string or with a fraction.
    private static func milliseconds(_ value: JSONValue) -> Int64? {
        guard let seconds = value.double ?? value.string.flatMap(Double.init),
            (0...secondsMax).contains(seconds)
        else { return nil }
        return Int64(seconds * 1_000)
    }
}

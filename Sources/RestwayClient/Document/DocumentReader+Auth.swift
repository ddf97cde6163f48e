import RestwayAuth
import RestwayHTTP
import RestwayJSON
import RestwayMapping
import RestwayRouting
import RestwayText
import RestwayThreads

/// The section `auth`.
extension DocumentReader {
    private static let schemeKeys: [String: [String]] = [
        "custom": [],
        "basic": ["user", "password"],
        "digest": ["user", "password"],
        "bearer": ["token"],
        "apiKey": ["token", "header", "query"],
        "oauth2": [
            "token", "refreshToken", "clientID", "clientSecret", "grant", "tokenURL", "scope",
            "clientAuthentication", "parameters",
        ],
    ]

    mutating func readAuth(_ node: DocumentNode) {
        let all = Set(Self.schemeKeys.values.joined()).sorted()
        guard let object = node.object(["scheme", "replay", "refresh"] + all) else { return }
        var auth = AuthDefinition()
        let scheme = object["scheme"].map { $0.choice(Self.schemeKeys.keys.sorted()) } ?? "custom"
        if let scheme, let known = Self.schemeKeys[scheme] {
            for key in all where !known.contains(key) {
                object[key]?.report("does not belong to scheme \"\(scheme)\"")
            }
        }
        switch scheme {
        case "basic": auth.scheme = .basic
        case "digest": auth.scheme = .digest
        case "bearer": auth.scheme = .bearer
        case "apiKey": auth.scheme = object.apiKeyPlace().map { .apiKey($0) } ?? .custom
        case "oauth2": auth.scheme = object.oauthSettings().map { .oauth2($0) } ?? .custom
        default: auth.scheme = .custom
        }
        readCredential(object, &auth)
        object["replay"]?.readReplay(into: &auth)
        object["refresh"]?.readRefresh(into: &auth)
        definition.auth = auth
        switch auth.scheme {
        case .apiKey(.header(let name)), .apiKey(.query(let name)): definition.redaction.add(name)
        default: break
        }
    }

    private func readCredential(_ object: DocumentObject, _ auth: inout AuthDefinition) {
        let scheme = auth.scheme
        func text(_ keys: [String], _ field: CredentialField) -> String? {
            for key in keys {
                if let text = object[key]?.text(of: field, scheme) { return text }
            }
            return nil
        }
        auth.credential.user = text(["user", "clientID"], .user)
        auth.credential.password = text(["password", "clientSecret"], .password)
            .map { Secret($0) }
        auth.credential.token = text(["token"], .token).map { Secret($0) }
        auth.credential.refreshToken = text(["refreshToken"], .refreshToken).map { Secret($0) }
    }
}

extension DocumentObject {
    fileprivate func apiKeyPlace() -> AuthDefinition.APIKeyPlace? {
        switch (self["header"], self["query"]) {
        case (let header?, nil):
            guard let name = header.string() else { return nil }
            guard Headers.isValidName(name) else {
                header.report("\"\(name)\" is not a header name (RFC 9110, section 5.1)")
                return nil
            }
            return .header(name)
        case (nil, let query?):
            return query.nonEmptyString().map { .query($0) }
        case (nil, nil), (_?, _?):
            node.report("an API key goes into one place: \"header\" or \"query\"")
            return nil
        }
    }

    fileprivate func oauthSettings() -> OAuthSettings? {
        let grants = OAuthSettings.Grant.allCases.map(\.rawValue)
        let grant = required("grant")?.choice(grants)
        let url = required("tokenURL")?.nonEmptyString()
        let ways = OAuthSettings.ClientAuthentication.allCases.map(\.rawValue)
        let way = self["clientAuthentication"]?.choice(ways)
        let scope = self["scope"]?.nonEmptyString()
        let parameters = (self["parameters"]?.namedMembers() ?? []).compactMap { name, node in
            node.string().map { (name: name, value: $0) }
        }
        guard let grant = grant.flatMap(OAuthSettings.Grant.init), let url else { return nil }
        var settings = OAuthSettings(grant: grant, tokenURL: url)
        settings.scope = scope
        settings.parameters = parameters
        if let way = way.flatMap(OAuthSettings.ClientAuthentication.init) {
            settings.clientAuthentication = way
        }
        return settings
    }
}

extension DocumentNode {
    /// Reads one of the names in `known`.
    func choice(_ known: [String]) -> String? {
        guard let text = string() else { return nil }
        if known.contains(text) { return text }
        let hint = NearestName.to(text, in: known).map { "; did you mean \"\($0)\"?" } ?? ""
        report("\"\(text)\" is none of \(known.joined(separator: ", "))\(hint)")
        return nil
    }

    /// Reads a text that may be this field of a credential.
    fileprivate func text(
        of field: CredentialField, _ scheme: AuthDefinition.Scheme
    ) -> String? {
        guard let text = nonEmptyString() else { return nil }
        guard let problem = scheme.problem(of: field, text) else { return text }
        report(problem)
        return nil
    }

    fileprivate func readReplay(into auth: inout AuthDefinition) {
        guard let object = object(["status", "codes", "max"]) else { return }
        if let status = object["status"] { auth.replayStatuses = status.statusRanges() }
        if let codes = object["codes"] { auth.replayCodes = codes.codes() }
        if let max = object["max"]?.integer(in: 0...10) { auth.replaysMax = Int(max) }
    }

    fileprivate func readRefresh(into auth: inout AuthDefinition) {
        let known = ["timeoutMilliseconds", "max", "windowMilliseconds", "earlyMilliseconds"]
        guard let object = object(known) else { return }
        let times = 1...Self.millisecondsMax
        if let time = object["timeoutMilliseconds"]?.integer(in: times) {
            auth.refreshTimeoutMilliseconds = time
        }
        if let max = object["max"]?.integer(in: 1...1_000) { auth.refreshesMax = Int(max) }
        if let time = object["windowMilliseconds"]?.integer(in: times) {
            auth.windowMilliseconds = time
        }
        if let time = object["earlyMilliseconds"]?.integer(in: 0...Self.millisecondsMax) {
            auth.earlyMilliseconds = time
        }
    }

    /// Reads one or several statuses: 401, "4xx", "520-527".
    func statusRanges() -> [ClosedRange<Int>] {
        oneOrMany().compactMap { $0.statuses() }.map(\.codes)
    }

    /// Reads one or several codes of the API: strings or whole numbers.
    func codes() -> Set<String> {
        Set(
            oneOrMany().compactMap { node in
                if let number = node.value.integer { return String(number) }
                return node.nonEmptyString()
            })
    }
}

import RestwayHTTP
import RestwayJSON
import RestwayText
import RestwayThreads

/// The section `auth`.
extension AuthDefinition {
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

    init?(_ node: DocumentNode) {
        guard let object = node.object(.auth) else { return nil }
        self.init()
        let names = Self.schemeKeys.keys.sorted()
        let name = object["scheme"].map { $0.choice(names, "scheme") } ?? "custom"
        if let name, let known = Self.schemeKeys[name] {
            let all = Set(Self.schemeKeys.values.joined()).sorted()
            for key in all where !known.contains(key) {
                object[key]?.report("does not belong to scheme \"\(name)\"")
            }
        }
        switch name {
        case "basic": scheme = .basic
        case "digest": scheme = .digest
        case "bearer": scheme = .bearer
        case "apiKey": scheme = object.apiKey() ?? .custom
        case "oauth2": scheme = OAuthSettings(object).map { .oauth2($0) } ?? .custom
        default: scheme = .custom
        }
        readCredential(object)
        if let replay = object["replay"]?.object(.replay) {
            replay.read("status", into: &replayStatuses) { $0.statusRanges() }
            replay.read("codes", into: &replayCodes) { $0.codes() }
            replay.read("max", into: &limits.replaysMax)
        }
        object["refresh"].map { readRefresh($0) }
    }

    private mutating func readCredential(_ object: DocumentNode) {
        func text(_ keys: [String], _ field: CredentialField) -> String? {
            for key in keys {
                guard let node = object[key], let text = node.nonEmptyString() else { continue }
                guard let problem = scheme.problem(of: field, text) else { return text }
                node.report(problem)
            }
            return nil
        }
        credential.user = text(["user", "clientID"], .user)
        credential.password = text(["password", "clientSecret"], .password).map { Secret($0) }
        credential.token = text(["token"], .token).map { Secret($0) }
        credential.refreshToken = text(["refreshToken"], .refreshToken).map { Secret($0) }
    }

    private mutating func readRefresh(_ node: DocumentNode) {
        guard let object = node.object(.refresh) else { return }
        object.read("timeoutMilliseconds", into: &refreshTimeoutMilliseconds)
        object.read("max", into: &limits.refreshesMax)
        object.read("windowMilliseconds", into: &limits.windowMilliseconds)
        object.read("earlyMilliseconds", into: &earlyMilliseconds)
    }

    /// The name of the header or query parameter that holds an API key.
    var apiKeyName: String? {
        if case .apiKey(let name, _) = scheme { name } else { nil }
    }
}

extension OAuthSettings {
    fileprivate init?(_ object: DocumentNode) {
        let grant: Grant? = object.required("grant")?.choice("grant")
        let url = object.required("tokenURL")?.nonEmptyString()
        let way: ClientAuthentication? = object["clientAuthentication"]?
            .choice("client authentication")
        let scope = object["scope"]?.nonEmptyString()
        let parameters = (object["parameters"]?.namedMembers() ?? []).compactMap { name, node in
            node.string().map { Pair(name: name, value: $0) }
        }
        guard let grant, let url else { return nil }
        self.init(grant: grant, tokenURL: url)
        self.scope = scope
        self.parameters = parameters
        if let way { clientAuthentication = way }
    }
}

extension DocumentNode {
    fileprivate func apiKey() -> AuthDefinition.Scheme? {
        switch (self["header"], self["query"]) {
        case (let header?, nil):
            guard let name = header.string(), header.checkHeaderName(name) else { return nil }
            return .apiKey(name, isInQuery: false)
        case (nil, let query?):
            return query.nonEmptyString().map { .apiKey($0, isInQuery: true) }
        case (nil, nil), (_?, _?):
            return refuse("an API key goes into one place: \"header\" or \"query\"")
        }
    }
}

extension AuthMode {
    /// Reads how a route takes part in authentication: `false`, or `"bypass"`.
    init?(_ node: DocumentNode) {
        if let isOn = node.value.bool {
            self = isOn ? .full : .none
        } else if node.value.string == "bypass" {
            self = .bypass
        } else {
            node.report("must be true, false or \"bypass\"")
            return nil
        }
    }
}

package import RestwayHTTP
package import RestwayRouting
package import RestwayText

/// The environments of a document, and the settings that apply to all of them.
package struct Environments: Sendable {
    private var environments: [String: Environment] = [:]
    /// The network settings of the environments that have some, by the environment's name.
    private var networks: [String: NetworkSettings] = [:]
    /// All names in the document's order, including environments with a problem.
    package private(set) var names: [String] = []
    /// The name of the environment to use when a client names no environment.
    package private(set) var chosen: String?
    /// Headers that are sent to every environment.
    package var headers: [Pair] = []
    /// The rules for headers that follow a redirect to an origin that the environment does not
    /// trust.
    package var redirects = RedirectRules()

    package subscript(name: String) -> Environment? { environments[name] }

    /// The only environment of the document; `nil` if the document has several environments or no
    /// environment.
    package var only: Environment? { environments.count == 1 ? environments.values.first : nil }

    package func network(of environment: Environment) -> NetworkSettings {
        networks[environment.name] ?? NetworkSettings()
    }

    /// Resolves the relative paths of files against `directory`.
    mutating func resolve(in directory: String) {
        for name in networks.keys { networks[name]?.resolve(in: directory) }
    }

    /// Reads the sections `environments` and `environment`.
    mutating func read(_ document: DocumentNode) {
        for (name, node) in document["environments"]?.namedMembers() ?? [] {
            // An environment with a problem stays known, so that naming it is not reported as
            // another problem.
            names.append(name)
            environments[name] = Environment(name, node)
            networks[name] = NetworkSettings(node)
        }
        guard let node = document["environment"], let name = node.nonEmptyString() else { return }
        chosen = name
        if !names.contains(name) { node.reportUnknown("environment", name, among: names) }
    }
}

extension RedirectRules {
    /// Reads the keys `redirectHeaders` and `redirectBodies`.
    init(_ document: DocumentNode) {
        self.init(
            addedNames: document["redirectHeaders"]?.redirectHeaders() ?? [],
            carriesBodies: document["redirectBodies"]?.bool() ?? false)
    }
}

extension Environment {
    private static let keys =
        [
            "baseURL", "server", "path", "version", "headers", "trustedOrigins", "tls",
            "tlsByOrigin", "proxy", "proxyExceptions", "unixSocket", "httpVersion", "cookieFile",
            "hstsFile",
        ] + Timeouts.keys

    init?(_ name: String, _ node: DocumentNode) {
        guard let object = node.object(Self.keys) else { return nil }
        let timeouts = Timeouts(object)
        let headers = object["headers"]?.headers() ?? []
        let trusted = object["trustedOrigins"]?.elements()?.compactMap { $0.origin() } ?? []
        if object["server"] == nil {
            // The path and the version are read nevertheless, so that their problems are reported.
            _ = object["path"]?.string()
            _ = object["version"]?.string()
        }
        guard let baseURL = object.baseURL() else { return nil }
        self.init(
            name: name, baseURL: baseURL, headers: headers, timeouts: timeouts,
            trustedOrigins: trusted)
    }
}

extension Timeouts {
    /// The keys of the time limits, which environments and routes have.
    static let keys = [
        "timeoutMilliseconds", "connectTimeoutMilliseconds", "firstByteTimeoutMilliseconds",
        "idleTimeoutMilliseconds",
    ]

    init(_ object: DocumentNode) {
        self.init()
        totalMilliseconds = object["timeoutMilliseconds"]?.milliseconds()
        connectMilliseconds = object["connectTimeoutMilliseconds"]?.milliseconds()
        firstByteMilliseconds = object["firstByteTimeoutMilliseconds"]?.milliseconds()
        idleMilliseconds = object["idleTimeoutMilliseconds"]?.milliseconds()
    }
}

extension DocumentNode {
    fileprivate func baseURL() -> BaseURL? {
        if let node = self["baseURL"] {
            for key in ["server", "path", "version"] {
                self[key]?.report("stands beside \"baseURL\"; write one or the other")
            }
            guard let text = node.nonEmptyString() else { return nil }
            return node.routing { () throws(RoutingError) in try BaseURL(text) }
        }
        guard let node = self["server"] else {
            return refuse("\"baseURL\" (or \"server\") is missing")
        }
        guard let server = node.nonEmptyString() else { return nil }
        let path = self["path"]?.string()
        let version = self["version"]?.string()
        return node.routing { () throws(RoutingError) in
            try BaseURL(server: server, path: path, version: version)
        }
    }
}

extension DocumentNode {
    fileprivate func origin() -> Origin? { nonEmptyString().flatMap { origin($0) } }

    /// The origin with this text, which stands at this node.
    func origin(_ text: String) -> Origin? {
        let url = routing { () throws(RoutingError) in try BaseURL(text) }
        guard let url, !url.path.isEmpty else { return url?.origin }
        return refuse("an origin has no path: it stands for all of \(url.origin)")
    }

    /// Reads the names of the headers that follow a redirect to an origin that is not trusted.
    fileprivate func redirectHeaders() -> [String] {
        (elements() ?? []).compactMap { node in
            guard let name = node.string(), node.isHeaderName(name) else { return nil }
            let lowercased = name.lowercased()
            if RedirectRules.credentialNames.contains(where: { $0.lowercased() == lowercased }) {
                return node.refuse("\(name) is a credential, which goes to trustedOrigins alone")
            }
            return name
        }
    }
}
